// What Undo and Redo, Back and Forward go to. Each setting belongs to one history, or to none.

/** @typedef {import('./room.js').Room<any>['fields']} Fields */
/** @typedef {'undo' | 'place'} History */

/** Milliseconds within which steps of one mark are undone together. */
const PAUSE = 1000
const MOST_STEPS = 200

/** @template S @param {Fields} fields */
export function createHistories(fields) {
  /** Settings that each history goes back and forward to. @type {Record<History, [S[], S[]]>} */
  const stacks = { undo: [[], []], place: [[], []] }
  /** The last step that each history has recorded: one of another history between two of a drag does not part them. */
  const last = { undo: { mark: '', time: 0 }, place: { mark: '', time: 0 } }
  return {
    /** Before settings change. @param {S} before @param {Partial<S>} set @param {string} mark @param {boolean} isReplaced */
    record(before, set, mark, isReplaced) {
      const names = /** @type {(keyof S & string)[]} */ (Object.keys(set)).filter(name => set[name] !== before[name])
      const kinds = new Set(names.map(name => fields[name].history))
      const time = performance.now()
      for (const kind of /** @type {const} */ (['undo', 'place'])) {
        if (!kinds.has(kind)) continue
        const own = last[kind]
        const isSame = mark !== '' && mark === own.mark && (mark.startsWith('drag') || time - own.time < PAUSE)
        if (!isSame && !isReplaced) stacks[kind] = [[...stacks[kind][0], before].slice(-MOST_STEPS), []]
        else if (isReplaced && kind === 'undo') stacks.undo = [stacks.undo[0], []] // what Redo went on from is gone
        last[kind] = { mark, time }
      }
    },

    /** @param {readonly History[]} kinds those that start anew */
    begin(kinds) {
      for (const kind of kinds) stacks[kind] = [[], []]
    },

    /**
     * Takes a step: what changes when the reader goes there, only the fields of that history.
     * @param {History} kind
     * @param {0 | 1} to 0: back
     * @returns {Partial<S> | undefined}
     */
    take(kind, to) {
      const found = stacks[kind][to].pop()
      if (!found) return undefined
      last[kind] = { mark: '', time: 0 }
      const own = Object.keys(fields).filter(name => fields[name].history === kind)
      return /** @type {any} */ (Object.fromEntries(own.map(name => [name, found[/** @type {keyof S} */ (name)]])))
    },

    /** The reader has gone there: the way back leads to where he was. @param {History} kind @param {0 | 1} to @param {S} from */
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
