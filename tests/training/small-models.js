// Runs two small models on a tape. models.py runs the same models in PyTorch.

/** @import { Generator } from '../../src/ops/random/generator.js' */
/** @import { Tape } from '../../src/entries/train.js' */
/** @typedef {{ numHeads: number, d: number, V: number, T: number }} Sizes */

export const INDUCTION = { numHeads: 2, d: 32, V: 32, T: 24 }
export const GPT = { numHeads: 2, d: 24, V: 17, T: 11 }

/** @param {Generator} g @param {Sizes} sizes */
export function inductionWeights(g, { d, V }) {
  const std = 1 / Math.sqrt(d)
  /** @type {Record<string, any>} */
  const state = { embed: g.normal([V, d], 0, std), unembed: g.normal([V, d], 0, std) }
  for (const l of [0, 1]) for (const name of ['q', 'k', 'v', 'o']) state[`${l}.${name}`] = g.normal([d, d], 0, std)
  return state
}

/** Runs a model of two attention layers without MLP, with RoPE. @param {Tape} t @param {Record<string, any>} p @param {any} ids @param {Sizes} sizes */
export function induction(t, p, ids, { numHeads }) {
  const rope = { numHeads, base: 100, interleaved: true }
  let h = t.embedding(ids, p.embed)
  for (const l of [0, 1]) {
    const [q, k, v] = ['q', 'k', 'v'].map(name => t.linear(h, p[`${l}.${name}`]))
    const mixed = t.attention(t.rope(q, rope), t.rope(k, rope), v, { numHeads, causal: true })
    h = t.add(h, t.linear(mixed, p[`${l}.o`]))
  }
  return t.linear(h, p.unembed)
}

/** @param {Generator} g @param {Sizes} sizes */
export function gptWeights(g, { d, V, T }) {
  const matrix = (/** @type {number} */ N, /** @type {number} */ K) => g.normal([N, K], 0, 1 / Math.sqrt(K))
  /** @type {Record<string, any>} */
  const state = { embed: g.normal([V, d], 0, 0.3), position: g.normal([T, d], 0, 0.1) }
  const norm = (/** @type {string} */ name) => {
    state[`${name}.weight`] = g.uniform([d], 0.8, 1.2)
    state[`${name}.bias`] = g.uniform([d], -0.1, 0.1)
  }
  for (const l of [0, 1]) {
    norm(`${l}.ln1`)
    norm(`${l}.ln2`)
    for (const [name, N, K] of /** @type {[string, number, number][]} */ ([
      ['qkv', 3 * d, d],
      ['o', d, d],
      ['up', 4 * d, d],
      ['down', d, 4 * d],
    ])) {
      state[`${l}.${name}`] = matrix(N, K)
      // The projection of q, k and v has no bias: the gradient of a key bias is 0, so Adam would follow its rounding errors, which differ between
      // programs.
      if (name !== 'qkv') state[`${l}.${name}.bias`] = g.uniform([N], -0.1, 0.1)
    }
  }
  norm('ln')
  return state
}

/** Runs a pre-norm transformer with MLPs, tied embeddings and dropout. @param {Tape} t @param {Record<string, any>} p @param {any} ids @param {Sizes} sizes @param {Generator} [generator] of dropout */
export function gpt(t, p, ids, { numHeads }, generator) {
  const drop = (/** @type {any} */ x) => (generator ? t.dropout(x, { p: 0.1, generator }) : x)
  const norm = (/** @type {any} */ x, /** @type {string} */ name) =>
    t.layerNorm(x, p[`${name}.weight`], p[`${name}.bias`])
  const linear = (/** @type {any} */ x, /** @type {string} */ name) => t.linear(x, p[name], p[`${name}.bias`])
  let h = drop(t.add(t.embedding(ids, p.embed), p.position))
  for (const l of [0, 1]) {
    const qkv = linear(norm(h, `${l}.ln1`), `${l}.qkv`)
    h = t.add(h, drop(linear(t.attention(qkv, undefined, undefined, { numHeads, causal: true }), `${l}.o`)))
    h = t.add(h, drop(linear(t.gelu(linear(norm(h, `${l}.ln2`), `${l}.up`)), `${l}.down`)))
  }
  return t.linear(norm(h, 'ln'), p.embed)
}
