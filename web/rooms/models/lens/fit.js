// Fits a lens of a model on texts that the model generates, taking turns with other requests for the model. A cancelled fit resumes where
// it stopped.

import { fitLens } from 'qkv/interpret'

/** @import { Model } from 'qkv/models' */
/** @import { Lens } from 'qkv/interpret' */
/** @import { Watch } from './sources.js' */
/** @typedef {{ texts: number[][], lens?: Lens }} Fit the generated texts, and the lens fitted so far */

/** Maximum tokens of a text. */
export const TOKENS = 48
/** For each kind of lens: number of texts, first position of a text that the fit uses, passes over the texts. */
const FITS = {
  jacobian: { count: 12, first: 4, passes: undefined },
  tuned: { count: 48, first: 0, passes: 5 },
}
/** Maximum number of multiplications for a fit, about ten seconds on one thread. */
const MOST_WORK = { jacobian: 5e11, tuned: 1e11 }
/** Number of texts after which `rest` lets other requests use the model. */
const TURN = 6

/** True if a lens of the model can be fitted while a reader waits. @param {Model} model @param {'jacobian' | 'tuned'} kind */
export function canFit({ stacks: { decoder }, config }, kind) {
  const { layers = 0, numHeads: heads = 0, headDim = 0 } = decoder ?? {}
  const d = heads * headDim
  const parameters = 12 * layers * d * d // approximate parameter count of the layers
  const { count, passes = 1 } = FITS[kind]
  const ofToken =
    kind === 'jacobian' ? 3 * d * parameters : parameters + 3 * layers * d * Number(config.vocab_size ?? 0)
  return layers > 1 && count * passes * TOKENS * ofToken <= MOST_WORK[kind]
}

/** Generates texts from the start token, each with another seed. @param {Model} model @param {{ count: number, passes?: number }} fit @param {Watch} watch */
async function ownTexts(model, { count, passes = 1 }, { signal, rest, onProgress }) {
  const start = [model.config.bos_token_id].flat().find(id => typeof id === 'number') ?? 0
  const most = Math.min(TOKENS, model.stacks.decoder?.rope?.most ?? TOKENS, Number(model.config.n_positions ?? TOKENS))
  /** @type {number[][]} */
  const texts = []
  for (let seed = 0; seed < count; seed++) {
    onProgress({ done: 0, total: count * passes })
    if (seed % TURN === TURN - 1) await rest()
    const ids = [start]
    const steps = model.generate(ids, {
      maxNewTokens: most - 1,
      temperature: 1,
      numBeams: 1,
      seed,
      signal,
      stopIds: [],
    })
    for await (const { id } of steps) ids.push(id)
    if (ids.length >= FITS.jacobian.first + 2) texts.push(ids)
  }
  return texts
}

/** @type {WeakMap<Model, Partial<Record<'jacobian' | 'tuned', Fit>>>} */
const begun = new WeakMap()

/** @param {Model} model @param {'jacobian' | 'tuned'} kind @param {Watch} watch */
export async function fittedLens(model, kind, watch) {
  const { first, passes } = FITS[kind]
  const fits = begun.get(model) ?? {}
  begun.set(model, fits)
  const own = fits[kind] ?? { texts: await ownTexts(model, FITS[kind], watch) }
  fits[kind] = own
  for (;;) {
    const lens = await turn(model, own, { kind, first, ...(passes && { passes }) }, watch)
    if (lens) return { lens, texts: own.texts.length }
    await watch.rest()
  }
}

/**
 * Fits the lens on up to TURN more texts. Returns the lens if these were the last texts, else undefined.
 * @param {Model} model
 * @param {Fit} own
 * @param {{ kind: 'jacobian' | 'tuned', first: number, passes?: number }} options
 * @param {Watch} watch
 */
async function turn(model, own, options, { signal, onProgress }) {
  signal.throwIfAborted()
  const stop = new AbortController()
  const cancel = () => stop.abort()
  signal.addEventListener('abort', cancel)
  let steps = 0
  try {
    return await fitLens(model, own.texts, {
      ...options,
      maxLength: TOKENS,
      resume: own.lens,
      signal: stop.signal,
      onProgress({ done, total, lens }) {
        own.lens = lens
        onProgress({ done, total })
        if (++steps === TURN && done < total) stop.abort()
      },
    })
  } catch (error) {
    signal.throwIfAborted()
    if (!stop.signal.aborted) throw error
    return undefined
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
