// Snapshots of a run's weights at some of its steps, so that the reader can go back.

/** @import { Weights } from './training-run.js' */
/** @typedef {{ step: number, state: Weights }} Snapshot */

/** Steps between evaluations, and initially between snapshots. */
export const EVERY = 20
/** Maximum total size of the snapshots, in numbers; when exceeded, every second snapshot is dropped. */
const MOST_NUMBERS = 2 ** 24

/** Returns the snapshot of a step, or the last one before it. @param {readonly Snapshot[]} all @param {number} step */
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
