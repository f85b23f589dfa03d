// Large traces in a worker: only the newest job counts; an older one stops between two heads.

import { load } from 'qkv'
import { createTracer } from './layer-trace.js'

/** @typedef {import('./scheduler.js').Job} Job */

/** @type {Job | undefined} */
let wanted
let isBusy = false
const tracer = load().then(createTracer)

/** Milliseconds between two messages of progress: the page draws each of them. */
const OFTEN = 100

/** Lets the worker read its messages. */
const turn = () =>
  new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = resolve
    port2.postMessage(0)
  })

async function work() {
  const trace = await tracer
  while (wanted) {
    const { id, settings, head } = wanted
    wanted = undefined
    const parts = trace.parts(settings, head)
    let step = parts.next()
    let said = performance.now()
    while (!step.done && !wanted) {
      if (performance.now() - said > OFTEN) {
        postMessage({ id, progress: step.value })
        said = performance.now()
      }
      await turn()
      if (!wanted) step = parts.next()
    }
    if (!step.done) continue
    const { tensors, visible } = step.value
    // The drawn numbers, which the next job uses again, are copied; all other buffers are transferred.
    const own = Object.values(tensors).filter(tensor => tensor && !trace.isReused(tensor))
    const buffers = new Set([...own, ...(visible ? [{ data: visible }] : [])].map(({ data }) => data.buffer))
    postMessage({ id, result: step.value }, { transfer: [...buffers] })
  }
}

addEventListener('message', ({ data }) => {
  wanted = data
  if (isBusy) return
  isBusy = true
  work()
    .catch(error => postMessage({ id: data.id, failure: String(error) }))
    .finally(() => {
      isBusy = false
    })
})
