// Computes how an answer changes if the output of a head is replaced by its mean, or a state of the residual stream by the state of another
// text. Emits gradient estimates first, then exact rows. No DOM; loaded on demand.

import { ablate, patch } from 'qkv/interpret'
import { isTooLong } from '../cell/reasons.js'
import { read, tokenText } from '../run/read-text.js'

/** @import { Model } from 'qkv/models' */
/** @import { Matters } from '../models.js' */
/** @import { WholeRun } from '../run/model-run.js' */

/** Returns the objective: the logit of the answer minus that of the second guess. @param {WholeRun} run */
export const objectiveOf = ({ row, top }) => ({
  logits: top.slice(0, 2).map(({ id }, n) => ({ position: row, token: id, weight: n ? -1 : 1 })),
})

/**
 * Returns the objective: the logit of the answer, a token or class, minus that of the second guess, or the similarity of two texts.
 * @param {Model} model
 * @param {WholeRun} run
 * @returns {{ kind: Matters['kind'], of: import('qkv/interpret').Objective }}
 */
function answerOf(model, run) {
  const { row, top, compared } = run
  if (compared) return { kind: 'likeness', of: { cosine: compared.other, poolings: compared.poolings } }
  if (!model.classes) return { kind: 'token', of: objectiveOf(run) }
  const at = model.classes.of === 'token' ? { position: row } : {}
  const classes = top.slice(0, 2).map(({ id }, n) => Object.assign({ class: id, weight: n ? -1 : 1 }, at))
  return { kind: 'class', of: { classes } }
}

/**
 * Computes the map that `what` names; emits estimates first.
 * @param {Model} model
 * @param {WholeRun} run without the reader's changes
 * @param {{ what: 'heads' | 'positions', stack: import('../../../attention-head/head.js').Stack, other: string }} asked
 * @param {{ signal: AbortSignal, emit: (value: Matters) => void, rest: () => Promise<void> }} watch rest: lets other requests use the
 * model, then resumes
 * @returns {Promise<Matters>}
 */
export async function mattersOf(model, run, { what, stack, other }, { signal, emit, rest }) {
  const { row, top, ids, input } = run
  const tokens = top.slice(0, 2).map(({ token }) => token)
  const { kind, of } = answerOf(model, run)
  const nothing = { what, kind, tokens, value: 0, dims: [0, 0], effects: new Float32Array(0), exact: 0 }
  if (row < 0) return nothing
  if (isTooLong(model, run, stack)) return Object.assign(nothing, { isTooLong: true })
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
 * Returns the difference that the reader's changes make to the objective of the plain run: the logit of its answer minus that of its second
 * guess, or the similarity of the texts.
 * @param {Model} model
 * @param {WholeRun} plain
 * @param {{ run: WholeRun, hooks: Record<string, any> }} changed
 * @param {AbortSignal} signal
 */
export async function changeOf(model, plain, { run, hooks }, signal) {
  const { row, top, input, ids, targetIds = ids, compared } = plain
  if (row < 0) return 0
  if (compared) return (run.compared?.value ?? Number.NaN) - compared.value
  const isLast = row === targetIds.length - 1
  const wanted = model.classes ? 'none' : isLast ? 'last' : 'all'
  const values = []
  for (const given of [{}, hooks]) {
    const { logits, classLogits } = await model.forward(input, { hooks: given, logits: wanted, signal })
    const at = (/** @type {number} */ id) =>
      classLogits?.dims.length === 2
        ? classLogits.at(0, id)
        : (classLogits ?? logits)?.at(0, isLast && logits ? 0 : row, id)
    const [first = 0, second = 0] = top.slice(0, 2).map(({ id }) => at(id))
    values.push(first - second)
  }
  return values[1] - values[0]
}
