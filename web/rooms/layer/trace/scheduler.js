// Large traces: in a worker, or where none can start (a page from a disk) in slices on the page.

import { Tensor } from 'qkv'

/** @typedef {import('../check-settings.js').Checked} Checked */
/** @typedef {import('./layer-trace.js').Result} Result */
/** @typedef {import('./layer-trace.js').Tracer} Tracer */
/** @typedef {{ id: number, settings: Checked, head: number }} Job */
/** @typedef {{ id: number, progress?: number, result?: Result, failure?: string }} Message */

/** Tensors come out of a message as plain objects. @param {Result} result @returns {Result} */
const revived = result => ({
  ...result,
  ...(result.smalls && { smalls: new Tensor(result.smalls.data, result.smalls.dims) }),
  tensors: Object.fromEntries(
    Object.entries(result.tensors)
      .filter(([, tensor]) => tensor)
      .map(([id, { data, dims }]) => [id, new Tensor(data, dims)]),
  ),
})

/**
 * @param {Tracer} trace for where there is no worker
 * @param {(message: Omit<Message, 'id'>) => void} report of the newest job alone
 */
export function createJobs(trace, report) {
  let newest = 0
  /** @type {Job | undefined} */
  let running
  /** @type {Worker | undefined} */
  let worker
  let canWork = globalThis.location?.protocol !== 'file:' && typeof Worker === 'function'

  /** @param {Message} message */
  const take = ({ id, ...rest }) => {
    if (id !== newest) return
    if (rest.progress === undefined) running = undefined
    report(rest)
  }

  /** On the page, a head at a time. @param {Job} job */
  const slice = async ({ id, settings, head }) => {
    const parts = trace.parts(settings, head)
    for (let step = parts.next(); id === newest; step = parts.next()) {
      if (step.done) return take({ id, result: step.value })
      take({ id, progress: step.value })
      await new Promise(resolve => setTimeout(resolve))
    }
  }
  /** @param {Job} job */
  const onPage = job => slice(job).catch(error => take({ id: job.id, failure: String(error) }))

  function start() {
    const made = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    made.onmessage = ({ data }) => take(data.result ? { ...data, result: revived(data.result) } : data)
    made.onerror = () => {
      canWork = false
      worker = undefined
      if (running) onPage(running)
    }
    return made
  }

  return {
    /** @param {Checked} settings @param {number} head whose steps are kept */
    run(settings, head) {
      running = { id: ++newest, settings, head }
      report({ progress: 0 })
      if (canWork) worker ??= start()
      if (worker) worker.postMessage(running)
      else onPage(running)
    },
    /** The running job is no longer needed. */
    cancel() {
      newest++
      running = undefined
    },
  }
}
