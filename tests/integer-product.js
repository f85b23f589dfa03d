// The products of weights of int8 as the kernels round them, in plain JavaScript.

export const f = Math.fround

/**
 * Quantises a row of x as the integer kernels do, to whole numbers with a scale for each block of 256.
 * @param {Float32Array} row
 * @param {number} [most] the largest whole number: of int16, or 127
 */
export function wholeNumbers(row, most = 32767) {
  const q = new Float64Array(row.length)
  const steps = Array.from({ length: Math.ceil(row.length / 256) }, (_, b) => {
    const block = row.subarray(b * 256, b * 256 + 256)
    const largest = block.reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    const inverse = f(most / largest)
    block.forEach((value, i) => {
      q[b * 256 + i] = largest && f(f(f(value * inverse) + 12582912) - 12582912) // rounds to nearest, ties to even
    })
    return largest < 1e-33 ? 0 : f(largest / most)
  })
  return { q, steps }
}

/**
 * Multiplies rows of x by whole numbers w (N, K), with the roundings of the kernel. x is quantised in blocks of 256, the sums of
 * a block are exact, and everything else is float32.
 * @param {Float32Array} x (M, K)
 * @param {Int8Array} w
 * @param {Float32Array} scales (N)
 * @param {Float32Array} bias (N)
 * @param {number} [most] the largest whole number of x
 */
export function integerProduct(x, w, scales, bias, most) {
  const [N, K] = [scales.length, w.length / scales.length]
  const y = new Float32Array((x.length / K) * N)
  for (let m = 0; m < x.length / K; m++) {
    const { q, steps } = wholeNumbers(x.subarray(m * K, (m + 1) * K), most)
    for (let n = 0; n < N; n++) {
      let sum = bias[n]
      steps.forEach((step, b) => {
        let whole = 0
        for (let k = b * 256; k < Math.min(K, b * 256 + 256); k++) whole += q[k] * w[n * K + k]
        sum = f(sum + f(f(scales[n] * step) * f(whole)))
      })
      y[m * N + n] = sum
    }
  }
  return y
}
