// The weights of a run at some of its steps, so that the reader can go back to them.

/** @import { Weights } from './training-run.js' */
/** @typedef {{ step: number, state: Weights }} Snapshot */

/** Steps between evaluations, and between snapshots at first. */
export const EVERY = 20
/** Numbers of all snapshots of a run: beyond, every second one is dropped. */
const MOST_NUMBERS = 2 ** 24

/** The snapshot of a step, or the last one before it. @param {readonly Snapshot[]} all @param {number} step */
export const snapshotAt = (all, step) => all.filter(each => each.step <= step).at(-1) ?? all[0]

export function createSnapshots() {
  /** @type {Snapshot[]} */
  let all = []
  let every = EVERY
  return {
    get all() {
      return all
    },
    /** @param {Snapshot} snapshot */
    add(snapshot) {
      if (snapshot.step % every) return
      all = [...all, snapshot]
      const size = Object.values(snapshot.state).reduce((sum, { data }) => sum + data.length, 0)
      if (all.length <= 2 || all.length * size <= MOST_NUMBERS) return
      every *= 2
      all = all.filter(({ step }) => step % every === 0)
    },
  }
}
