// The session for everything that takes longer than a frame: large traces, their comparison with float64, batches, files. It runs in a
// worker, or on the main thread if none can be started.

import { messageOf, Trouble } from '../../files/trouble.js'
import { fromText } from './import.js'
import { readFiles } from './import-files.js'
import { computeOf, troubleOf } from './trace/compute.js'
import { isLarge } from './trace/large-trace.js'
import { difference } from './trace/reference64.js'
import { timings } from './trace/timing.js'

/** @import { LayerAsks, Result, Traced, Tracer } from './layer.js' */

/** Milliseconds between progress messages (OFTEN), and of work between two yields to the event loop (SLICE). */
const [OFTEN, SLICE] = [100, 8]

/** Yields to the event loop, so that a cancellation can arrive. */
const turn = () =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve(undefined)
    }
    port2.postMessage(0)
  })

/**
 * Runs a generator to its end, unless the request is cancelled.
 * @template P , V
 * @param {Generator<P, V>} parts
 * @param {import('../../shell/room.js').Run<any>} run
 * @param {number} slice milliseconds of work between yields
 * @returns {Promise<V>}
 */
async function complete(parts, { signal, progress }, slice) {
  let [told, looked] = [performance.now(), performance.now()]
  for (;;) {
    if (signal.aborted) throw new Error('cancelled')
    const step = parts.next()
    if (step.done) return step.value
    const now = performance.now()
    if (typeof step.value === 'number' && now - told > OFTEN) {
      progress(step.value)
      told = now
    }
    if (now - looked < slice) continue
    await turn()
    looked = performance.now()
  }
}

/** @param {import('qkv').Qkv} qkv @returns {import('../../shell/room.js').Handlers<LayerAsks>} */
export function handlers(qkv) {
  const compute = computeOf(qkv)
  /** Caches the last compared trace, which the batch uses too. @type {{ of: string, result: Promise<Result> } | undefined} */
  let last

  /** @param {Tracer} tracer @param {Traced} request @param {import('../../shell/room.js').Run<any>} run @returns {Promise<Result>} */
  const trace = async (tracer, { checked, head, urls }, run) => {
    try {
      if (checked.model !== 'trained')
        return isLarge(checked) ? await complete(tracer.parts(checked, head), run, 0) : tracer(checked)
      const { trainedLayer } = await import('./trained-layer.js')
      const read = await trainedLayer(qkv, checked, urls)
      run.signal.throwIfAborted()
      return { ...tracer(read), settings: { ...read, given: undefined } }
    } catch (error) {
      throw troubleOf(error)
    }
  }

  /**
   * Returns a handler that answers with a trace. The handler transfers the buffers of the trace, except those that the next trace reuses.
   * @param {Tracer} tracer
   * @returns {import('../../shell/room.js').Handlers<LayerAsks>['trace']}
   */
  const answer = tracer => async (request, run) => {
    const result = await trace(tracer, request, run)
    if (request.checked.model === 'trained') return result // transfer nothing, since the next edit needs all tensors
    const own = Object.values(result.tensors).filter(tensor => tensor && !tracer.isReused(tensor))
    const views = result.visible ? [...own.map(({ data }) => data), result.visible] : own.map(({ data }) => data)
    run.transfer.push(...new Set(views.map(({ buffer }) => buffer)))
    return result
  }

  /**
   * Returns the trace to compare. If it is cancelled, the next request computes it again.
   * @param {Traced & { of: string }} request
   * @param {import('../../shell/room.js').Run<any>} run
   */
  const resultOf = (request, run) => {
    if (last?.of === request.of) return last.result
    const own = { of: request.of, result: trace(compute.trace, request, run) }
    let isMade = false
    const forget = () => {
      if (last === own && !isMade) last = undefined
    }
    own.result.then(() => {
      isMade = true
    }, forget)
    run.signal.addEventListener('abort', forget)
    last = own
    return own.result
  }

  return {
    trace: answer(compute.trace),
    baseline: answer(compute.baseline),
    comparison: async (request, run) => ({
      of: request.of,
      difference: await complete(difference(await resultOf(request, run)), run, SLICE),
    }),
    batch: async (request, run) => compute.batch({ key: request.of, result: await resultOf(request, run) }),
    async timing({ lengths }, run) {
      const parts = timings(qkv, lengths)
      for (let part = parts.next(); ; part = parts.next()) {
        if (part.done) return part.value
        run.emit(part.value)
        await turn()
        if (run.signal.aborted) throw new Error('cancelled')
      }
    },
    async read({ source }) {
      try {
        return { settings: typeof source === 'string' ? fromText(source) : await readFiles(source) }
      } catch (error) {
        if (!(error instanceof Trouble))
          return { problem: { key: 'importFailed', params: { message: messageOf(error) } } }
        return { problem: { key: error.key, params: error.params } }
      }
    },
  }
}
