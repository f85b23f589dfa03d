// Records settings for Undo/Redo and for Back/Forward. Each setting belongs to one of these histories, or to none.

import { namesIn } from './known.js'
import { isSame } from './same.js'

/** @typedef {import('./room.js').Room<any>['fields']} Fields */
/** @typedef {'undo' | 'place'} History */

/** Milliseconds within which steps with the same mark are undone together. */
const PAUSE = 1000
const MOST_STEPS = 200
/** @type {History[]} */
const KINDS = ['undo', 'place']

/** Returns the settings with these names. @template {object} S @param {S} settings @param {readonly string[]} names */
const pick = (settings, names) =>
  /** @type {Partial<S>} */ (Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name))))

/** @template {object} S @param {Fields} fields */
export function createHistories(fields) {
  /** Past and future settings of each history. @type {Record<History, [S[], S[]]>} */
  const stacks = { undo: [[], []], place: [[], []] }
  /** Mark and time of the last step in each history. Kept separately, so that a step in one history does not split a drag in the other. */
  const last = { undo: { mark: '', time: 0 }, place: { mark: '', time: 0 } }
  /** Returns the names of the fields of a history. @param {History} kind */
  const namesOf = kind => Object.keys(fields).filter(name => fields[name].history === kind)
  return {
    /**
     * Records the settings `before` a step in the histories of the fields that `set` changes. Steps with the same mark share an entry if
     * they belong to one drag or follow within PAUSE.
     * @param {S} before @param {Partial<S>} set @param {string} mark @param {boolean} isReplaced True to record no entry
     */
    record(before, set, mark, isReplaced) {
      const names = namesIn(set).filter(name => set[name] !== before[name])
      const kinds = new Set(names.map(name => fields[name].history))
      const time = performance.now()
      for (const kind of KINDS) {
        if (!kinds.has(kind)) continue
        const own = last[kind]
        const isOne = mark !== '' && mark === own.mark && (mark.startsWith('drag') || time - own.time < PAUSE)
        if (!isOne && !isReplaced) stacks[kind] = [[...stacks[kind][0], before].slice(-MOST_STEPS), []]
        else if (isReplaced && kind === 'undo') stacks.undo = [stacks.undo[0], []] // Redo would start from settings that have been replaced
        last[kind] = { mark, time }
      }
    },

    /** Clears the given histories. @param {readonly History[]} kinds */
    begin(kinds) {
      for (const kind of kinds) stacks[kind] = [[], []]
    },

    /**
     * Adapts the histories to a change, such as of the model, that gives the fields `names` another meaning. In all entries of Undo, these
     * fields get their values of `now`. The history of Back is cleared.
     * @param {readonly string[]} names @param {S} now
     */
    goOn(names, now) {
      const own = namesOf('undo')
      const isOne = (/** @type {S} */ a, /** @type {S} */ b) => isSame(pick(a, own), pick(b, own))
      const kept = (/** @type {S[]} */ steps) =>
        steps.map(step => ({ ...step, ...pick(now, names) })).filter((step, n, all) => !isOne(step, all[n + 1] ?? now))
      this.begin(['place'])
      stacks.undo = [kept(stacks.undo[0]), kept(stacks.undo[1])]
    },

    /**
     * Removes the last entry of a history, and returns its fields to restore; undefined if there is none.
     * @param {History} kind
     * @param {0 | 1} to 0: backwards, 1: forwards
     * @returns {Partial<S> | undefined}
     */
    take(kind, to) {
      const found = stacks[kind][to].pop()
      if (!found) return undefined
      last[kind] = { mark: '', time: 0 }
      return pick(found, namesOf(kind))
    },

    /** Records the settings `from` before a step backwards or forwards, so that the opposite step can restore them. @param {History} kind @param {0 | 1} to @param {S} from */
    went(kind, to, from) {
      stacks[kind][to ? 0 : 1].push(from)
    },

    can: () => ({
      undo: stacks.undo[0].length > 0,
      redo: stacks.undo[1].length > 0,
      back: stacks.place[0].length > 0,
      forward: stacks.place[1].length > 0,
    }),
  }
}
