// Stands in for the threads of a core while kernel calls are recorded instead of made.

/** @import { AttentionCall } from '../../runtime/attention-call.js' */
/** @import { Core } from '../../runtime/memory.js' */
/** @import { Job } from '../../threads/pool.js' */
/** @typedef {Job & { words: Uint32Array, layer?: number }} Noted a call, with its struct */

/** Replaces the threads of a core, and records the jobs that they would run. */
export class Notes {
  /** @type {Noted[]} */
  jobs = []

  /** @param {Core} core @param {Job} job */
  run(core, job) {
    // Only the struct and the data that it points to are above its address.
    this.jobs.push({ ...job, words: core.words.slice(job.args[0] / 4, core.top / 4) })
    return true
  }

  /** @param {Core} core @param {number} args @param {AttentionCall} call */
  attend(core, args, call) {
    return this.run(core, call.job(core, args))
  }

  deferredCopies() {
    return undefined
  }

  /** @param {Core} core */
  prepareAttention(core) {
    return core
  }
}
