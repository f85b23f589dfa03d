// Stores the scores of exercises in this browser only: for each exercise the best score, the settings that reached it, the number of tries,
// and the time. Readers can edit stored data, so the book validates it, and a score proves nothing.

/** @typedef {{ score: number, tries: number, state: string, when: string }} Entry */
/** @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} Store */
/**
 * The reason why scores are missing. `unreadable`: the stored text is not valid; `refused`: the browser allows no storage.
 * @typedef {'unreadable' | 'refused'} Trouble
 */
/** @typedef {ReturnType<typeof createScoreBook>} ScoreBook */

const NAME = 'qkv.exercises'
/** Storage key under which unreadable data is preserved. */
const OLD = 'qkv.exercises.unread'

/** @param {unknown} value @returns {value is Entry} */
function isEntry(value) {
  const { score, tries, state, when } = /** @type {Record<string, unknown>} */ (value ?? {})
  const isScore = typeof score === 'number' && score >= 0 && score <= 1
  return (
    isScore && Number.isInteger(tries) && Number(tries) >= 0 && typeof state === 'string' && typeof when === 'string'
  )
}

/** Creates the score book. @param {() => Store | undefined} storage may throw, as in browsers that refuse storage */
export function createScoreBook(storage) {
  /** All stored entries, including exercises that this version lacks. @type {Record<string, unknown>} */
  let all = {}
  /** @type {Trouble | undefined} */
  let trouble
  let unread = ''

  /** Reloads, since another tab may have written. */
  function load() {
    try {
      const text = storage()?.getItem(NAME)
      if (text === null || text === undefined) return
      const stored = JSON.parse(text)
      if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) throw new SyntaxError(text)
      all = stored
      if (trouble === 'unreadable') trouble = undefined
    } catch (error) {
      if (error instanceof SyntaxError) unread = storage()?.getItem(NAME) ?? ''
      trouble = error instanceof SyntaxError ? 'unreadable' : 'refused'
    }
  }

  function save() {
    try {
      const own = storage()
      if (!own) throw new Error('there is no storage')
      if (unread) own.setItem(OLD, unread)
      unread = ''
      own.setItem(NAME, JSON.stringify(all))
      trouble = undefined
    } catch {
      trouble = 'refused'
    }
  }

  load()
  return {
    /** Returns the entry of an exercise. @param {string} id @returns {Entry | undefined} */
    of(id) {
      const entry = Object.hasOwn(all, id) ? all[id] : undefined
      return isEntry(entry) ? entry : undefined
    },
    /** Counts a try, and stores the score if it is better. @param {string} id @param {number} score @param {string} state */
    note(id, score, state) {
      load()
      const before = this.of(id)
      const isBetter = !before || score > before.score
      const when = new Date().toISOString()
      all[id] = {
        score: isBetter ? score : before.score,
        tries: (before?.tries ?? 0) + 1,
        state: isBetter ? state : before.state,
        when: isBetter ? when : before.when,
      }
      save()
    },
    forget() {
      all = {}
      unread = ''
      try {
        storage()?.removeItem(NAME)
        storage()?.removeItem(OLD)
        trouble = undefined
      } catch {
        trouble = 'refused'
      }
    },
    load,
    get trouble() {
      return trouble
    },
  }
}

/** The score book of this browser. */
export const book = createScoreBook(() => globalThis.localStorage)

/** Formats the scores as CSV. @param {Pick<ScoreBook, 'of'>} of @param {readonly string[]} ids */
export const csvOf = (of, ids) =>
  ['exercise,score,tries,when']
    .concat(
      ids.map(id => {
        const { score = '', tries = 0, when = '' } = of.of(id) ?? {}
        return [id, score, tries, when].join(',')
      }),
    )
    .join('\n')
