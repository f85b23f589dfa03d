// Prepares the room of the open exercise, locks all settings that the exercise does not name, and unlocks them at the end.

import { guardOf, startOf } from './attempt.js'

/** @import { Exercise } from './exercise.js' */
/** @typedef {import('../shell/store.js').Store<any>} Store */

/** Upper limit (exclusive) of the seeds for random orders. */
const MOST_SEED = 2 ** 16

/** True if the room shows another model than the exercise. @param {Store} store @param {Exercise} exercise */
function isElsewhere({ state }, exercise) {
  if (exercise.room !== 'models') return false
  const wanted = new URLSearchParams(startOf(exercise, 0)).get('checkpoint') ?? ''
  return state.settings.checkpoint !== wanted
}

/** @param {Pick<import('../shell/rooms.js').Rooms, 'store'>} rooms */
export function createExerciseRoom(rooms) {
  /** @type {Exercise | undefined} */
  let exercise
  /** @type {import('../shell/room.js').Translate | undefined} */
  let t
  /** Settings that each room had before the exercises. @type {Map<Store, any>} */
  const before = new Map()
  const store = () => (exercise ? rooms.store(exercise.room) : undefined)

  /** Locks all settings that the exercise does not name. */
  function lock() {
    const own = store()
    if (!own || !exercise) return
    const may = t?.(`${exercise.id}.may`, { fields: exercise.may.join(', ') || '–' }) ?? ''
    own.restrict(guardOf(exercise, own.room.fields, { key: 'locked', params: { may } }))
  }

  /** Unlocks everything and restores the view of the room. */
  function release() {
    const own = store()
    own?.restrict()
    const names = Object.keys(exercise?.view ?? {})
    if (own && names.length) own.update({ view: Object.fromEntries(names.map(name => [name, own.room.view[name]])) })
  }

  /** Applies the settings of a link; throws if the link is damaged. @param {string} link */
  function show(link) {
    const own = store()
    own?.restrict()
    try {
      own?.follow(link)
    } finally {
      lock()
    }
  }

  return {
    get exercise() {
      return exercise
    },
    store,
    lock,
    show,
    /** Sets the texts of the exercise in another language. @param {import('../shell/room.js').Translate | undefined} texts */
    speak(texts) {
      if (t === texts) return
      t = texts
      lock()
    },
    /** Switches to another exercise, whose room is already open. @param {Exercise} next */
    take(next) {
      release()
      exercise = next
      if (next.view) store()?.update({ view: next.view })
    },
    /** Applies the initial settings of the exercise. */
    start() {
      const own = store()
      if (!exercise || !own) return
      if (!before.has(own)) before.set(own, own.state.settings)
      show(startOf(exercise, Math.floor(Math.random() * MOST_SEED)))
      const { shows } = exercise
      own.update({ begins: true, effects: shows ? [{ type: 'reveal', selector: shows }] : [] })
    },
    /** Unlocks the rooms. @param {boolean} isBack True to restore what they showed before */
    end(isBack) {
      release()
      if (isBack) for (const [own, settings] of before) own.show(settings)
      before.clear()
      exercise = undefined
    },
    isElsewhere() {
      const own = store()
      return own !== undefined && exercise !== undefined && isElsewhere(own, exercise)
    },
  }
}
