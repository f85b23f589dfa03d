// Performs the reader's actions in the open exercise: answering, checking, reading hints and the solution.

import { answerOf, attemptFrom, begun, begunAgain, isOver, judged, withParameters } from './attempt.js'

/** @typedef {import('../shell/store.js').Store<any>} Store */
/** @typedef {Omit<import('./exercise-bar.js').BarActions, 'go' | 'leave'>} AttemptActions */

/**
 * @param {import('../shell/shell.js').Shell} shell
 * @param {ReturnType<typeof import('./exercise-room.js').createExerciseRoom>} place
 * @param {object} link
 * @param {() => import('./attempt.js').Rules} link.rules
 * @param {() => import('./score-book.js').ScoreBook} link.scores
 * @param {() => unknown} link.turn returns a value that changes when another exercise is requested
 * @param {(name: string, data: object) => void} link.tell reports to the host at once
 */
export function createReaderAttempt(shell, place, { rules, scores, turn, tell }) {
  const { store, show } = place
  let attempt = begun()
  /** Text key of a message about the last action, or ''. */
  let said = ''
  let isFolded = false
  let isChecking = false

  /** @param {string} key */
  function say(key) {
    said = key
    shell.schedule()
  }

  /** @param {Partial<import('./attempt.js').Attempt>} patch */
  function change(patch) {
    attempt = { ...attempt, ...patch }
    say('')
  }

  /** Returns the input for the functions of an exercise, without `qkv`, which only checks need. @param {Store} own @returns {import('./exercise.js').Given} */
  const givenBy = ({ state }) => ({
    state,
    answer: attempt.answer,
    memory: attempt.memory,
    qkv: /** @type {any} */ (undefined),
  })

  /** @param {import('qkv').Qkv} qkv */
  function judge(qkv) {
    const own = store()
    const { exercise } = place
    if (!exercise || !own || isOver(attempt, rules())) return
    if (exercise.answer?.type !== 'marks' && exercise.answer && attempt.answer === '') return say('exerciseNoAnswer')
    const verdict = exercise.check({ ...givenBy(own), qkv })
    if (!verdict) return say('exerciseWait')
    attempt = judged(attempt, verdict)
    const { score, tries } = attempt
    scores().note(exercise.id, score, own.link())
    tell('check', { passed: verdict.passed, score, hint: verdict.hint, tries })
    isFolded = false
    say('')
  }

  /** @satisfies {AttemptActions} */
  const act = {
    async check() {
      if (isChecking) return // two presses while the core loads count as one try
      isChecking = true
      const asked = turn()
      try {
        const qkv = await shell.load()
        if (asked === turn()) judge(qkv)
      } finally {
        isChecking = false
      }
    },
    answer: (/** @type {unknown} */ answer) => change({ answer }),
    set(/** @type {object} */ set, /** @type {string | undefined} */ mark) {
      // In "Learn", apply settings through the action, which starts a new training run.
      if (place.exercise?.room === 'learn') store()?.act.set(set)
      else store()?.update({ set, mark })
    },
    part: (/** @type {string} */ set) => show(withParameters(store()?.link() ?? '', set)),
    again() {
      attempt = begunAgain(attempt)
      said = ''
      place.start()
    },
    showSolution() {
      const { exercise } = place
      const own = store()
      if (!exercise || !own) return
      const { set } = exercise.solution
      const answer = answerOf(exercise.solution, givenBy(own)) ?? attempt.answer
      attempt = { ...attempt, isShown: true, answer, verdict: undefined }
      tell('solution', { tries: attempt.tries })
      if (set !== undefined) show(withParameters(own.link(), set))
      shell.schedule()
    },
    look() {
      const set = place.exercise?.solution.set
      if (set) show(withParameters(store()?.link() ?? '', set))
    },
    fold() {
      isFolded = !isFolded
      shell.schedule()
    },
  }

  return {
    act,
    say,
    /** Resets for another exercise. */
    begin() {
      attempt = begun()
      said = ''
    },
    /**
     * Continues from a state stored by the host, the page that embeds the exercise.
     * @param {unknown} stored
     * @returns {boolean} false if the state is invalid or belongs to another exercise
     */
    restore(stored) {
      const kept = place.exercise && attemptFrom(stored, place.exercise.id)
      try {
        if (!kept) return false
        show(kept.link)
        attempt = { ...attempt, ...kept.attempt }
        return true
      } catch {
        return false
      } finally {
        shell.schedule()
      }
    },
    /** Returns the state for the host to store. */
    state() {
      const { answer, tries, isShown, isPassed, score } = attempt
      return { exercise: place.exercise?.id, link: store()?.link() ?? '', answer, tries, isShown, isPassed, score }
    },
    /** Returns the fields of the attempt that the bar draws. @param {Store} own */
    shown(own) {
      return { attempt, said, isFolded, rules: rules(), measured: place.exercise?.measured?.(givenBy(own)) }
    },
    /** Lets the exercise record the current state; called after each draw. */
    watch() {
      const own = store()
      const { exercise } = place
      if (!exercise?.watch || !own) return
      const memory = exercise.watch(own.state, attempt.memory)
      if (memory === attempt.memory) return
      attempt = { ...attempt, memory }
      shell.schedule()
    },
    /** True while the picture of the room is hidden. */
    isCovered: () => place.exercise?.isCovered === true && !attempt.isPassed && !attempt.isShown,
    get said() {
      return said
    },
  }
}
