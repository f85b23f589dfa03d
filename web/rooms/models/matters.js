// What matters for an answer: each head replaced by its mean, each state of the residual stream by that of another text. Estimates by the
// gradient come first, exact rows after them. No DOM; loaded when it is asked for.

import { ablate, patch } from 'qkv/interpret'
import { read, tokenText } from './read-text.js'
import { isTooLong } from './reasons.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./models.js').Matters} Matters */
/** @typedef {import('./model-run.js').WholeRun} WholeRun */

/** The answer against the second guess, as an objective. @param {WholeRun} run */
export const objectiveOf = ({ row, top }) => ({
  logits: top.slice(0, 2).map(({ id }, n) => ({ position: row, token: id, weight: n ? -1 : 1 })),
})

/**
 * @param {Model} model
 * @param {WholeRun} run without changes
 * @param {{ what: 'heads' | 'positions', stack: import('../../head/head.js').Stack, other: string }} asked
 * @param {{ signal: AbortSignal, emit: (value: Matters) => void, rest: () => Promise<void> }} watch rest: lets others use the model
 * @returns {Promise<Matters>}
 */
export async function mattersOf(model, run, { what, stack, other }, { signal, emit, rest }) {
  const { row, top, ids, input } = run
  const tokens = top.slice(0, 2).map(({ token }) => token)
  const nothing = { what, tokens, value: 0, dims: [0, 0], effects: new Float32Array(0), exact: 0 }
  if (row < 0 || top.length < 2) return nothing
  if (isTooLong(model, run, stack)) return Object.assign(nothing, { isTooLong: true })
  const of = objectiveOf(run)
  /** @type {(method: 'gradient' | 'exact', onProgress?: any) => Promise<import('qkv/interpret').PatchResult>} */
  let start = (method, onProgress) =>
    ablate(model, input, { of, by: 'mean', place: stack || undefined, method, signal, onProgress })
  if (what === 'positions') {
    const second = read(model, { text: other })
    if (second.ids.length !== ids.length)
      return { ...nothing, lengths: [ids, second.ids].map(list => list.map(id => tokenText(model, id))) }
    const texts = { clean: { ids: second.ids }, corrupted: input, what }
    start = (method, onProgress) => patch(model, { ...texts, of, method, signal, onProgress })
  }
  const estimate = await start('gradient')
  const { value } = estimate
  const effects = estimate.effects.data
  const [rows, columns] = estimate.effects.dims
  const made = (/** @type {number} */ exact) => ({
    ...nothing,
    value,
    dims: [rows, columns],
    effects: effects.slice(),
    exact,
  })
  emit(made(0))
  await rest()
  await start('exact', async (/** @type {{ row: number, done: number, effects: Float32Array }} */ progress) => {
    effects.set(progress.effects, progress.row * columns)
    if (progress.done === rows) return
    emit(made(progress.done))
    await rest()
  })
  return made(rows)
}

/**
 * How much changes have changed the answer against the second guess of the run without them.
 * @param {Model} model
 * @param {WholeRun} plain
 * @param {Record<string, any>} hooks
 * @param {AbortSignal} signal
 */
export async function changeOf(model, plain, hooks, signal) {
  const { row, top, input, ids, targetIds = ids } = plain
  if (row < 0 || top.length < 2) return 0
  const isLast = row === targetIds.length - 1
  const values = []
  for (const given of [{}, hooks]) {
    const { logits } = await model.forwardAsync(input, { hooks: given, logits: isLast ? 'last' : 'all', signal })
    const [first, second] = top.slice(0, 2).map(({ id }) => logits?.at(0, isLast ? 0 : row, id) ?? 0)
    values.push(first - second)
  }
  return values[1] - values[0]
}
