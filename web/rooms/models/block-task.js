// The whole model on one text: how long the residual stream is at each word, before and after each part, and how much of it each part has
// added. No DOM; loaded when it is asked for.

import { readAt } from './hooks.js'

/** @typedef {import('qkv/models').Model} Model */
/** @typedef {import('./models.js').Block} Block */
/** @typedef {import('./models.js').BlockPart} BlockPart */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */

const INSIDE = ['input', 'attention.input', 'attention.output', 'cross.input', 'cross.output', 'middle', 'mlp.output']
const KINDS = /** @type {const} */ (['attention', 'cross', 'mlp'])

/** The length of each row. @param {Numbers} x (1, L, d) */
function lengths({ data, dims }) {
  const [, L, d] = dims
  return Float32Array.from({ length: L }, (_, i) => Math.hypot(...data.subarray(i * d, (i + 1) * d)))
}

/** The sum as the model makes it, rounded to float32. @param {Numbers} x @param {Numbers} y @returns {Numbers} */
const sumOf = (x, y) => ({ data: x.data.map((value, i) => value + y.data[i]), dims: x.dims })

/** Are all numbers the same? @param {Numbers} x @param {Numbers} y */
const isSame = (x, y) => x.data.every((value, i) => Object.is(value, y.data[i]) || value === y.data[i])

/** The share of each row of a sum that one of its addends makes: its projection onto the sum, so that the shares of all addends add up to 1. @param {Numbers} part @param {Numbers} sum */
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
 * One layer: each part adds what it has computed to the stream; a family may divide the sum by its length (a norm after the sum).
 * @param {Record<string, Numbers>} seen by the place in the layer; `middle` is undefined where attention and MLP read the same stream
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
    // What follows this sum: what leaves the layer, the stream between attention and MLP, or without a norm before it what the cross-attention reads.
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
 * @param {Model} model
 * @param {import('./session-runs.js').Used} used the run, with the reader's changes
 * @param {'' | 'encoder.' | 'decoder.'} stack before the names of places
 * @param {AbortSignal} signal
 * @returns {Promise<Block>}
 */
export async function blockOf(model, { run, hooks }, stack, signal) {
  const { encoder, decoder } = model.stacks
  const own = /** @type {NonNullable<typeof decoder>} */ (stack === 'encoder.' ? encoder : (decoder ?? encoder))
  /** Places that this family does not have are found by asking. @param {readonly string[]} missing @returns {Promise<Block>} */
  async function collect(missing) {
    /** @type {Pick<Block, 'embedding' | 'norm'>} */
    const around = {}
    /** @type {Block['layers']} */
    const layers = []
    /** @type {Record<string, Numbers>} */
    let seen = {}
    const all = { ...hooks }
    const has = (/** @type {string} */ name) => !missing.includes(name)
    for (const name of /** @type {const} */ (['embedding', 'norm']).filter(has))
      readAt(all, stack + name, values => {
        around[name] = lengths(values)
      })
    for (let layer = 0; layer < own.layers; layer++) {
      const at = `${stack}layers.${layer}.`
      for (const name of INSIDE.filter(has))
        readAt(all, at + name, ({ data, dims }) => {
          seen[name] = { data: data.slice(), dims }
        })
      // What leaves the layer is read before a patch there: the layer after it says what the patch has made of it.
      const patch = all[`${at}output`]
      all[`${at}output`] = values => {
        layers[layer] = layerOf({ ...seen, output: { data: values.data.slice(), dims: values.dims } })
        seen = {}
        if (typeof patch === 'function') patch(values)
      }
    }
    try {
      await model.forward(run.input, { hooks: /** @type {any} */ (all), logits: 'none', signal })
    } catch (error) {
      const [, name] = /([\w.]+)" is no place/.exec(String(error)) ?? []
      const place = name?.replace(/^(?:encoder\.|decoder\.)?(?:layers\.0\.)?/, '')
      if (!place || !has(place)) throw error
      return collect([...missing, place])
    }
    // What an MLP reads is at no place. A family has a norm there if any of its attentions has one.
    const isPre = layers.some(({ parts }) => parts.some(part => part.isPre))
    for (const part of layers.flatMap(({ parts }) => parts)) if (part.kind !== 'attention') part.isPre = isPre
    return { isParallel: missing.includes('middle'), ...around, layers }
  }
  return collect([])
}
