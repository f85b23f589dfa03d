// Compares the results of the build with relaxed SIMD with those of the default build.

/**
 * Hashes three kinds of results by FNV-1a: products with weights of int8 (also with x of 8 bits), products with weights of int4, and attention over a
 * cache of int8.
 * @param {import('qkv').Qkv} qkv with the kernels of integer weights
 * @param {import('qkv').Generator} g draws the inputs
 * @param {typeof import('qkv/nn').packLinear} packLinear
 * @param {typeof import('qkv/nn').kvCache} kvCache
 */
function hashOfIntegers(qkv, g, packLinear, kvCache) {
  const results = []
  for (const [M, K, N] of [
    [1, 33, 20],
    [5, 300, 70],
    [40, 257, 33],
  ]) {
    const [x, weight, bias] = [g.randn([M, K]), g.randn([N, K]), g.randn([N])]
    for (const dtype of /** @type {const} */ (['int8', 'int4']))
      for (const activations of /** @type {const} */ (['int16', 'int8', 'float32'])) {
        if (activations === 'int8' && dtype !== 'int8') continue
        const layer = packLinear(qkv, weight, bias, { dtype, activations })
        results.push(layer.forward(x))
        layer.dispose()
      }
    const cache = kvCache(qkv, { numKvHeads: 2, headDim: N, capacity: 150, dtype: 'int8' })
    cache.append(g.randn([2, 150, N]), g.randn([2, 150, N]))
    results.push(cache.attention(g.randn([4, M, N])).output, cache.keys)
    cache.dispose()
  }
  let h = 0x811c9dc5
  for (const { data } of results)
    for (const byte of new Uint8Array(data.slice().buffer)) h = Math.imul(h ^ byte, 0x01000193) >>> 0
  return h
}

/**
 * Compares the build with relaxed SIMD with the default build.
 * @param {typeof import('qkv').load} load
 * @param {typeof import('qkv/nn').packLinear} packLinear
 * @param {typeof import('qkv/nn').kvCache} kvCache
 * @returns `has`: true if the engine has relaxed SIMD; `difference`: the largest difference between the attention outputs of relaxed: 'auto' and of
 *   the default build; `isFinite`: true if 'auto' gives finite numbers; `integers`: hashOfIntegers of the default build and of 'auto'
 */
export async function relaxed(load, packLinear, kvCache) {
  const has = await load({ relaxed: true }).then(
    () => true,
    error => {
      if (error.code !== 'NO_RELAXED_SIMD') throw error
      return false
    },
  )
  const [auto, plain] = [await load({ relaxed: 'auto' }), await load()]
  const [q, k, v] = [0, 1, 2].map(seed => plain.generator(seed).randn([4, 70, 33]))
  const [got, want] = [auto, plain].map(qkv => qkv.attention(q, k, v, { causal: true }).output.data)
  const difference = want.reduce((most, x, i) => Math.max(most, Math.abs(x - got[i])), 0)
  const integers = []
  for (const relaxed of /** @type {const} */ ([false, 'auto'])) {
    const qkv = await load({ relaxed, integers: true })
    integers.push(hashOfIntegers(qkv, plain.generator(9), packLinear, kvCache))
  }
  return { has, difference, isFinite: got.every(Number.isFinite), integers }
}
