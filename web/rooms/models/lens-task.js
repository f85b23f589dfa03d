// What each layer says at each word, through the logit lens or a Jacobian lens. No DOM; loaded when it is asked for.

import { fitLens, lensAttribution, readout } from 'qkv/interpret'
import { tokenText } from './read-text.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./models.js').LensGrid} LensGrid */

/** Words of a state that are named, and parts that wrote one. */
const TOP = 10
const WRITERS = 8
/** A lens is fitted on texts that the model writes itself: how many, of how many tokens, and the first position that counts. */
const [TEXTS, TOKENS, FIRST] = [12, 48, 4]
/** Multiplications that fitting may take: some ten seconds on a thread. */
const MOST_WORK = 5e11

/** @type {WeakMap<Model, { lens: import('qkv/interpret').Lens, count: number }>} */
const fitted = new WeakMap()

/** True if a lens of the model can be fitted while a reader waits. @param {Model} model */
function isSmall({ stacks: { decoder } }) {
  const { layers = 0, heads = 0, headDim = 0 } = decoder ?? {}
  const d = heads * headDim
  const parameters = 12 * layers * d * d // about those of a layer's matrices
  return layers > 1 && d * TEXTS * TOKENS * parameters * 3 <= MOST_WORK
}

/** Texts that the model writes from its first token on, each with another seed. @param {Model} model @param {AbortSignal} signal */
async function ownTexts(model, signal) {
  const start = [model.config.bos_token_id].flat().find(id => typeof id === 'number') ?? 0
  const most = Math.min(TOKENS, model.stacks.decoder?.rope?.most ?? TOKENS, Number(model.config.n_positions ?? TOKENS))
  /** @type {number[][]} */
  const texts = []
  for (let seed = 0; seed < TEXTS; seed++) {
    const ids = [start]
    const steps = model.generate(ids, { maxNewTokens: most - 1, temperature: 1, seed, signal, stopIds: [] })
    for await (const { id } of steps) ids.push(id)
    if (ids.length >= FIRST + 2) texts.push(ids)
  }
  return texts
}

/**
 * The lens of a model, fitted once.
 * @param {Model} model
 * @param {{ signal: AbortSignal, onProgress: (progress: { done: number, total: number }) => void, rest: () => Promise<void> }} watch
 */
async function lensOf(model, { signal, onProgress, rest }) {
  const known = fitted.get(model)
  if (known) return known
  const texts = await ownTexts(model, signal)
  /** @type {import('qkv/interpret').Lens | undefined} */
  let lens
  for (const count of texts.keys()) {
    await rest()
    lens = await fitLens(model, texts.slice(0, count + 1), { first: FIRST, maxLength: TOKENS, resume: lens, signal })
    onProgress({ done: count + 1, total: texts.length })
  }
  const made = { lens: /** @type {import('qkv/interpret').Lens} */ (lens), count: texts.length }
  fitted.set(model, made)
  return made
}

/**
 * @param {Model} model a decoder
 * @param {import('qkv/models').ModelInput} input
 * @param {import('qkv/models').Hooks} hooks
 * @param {{ lens: 'logit' | 'jacobian', pins: readonly number[] }} asked
 * @param {Parameters<typeof lensOf>[1]} watch rest: lets others use the model
 * @returns {Promise<LensGrid>}
 */
export async function lensGrid(model, input, hooks, { lens, pins }, watch) {
  if (lens === 'jacobian' && !isSmall(model)) return { isTooLarge: true }
  const own = lens === 'jacobian' ? await lensOf(model, watch) : undefined
  const { layers, topIds, topProbabilities, ranks, ids } = await readout(model, own?.lens ?? 'logit', input, {
    topK: Math.min(TOP, Number(model.config.vocab_size)),
    tokens: pins.length ? pins : undefined,
    hooks,
    signal: watch.signal,
  })
  const named = new Set([...topIds.data, ...pins])
  return {
    isTooLarge: false,
    words: ids.map(id => tokenText(model, id)),
    layers,
    top: topIds.dims[2],
    ids: topIds.data,
    shares: topProbabilities.data,
    ranks: ranks?.data ?? new Int32Array(0),
    names: new Map(Array.from(named, id => [id, tokenText(model, id)])),
    pins: [...pins],
    fittedOn: own && { texts: own.count, tokens: TOKENS },
  }
}

/**
 * Who wrote a word that a lens reads from a state: the parts that add most to its score, or take most from it.
 * @param {Model} model
 * @param {import('qkv/models').ModelInput} input
 * @param {import('qkv/models').Hooks} hooks
 * @param {{ lens: 'logit' | 'jacobian', layer: number, position: number, token: number }} asked
 * @param {Parameters<typeof lensOf>[1]} watch
 * @returns {Promise<import('./models.js').LensWriters>}
 */
export async function lensWriters(model, input, hooks, { lens, layer, position, token }, watch) {
  const own = lens === 'jacobian' && isSmall(model) ? (await lensOf(model, watch)).lens : 'logit'
  const asked = { layer, position, tokens: [token], hooks, signal: watch.signal }
  const { logits, heads, mlps, embedding } = await lensAttribution(model, own, input, asked)
  const H = heads.dims[2]
  /** @type {import('./models.js').LensWriters['parts']} */
  const parts = [{ kind: 'embedding', layer: 0, head: 0, share: embedding.data[0] }]
  heads.data.forEach((share, n) => {
    parts.push({ kind: 'head', layer: Math.floor(n / H), head: n % H, share })
  })
  mlps.data.forEach((share, n) => {
    parts.push({ kind: 'mlp', layer: n, head: 0, share })
  })
  const shown = parts.sort((a, b) => Math.abs(b.share) - Math.abs(a.share)).slice(0, WRITERS)
  const rest = logits[0] - shown.reduce((sum, { share }) => sum + share, 0)
  return { token: tokenText(model, token), score: logits[0], parts: shown, rest }
}
