// Runs a Llama in float64. Its products round activations as llama.cpp does for the type of the weights.

import { fromFloat16, toFloat16 } from '../../../src/base/float16.js'
import { contentsOf, MADE } from './made.js'

/** @import { Random } from '../tokenizers/random-files.js' */
/** @import { Weights } from './made.js' */

const half = (/** @type {number} */ x) => fromFloat16(toFloat16(Float32Array.of(x)))[0]

/**
 * Rounded activations x. Those of Q8_1 also have the sum of each 32 values, with which the minima of weights are multiplied.
 * @typedef {{ x: number[], sums?: number[] }} Rounded
 */

/** Rounds each 32 values to -127 ... 127 times a step in float16. @param {readonly number[]} x @param {boolean} hasSums @returns {Rounded} */
function q8(x, hasSums) {
  const out = []
  const sums = []
  for (let from = 0; from < x.length; from += 32) {
    const part = x.slice(from, from + 32).map(Math.fround)
    const step = Math.fround(Math.max(...part.map(Math.abs)) / 127)
    const q = part.map(one => (step ? Math.round(one / step) : 0))
    out.push(...q.map(one => one * half(step)))
    sums.push(half(step * q.reduce((a, b) => a + b, 0)))
  }
  return { x: out, ...(hasSums && { sums }) }
}

/** Rounds each 256 values to -128 ... 127 times a step in float32, so that the value of the largest magnitude becomes -127. @param {readonly number[]} x @returns {Rounded} */
function q8k(x) {
  const out = []
  for (let from = 0; from < x.length; from += 256) {
    const part = x.slice(from, from + 256).map(Math.fround)
    const most = part.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0)
    const inverse = Math.fround(-127 / most)
    out.push(...part.map(one => (most ? Math.min(127, Math.round(inverse * one)) / inverse : 0)))
  }
  return { x: out }
}

/** Returns a function that rounds activations as llama.cpp does before it multiplies them with weights of `type` (vec_dot_type of ggml-cpu.c). @param {string} type @returns {(x: readonly number[]) => Rounded} */
export function roundingOf(type) {
  if (/_K$|XS$/.test(type)) return q8k
  return x => q8(x, type.endsWith('_1'))
}

/** Returns the minimum of each weight's block, with the names and the layout of the weights. Empty if the type has no minima. @param {string} type @param {() => Random} random */
function minimaOf(type, random) {
  const [{ rename, change }] = MADE
  /** @type {Weights} */
  const minima = new Map()
  if (!type.endsWith('_1')) return minima
  const size = type === 'Q4_1' ? 20 : 24
  for (const { name, dims, bytes, type: own } of contentsOf(MADE[0], type, random()).written) {
    if (own !== type) continue
    const halves = new Uint16Array(bytes.slice().buffer)
    const values = new Float32Array((bytes.length / size) * 32)
    for (const i of values.keys())
      values[i] = fromFloat16(halves.slice(((i >> 5) * size) / 2 + 1, ((i >> 5) * size) / 2 + 2))[0]
    const full = `${rename(name.replace(/\.weight$/, ''))}.weight`
    if (change) change(full, { values, dims }, minima)
    else minima.set(full, { values, dims })
  }
  return minima
}

/**
 * Returns the probabilities of the next token after each id, for the model MADE[0].
 * @param {Weights} weights
 * @param {any} config
 * @param {readonly number[]} ids
 * @param {{ type: string, random: () => Random }} [rounded] the type of the weights, and the random numbers that made them
 */
export function plainLlama(weights, config, ids, rounded) {
  const round = rounded ? roundingOf(rounded.type) : (/** @type {readonly number[]} */ x) => ({ x: [...x] })
  const minima = rounded ? minimaOf(rounded.type, rounded.random) : new Map()
  const of = (/** @type {string} */ name) => /** @type {Float32Array} */ (weights.get(name)?.values)
  /** Computes y = W x. @param {string} name @param {readonly number[]} given */
  const product = (name, given) => {
    const { x, sums } = /** @type {Rounded} */ (round(given))
    const w = of(name)
    const low = minima.get(name)?.values
    return Array.from({ length: w.length / x.length }, (_, n) => {
      let sum = 0
      for (let k = 0; k < x.length; k++) sum += (w[n * x.length + k] - (low ? low[n * x.length + k] : 0)) * x[k]
      for (let b = 0; low && sums && b < sums.length; b++) sum += low[n * x.length + b * 32] * sums[b]
      return sum
    })
  }
  const norm = (/** @type {readonly number[]} */ x, /** @type {string} */ name) => {
    const scale = 1 / Math.sqrt(x.reduce((sum, one) => sum + one * one, 0) / x.length + config.rms_norm_eps)
    return x.map((one, i) => one * scale * of(name)[i])
  }
  const plus = (/** @type {readonly number[]} */ a, /** @type {readonly number[]} */ b) => a.map((one, i) => one + b[i])
  const softmax = (/** @type {readonly number[]} */ x) => {
    const e = x.map(one => Math.exp(one - Math.max(...x)))
    const sum = e.reduce((a, b) => a + b)
    return e.map(one => one / sum)
  }
  const size = config.head_dim
  const turned = (/** @type {readonly number[]} */ x, /** @type {number} */ t) =>
    x.map((one, i) => {
      const [j, head] = [i % size, i - (i % size)]
      const angle = t * config.rope_theta ** ((-2 * (j % (size / 2))) / size)
      const other = j < size / 2 ? -x[head + j + size / 2] : x[head + j - size / 2]
      return one * Math.cos(angle) + other * Math.sin(angle)
    })
  const d = config.hidden_size
  let states = ids.map(id => Array.from(of('model.embed_tokens.weight').subarray(id * d, (id + 1) * d)))
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `model.layers.${layer}.`
    const normed = states.map(x => norm(x, `${at}input_layernorm.weight`))
    const project = (/** @type {string} */ which) => normed.map(x => product(`${at}self_attn.${which}_proj.weight`, x))
    const [q, k] = [project('q').map(turned), project('k').map(turned)]
    const v = project('v')
    const shared = config.num_attention_heads / config.num_key_value_heads
    const mixed = q.map((row, t) => {
      const heads = Array.from({ length: config.num_attention_heads }, (_, h) => {
        const own = Math.floor(h / shared) * size
        const scores = k
          .slice(0, t + 1)
          .map(
            key =>
              row.slice(h * size, (h + 1) * size).reduce((sum, one, i) => sum + one * key[own + i], 0) /
              Math.sqrt(size),
          )
        const weights = softmax(scores)
        return Array.from({ length: size }, (_, i) => weights.reduce((sum, one, s) => sum + one * v[s][own + i], 0))
      })
      return heads.flat()
    })
    states = states.map((x, t) => plus(x, product(`${at}self_attn.o_proj.weight`, mixed[t])))
    states = states.map(x => {
      const inner = norm(x, `${at}post_attention_layernorm.weight`)
      const up = product(`${at}mlp.up_proj.weight`, inner)
      const gate = product(`${at}mlp.gate_proj.weight`, inner)
      return plus(
        x,
        product(
          `${at}mlp.down_proj.weight`,
          gate.map((one, i) => (one / (1 + Math.exp(-one))) * up[i]),
        ),
      )
    })
  }
  return states.map(x => softmax(product('lm_head.weight', norm(x, 'model.norm.weight'))))
}
