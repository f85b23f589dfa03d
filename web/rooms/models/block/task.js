// Measures the residual stream of a whole model on one text: the length of its vectors at each word before and after each part, and each
// part's share of the sum after it. No DOM; loaded on demand.

import { readAt, specOf } from '../run/hooks.js'

/** @import { Model } from 'qkv/models' */
/** @import { Block, BlockPart } from '../models.js' */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */

const INSIDE = ['input', 'attention.input', 'attention.output', 'cross.input', 'cross.output', 'middle', 'mlp.output']
/** @type {('attention' | 'cross' | 'mlp')[]} */
const KINDS = ['attention', 'cross', 'mlp']
/** @type {('embedding' | 'norm')[]} */
const AROUND = ['embedding', 'norm']

/** Returns the Euclidean length of each row. @param {Numbers} x (1, L, d): a vector of d numbers for each of L words */
function lengths({ data, dims }) {
  const [, L, d] = dims
  return Float32Array.from({ length: L }, (_, i) => Math.hypot(...data.subarray(i * d, (i + 1) * d)))
}

/** Adds two tensors as the model does, rounded to float32. @param {Numbers} x @param {Numbers} y @returns {Numbers} */
const sumOf = (x, y) => ({ data: x.data.map((value, i) => value + y.data[i]), dims: x.dims })

/** True if all numbers are equal. @param {Numbers} x @param {Numbers} y */
const isSame = (x, y) => x.data.every((value, i) => Object.is(value, y.data[i]) || value === y.data[i])

/** Returns, for each row, the share of `part` in `sum`: (part . sum) / |sum|^2. The shares of all addends add up to 1. @param {Numbers} part @param {Numbers} sum */
function shares(part, sum) {
  const [, L, d] = sum.dims
  return Float32Array.from({ length: L }, (_, i) => {
    let [along, whole] = [0, 0]
    for (let n = i * d; n < (i + 1) * d; n++) {
      along += part.data[n] * sum.data[n]
      whole += sum.data[n] ** 2
    }
    return whole > 0 ? along / whole : 0
  })
}

/**
 * Measures one layer. Each part adds its output to the stream. Families with norms after the sum normalise the stream afterwards.
 * @param {Record<string, Numbers>} seen values by their place in the layer; `middle` is undefined if attention and MLP read the same stream
 * @returns {Block['layers'][number]}
 */
function layerOf(seen) {
  let stream = seen.input
  /** @type {BlockPart[]} */
  const parts = []
  const present = KINDS.filter(kind => seen[`${kind}.output`])
  for (const [n, kind] of present.entries()) {
    const added = seen[`${kind}.output`]
    const sum = sumOf(stream, added)
    const isPre = kind === 'attention' && !isSame(seen['attention.input'], seen.input)
    // The stream that a hook recorded after this sum, by the kind of the next part; '' if this part is the last one of the layer. Before
    // cross-attention, the stream is recorded only if cross-attention reads it without a norm.
    /** @type {Record<string, Numbers | undefined>} */
    const behind = { mlp: seen.middle, cross: isPre ? undefined : seen['cross.input'], '': seen.output }
    const next = behind[present[n + 1] ?? '']
    const isPost = next !== undefined && !isSame(next, sum)
    const after = isPost ? next : sum
    parts.push({
      kind,
      isPre,
      added: lengths(added),
      share: shares(added, sum),
      sum: lengths(sum),
      ...(isPost && { after: lengths(after) }),
    })
    stream = after
  }
  return {
    input: lengths(seen.input),
    parts,
    output: lengths(stream),
  }
}

/**
 * Runs the model once and measures its residual stream.
 * @param {Model} model
 * @param {import('../run/session-runs.js').Used} used the run, including the reader's changes
 * @param {'' | 'encoder.' | 'decoder.'} stack prefix of the place names
 * @param {AbortSignal} signal
 * @returns {Promise<Block>}
 */
export async function blockOf(model, { run, hooks }, stack, signal) {
  const own = specOf(model, stack === 'encoder.' ? 'encoder' : 'decoder')
  /** Runs the model. If the family lacks a place, adds it to `missing` and runs again. @param {readonly string[]} missing @returns {Promise<Block>} */
  async function collect(missing) {
    /** @type {Pick<Block, 'embedding' | 'norm'>} */
    const around = {}
    /** @type {Block['layers']} */
    const layers = []
    /** @type {Record<string, Numbers>} */
    let seen = {}
    const all = { ...hooks }
    const has = (/** @type {string} */ name) => !missing.includes(name)
    for (const name of AROUND.filter(has))
      readAt(all, stack + name, values => {
        around[name] = lengths(values)
      })
    for (let layer = 0; layer < own.layers; layer++) {
      const at = `${stack}layers.${layer}.`
      for (const name of INSIDE.filter(has))
        readAt(all, at + name, ({ data, dims }) => {
          seen[name] = { data: data.slice(), dims }
        })
      // Record a layer's output before a patch changes it. The next layer records the patched values as its input.
      const patch = all[`${at}output`]
      all[`${at}output`] = values => {
        layers[layer] = layerOf({ ...seen, output: { data: values.data.slice(), dims: values.dims } })
        seen = {}
        if (typeof patch === 'function') patch(values)
      }
    }
    try {
      await model.forward(run.input, { hooks: all, logits: 'none', signal })
    } catch (error) {
      const [, name] = /([\w.]+)" is no place/.exec(String(error)) ?? []
      const place = name?.replace(/^(?:encoder\.|decoder\.)?(?:layers\.0\.)?/, '')
      if (!place || !has(place)) throw error
      return collect([...missing, place])
    }
    // No hook reads the input of an MLP, so infer its `isPre`: a family with a norm before any attention also has one before the MLP.
    const isPre = layers.some(({ parts }) => parts.some(part => part.isPre))
    for (const part of layers.flatMap(({ parts }) => parts)) if (part.kind !== 'attention') part.isPre = isPre
    return { isParallel: missing.includes('middle'), ...around, layers }
  }
  return collect([])
}
