// T5 written plainly in float64: the reference for edges of an encoder-decoder. The input of one reader can be changed.

/** @import { Rows } from './plain-gpt2.js' */

/**
 * Returns a function that runs a T5 in float64 and computes the objective. The T5 has two stacks, ReLU and a tied head, like t5-tiny.
 * @param {import('../../src/models/model.js').Model} model
 * @param {{ ids: number[], decoderIds: number[] }} input
 * @param {{ position: number, token: number, weight?: number }[]} terms of the objective, positions from 0
 */
export async function plainT5(model, { ids, decoderIds }, terms) {
  /** @type {Record<string, import('../../src/base/tensor.js').FloatTensor>} */
  const w = {}
  for (const { name } of model.describe().tensors) w[name] = await model.weight(name)
  const config = /** @type {Record<string, number>} */ (model.config)
  const { d_model: d, d_kv: D, num_heads: H, relative_attention_num_buckets: buckets } = config
  const depth = { encoder: config.num_layers, decoder: config.num_decoder_layers }
  /** Computes some columns of x W^T, with W (out, in). @param {Rows} x @param {string} name @param {number} [from] @param {number} [columns] @returns {Rows} */
  const linear = (x, name, from = 0, columns = w[`${name}.weight`].dims[0]) => {
    const { data, dims } = w[`${name}.weight`]
    return x.map(row =>
      Float64Array.from({ length: columns }, (_, j) =>
        row.reduce((s, value, i) => s + value * data[(from + j) * dims[1] + i], 0),
      ),
    )
  }
  /** @param {Rows} x @param {string} name @returns {Rows} */
  const norm = (x, name) =>
    x.map(row => {
      const size = Math.sqrt(row.reduce((s, value) => s + value * value, 0) / d + config.layer_norm_epsilon)
      return row.map((value, c) => (value / size) * w[`${name}.weight`].data[c])
    })
  const sum = (/** @type {Rows} */ a, /** @type {Rows} */ b) =>
    a.map((row, p) => row.map((value, c) => value + b[p][c]))
  /** Returns the bucket of a distance. @param {number} distance key minus query @param {boolean} isBoth true if later keys have separate buckets */
  const bucket = (distance, isBoth) => {
    const n = isBoth ? buckets / 2 : buckets
    const steps = isBoth ? Math.abs(distance) : Math.max(-distance, 0)
    const start = isBoth && distance > 0 ? n : 0
    if (steps < n / 2) return start + steps
    const share = Math.log(steps / (n / 2)) / Math.log(config.relative_attention_max_distance / (n / 2))
    return start + Math.min(n - 1, n / 2 + Math.floor(share * (n / 2)))
  }
  const embed = (/** @type {number[]} */ list) =>
    list.map(id => Float64Array.from(w['shared.weight'].data.subarray(id * d, (id + 1) * d)))

  /**
   * @param {{ key: string, delta: Rows, query?: number }} [change] `delta` is added to the input of reader `key`. With `query`, only this query sees the changed key or value.
   * @returns {{ value: number, written: Record<string, Rows> }}
   */
  return change => {
    /** Returns what reader `key` reads: h, plus `delta` if the change is for this reader. @param {Rows} h @param {string} key */
    const seen = (h, key) => (change?.key === key ? sum(h, change.delta) : h)
    /** @type {Record<string, Rows>} */
    const written = {}
    /** Computes what each head of an attention writes to the residual stream. @param {'encoder' | 'decoder' | 'cross'} place @param {number} l @param {string} name @param {(key: string) => Rows} ofQuery @param {(key: string) => Rows} ofKey the normalised input of a reader */
    const attend = (place, l, name, ofQuery, ofKey) =>
      Array.from({ length: H }, (_, n) => {
        const keyOf = (/** @type {string} */ what) => `${what} ${place} ${l} ${n}`
        const q = linear(ofQuery(keyOf('q')), `${name}.q`, n * D, D)
        const [changed, plain] = [keyOf, () => ''].map(key =>
          ['k', 'v'].map(what => linear(ofKey(key(what)), `${name}.${what}`, n * D, D)),
        )
        const stack = place === 'cross' ? '' : `${place}.block.0.layer.0.SelfAttention.relative_attention_bias.weight`
        const made = q.map((row, p) => {
          const [k, v] = change?.query === undefined || change.query === p ? changed : plain
          const keys = place === 'decoder' ? k.slice(0, p + 1) : k
          const scores = keys.map((key, j) => {
            const bias = stack ? w[stack].data[bucket(j - p, place === 'encoder') * H + n] : 0
            return key.reduce((s, x, i) => s + x * row[i], 0) + bias
          })
          const most = Math.max(...scores)
          const all = scores.reduce((s, x) => s + Math.exp(x - most), 0)
          const { data } = w[`${name}.o.weight`]
          return Float64Array.from({ length: d }, (_, c) =>
            scores.reduce((s, x, j) => {
              const at = c * H * D + n * D
              return s + (Math.exp(x - most) / all) * v[j].reduce((t, value, i) => t + value * data[at + i], 0)
            }, 0),
          )
        })
        written[`${place} head ${l} ${n}`] = made
        return made
      })
    /** Output of the last layer of the encoder. @type {Rows} */
    let encoded = []
    for (const stack of /** @type {const} */ (['encoder', 'decoder'])) {
      let h = embed(stack === 'encoder' ? ids : decoderIds)
      written[`${stack} embedding`] = h
      for (let l = 0; l < depth[stack]; l++) {
        const at = `${stack}.block.${l}.layer.`
        const before = h
        const own = (/** @type {string} */ key) => norm(seen(before, key), `${at}0.layer_norm`)
        for (const made of attend(stack, l, `${at}0.SelfAttention`, own, own)) h = sum(h, made)
        if (stack === 'decoder') {
          const middle = h
          const ofQuery = (/** @type {string} */ key) => norm(seen(middle, key), `${at}1.layer_norm`)
          const ofKey = (/** @type {string} */ key) => norm(seen(encoded, key), 'encoder.final_layer_norm')
          for (const made of attend('cross', l, `${at}1.EncDecAttention`, ofQuery, ofKey)) h = sum(h, made)
        }
        const mlp = `${at}${stack === 'encoder' ? 1 : 2}`
        const x = norm(seen(h, `${stack} mlp ${l}`), `${mlp}.layer_norm`)
        const inner = linear(x, `${mlp}.DenseReluDense.wi`).map(row => row.map(value => Math.max(0, value)))
        written[`${stack} mlp ${l}`] = linear(inner, `${mlp}.DenseReluDense.wo`)
        h = sum(h, written[`${stack} mlp ${l}`])
      }
      if (stack === 'encoder') encoded = h
      else encoded = norm(seen(h, 'logits'), 'decoder.final_layer_norm')
    }
    const value = terms.reduce((s, { position, token, weight = 1 }) => {
      const row = w['shared.weight'].data.subarray(token * d, (token + 1) * d)
      return s + (weight * encoded[position].reduce((t, x, c) => t + x * row[c], 0)) / Math.sqrt(d)
    }, 0)
    return { value, written }
  }
}
