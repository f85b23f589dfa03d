/** Returns the mean and the sample standard deviation of some numbers. @param {readonly number[]} values */
export function spreadOf(values) {
  const n = values.length
  const mean = values.reduce((a, b) => a + b, 0) / n
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1))
  return { n, mean, spread: n > 1 ? spread : 0 }
}
