// GPT-2 written plainly in float64: the reference for edges. The input of one reader can be changed.

import { gpt2 } from './checkpoints.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

/** The text, and with `of` the objective, of the tests of edges. */
export const ids = [5, 9, 10, 5, 9, 37]
export const of = {
  logits: [
    { position: -1, token: 7 },
    { position: 2, token: 3, weight: -0.5 },
  ],
}

/** @typedef {Float64Array[]} Rows */

/** Returns a function that runs gpt2-tiny in float64, with changes, and computes the objective. */
export async function plainGpt2() {
  /** @type {Record<string, FloatTensor>} */
  const w = {}
  for (const { name } of gpt2.describe().tensors) w[name] = await gpt2.weight(name)
  const [d, H, D, N] = [48, 4, 12, 3]
  /** Computes some columns of x W + b, with W (in, out). @param {Rows} x @param {string} name @param {number} from @param {number} columns @returns {Rows} */
  const linear = (x, name, from = 0, columns = w[`${name}.bias`].dims[0]) => {
    const { data, dims } = w[`${name}.weight`]
    return x.map(row => {
      const out = Float64Array.from(w[`${name}.bias`].data.subarray(from, from + columns))
      for (let i = 0; i < dims[0]; i++)
        for (let j = 0; j < columns; j++) out[j] += row[i] * data[i * dims[1] + from + j]
      return out
    })
  }
  /** @param {Rows} x @param {string} name @returns {Rows} */
  const norm = (x, name) =>
    x.map(row => {
      const mean = row.reduce((a, b) => a + b) / d
      const deviation = Math.sqrt(row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / d + 1e-5)
      return row.map(
        (value, c) => ((value - mean) / deviation) * w[`${name}.weight`].data[c] + w[`${name}.bias`].data[c],
      )
    })
  const gelu = (/** @type {number} */ x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))
  const sum = (/** @type {Rows} */ a, /** @type {Rows} */ b, size = 1) =>
    a.map((row, p) => row.map((value, c) => value + size * b[p][c]))
  /**
   * @param {{ key: string, delta: Rows, query?: number }} [change] `delta` is added to the input of reader `key`. With `query`, only this query sees the changed key or value.
   * @param {{ head: string, query: number, more: ArrayLike<number>, size: number }} [moved] adds `size` times `more` to the attention weights of query `query` in head `head`
   * @returns {{ value: number, written: Record<string, Rows>, weights: Record<string, Rows> }} weights: for each head, a row for each query
   */
  const run = (change, moved) => {
    /** Returns what reader `key` reads: h, plus `delta` if the change is for this reader. @param {Rows} h @param {string} key */
    const seen = (h, key) => (change?.key === key ? sum(h, change.delta) : h)
    /** @type {Record<string, Rows>} */
    const written = {}
    /** @type {Record<string, Rows>} */
    const weights = {}
    /** @type {Rows} */
    let h = ids.map((id, p) =>
      Float64Array.from({ length: d }, (_, c) => w['wte.weight'].data[id * d + c] + w['wpe.weight'].data[p * d + c]),
    )
    written.embedding = h
    for (let l = 0; l < N; l++) {
      let next = sum(
        h,
        ids.map(() => Float64Array.from(w[`h.${l}.attn.c_proj.bias`].data)),
      )
      for (let n = 0; n < H; n++) {
        const [q, ...changed] = ['q', 'k', 'v'].map((what, i) =>
          linear(norm(seen(h, `${what} ${l} ${n}`), `h.${l}.ln_1`), `h.${l}.attn.c_attn`, i * d + n * D, D),
        )
        const plain = ['k', 'v'].map((_, i) =>
          linear(norm(h, `h.${l}.ln_1`), `h.${l}.attn.c_attn`, (i + 1) * d + n * D, D),
        )
        const name = `${l} ${n}`
        weights[name] = []
        const made = q.map((row, p) => {
          const [k, v] = change?.query === undefined || change.query === p ? changed : plain
          const scores = k.slice(0, p + 1).map(key => key.reduce((s, x, i) => s + x * row[i], 0) / Math.sqrt(D))
          const most = Math.max(...scores)
          const all = scores.reduce((s, x) => s + Math.exp(x - most), 0)
          const own = Float64Array.from(scores, x => Math.exp(x - most) / all)
          weights[name].push(own)
          const isMoved = moved?.head === name && moved.query === p
          const head = new Float64Array(D)
          own.forEach((weight, j) => {
            const used = weight + (isMoved ? moved.size * moved.more[j] : 0)
            for (let i = 0; i < D; i++) head[i] += used * v[j][i]
          })
          const o = w[`h.${l}.attn.c_proj.weight`].data
          const out = new Float64Array(d)
          for (let i = 0; i < D; i++) for (let c = 0; c < d; c++) out[c] += head[i] * o[(n * D + i) * d + c]
          return out
        })
        written[`head ${l} ${n}`] = made
        next = sum(next, made)
      }
      h = next
      const inner = linear(norm(seen(h, `mlp ${l}`), `h.${l}.ln_2`), `h.${l}.mlp.c_fc`).map(row => row.map(gelu))
      written[`mlp ${l}`] = linear(inner, `h.${l}.mlp.c_proj`)
      h = sum(h, written[`mlp ${l}`])
    }
    const y = norm(seen(h, 'logits'), 'ln_f')
    const logit = (/** @type {number} */ p, /** @type {number} */ token) =>
      y[p].reduce((s, x, c) => s + x * w['wte.weight'].data[token * d + c], 0)
    return { value: logit(ids.length - 1, 7) - 0.5 * logit(2, 3), written, weights }
  }
  return run
}

export const keyOf = (/** @type {any} */ { place, kind, layer, head }) =>
  [place, kind, layer, head].filter(x => x !== undefined).join(' ')
