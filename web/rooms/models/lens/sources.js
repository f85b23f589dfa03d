// Finds the lens of a model: a file that the reader opened, the one that ships with the model, or a fit on texts that the model generates.
// Lenses are cached per model.

/** @import { Model } from 'qkv/models' */
/** @import { Lens } from 'qkv/interpret' */
/** @import { LensOrigin } from '../models.js' */
/**
 * `rest`: lets other requests use the model, then resumes.
 * @typedef {{ signal: AbortSignal, onProgress: (progress: { done: number, total: number }) => void, rest: () => Promise<void> }} Watch
 */
/** @typedef {{ lens: Lens, origin: LensOrigin }} Own */

/** Caches the lenses of each model by kind; lenses opened from a file, by "file NAME". @type {WeakMap<Model, Map<string, Own>>} */
const known = new WeakMap()

/** @param {Model} model @returns {Map<string, Own>} */
function lensesOf(model) {
  const own = known.get(model) ?? new Map()
  known.set(model, own)
  return own
}

/** Caches a lens that was opened from a file. @param {Model} model @param {string} name @param {Lens} lens */
export const keepFile = (model, name, lens) =>
  void lensesOf(model).set(`file ${name}`, { lens, origin: { from: 'file', name, texts: lens.numPrompts } })

/**
 * Returns the lens to read with; undefined if it would have to be fitted and the model is too large for that.
 * @param {Model} model
 * @param {import('../models.js').LensAsked} asked
 * @param {Watch} watch
 * @returns {Promise<Own | { lens: 'logit', origin: LensOrigin } | undefined>}
 */
export async function lensOf(model, { lens: kind, file, shipped }, watch) {
  if (kind === 'logit') return { lens: 'logit', origin: { from: 'logit' } }
  const own = lensesOf(model)
  const opened = own.get(`file ${file}`)
  if (opened?.lens.kind === kind) return opened
  const before = own.get(kind)
  if (before) return before
  const made = shipped
    ? await (await import('./shipped.js')).shippedLens(shipped, watch.signal)
    : await fitted(model, kind, watch)
  if (made) own.set(kind, made)
  return made
}

/** @param {Model} model @param {'jacobian' | 'tuned'} kind @param {Watch} watch @returns {Promise<Own | undefined>} */
async function fitted(model, kind, watch) {
  const { canFit, fittedLens, TOKENS } = await import('./fit.js')
  if (!canFit(model, kind)) return undefined
  const { lens, texts } = await fittedLens(model, kind, watch)
  return { lens, origin: { from: 'fit', texts, tokens: TOKENS } }
}
