// The build with relaxed SIMD beside the default one.

/**
 * @param {typeof import('qkv').load} load
 * @returns whether the engine has relaxed SIMD, and by how much an attention of `auto` differs from the default build's
 */
export async function relaxed(load) {
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
  return { has, difference, isFinite: got.every(Number.isFinite) }
}
