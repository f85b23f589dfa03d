// Computes eigenvalues by Householder reduction to Hessenberg form and QR steps with Wilkinson shifts.

/**
 * Computes the eigenvalues of a real square matrix.
 * @param {ArrayLike<number>} matrix (n, n), row by row
 * @param {number} n
 * @returns {{ re: Float64Array, im: Float64Array }}
 */
export function eigenvalues(matrix, n) {
  if (!Array.from(matrix).every(Number.isFinite))
    throw new RangeError('eigenvalues: expected finite numbers, got a matrix with NaN or infinity')
  const re = hessenberg(Float64Array.from(matrix), n)
  const im = new Float64Array(n * n)
  let hi = n - 1
  for (let steps = 0; hi > 0; steps++) {
    // Find lo such that rows lo to hi form an unreduced block.
    let lo = hi
    for (; lo > 0; lo--) {
      const at = lo * n + lo - 1
      const size = Math.hypot(re[at], im[at])
      const around = sizeAt(re, im, at - n) + sizeAt(re, im, at + 1)
      if (!(size > Number.EPSILON * around)) break
    }
    if (lo > 0) re[lo * n + lo - 1] = im[lo * n + lo - 1] = 0
    if (lo === hi) {
      hi--
      steps = -1
      continue
    }
    if (steps > 300) throw new Error('eigenvalues: no convergence after 300 QR steps')
    const shift = steps % 10 === 9 ? { re: re[hi * n + hi - 1] + re[hi * n + hi], im: 0 } : wilkinson(re, im, hi, n)
    stepQR(re, im, lo, hi, n, shift)
  }
  const diagonal = (/** @type {Float64Array} */ x) => Float64Array.from({ length: n }, (_, i) => x[i * n + i])
  return { re: diagonal(re), im: diagonal(im) }
}

/** @param {Float64Array} re @param {Float64Array} im @param {number} at */
const sizeAt = (re, im, at) => Math.abs(re[at]) + Math.abs(im[at])

/** Reduces a matrix to Hessenberg form by Householder reflections. @param {Float64Array} a in place @param {number} n */
function hessenberg(a, n) {
  const v = new Float64Array(n)
  for (let k = 0; k < n - 2; k++) {
    let norm = 0
    for (let i = k + 1; i < n; i++) norm += a[i * n + k] ** 2
    norm = Math.sqrt(norm)
    if (norm === 0) continue
    v.fill(0)
    for (let i = k + 1; i < n; i++) v[i] = a[i * n + k]
    v[k + 1] += v[k + 1] < 0 ? -norm : norm
    let square = 0
    for (let i = k + 1; i < n; i++) square += v[i] ** 2
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let i = k + 1; i < n; i++) sum += v[i] * a[i * n + j]
      for (let i = k + 1; i < n; i++) a[i * n + j] -= (2 * sum * v[i]) / square
    }
    for (let i = 0; i < n; i++) {
      let sum = 0
      for (let j = k + 1; j < n; j++) sum += a[i * n + j] * v[j]
      for (let j = k + 1; j < n; j++) a[i * n + j] -= (2 * sum * v[j]) / square
    }
    for (let i = k + 2; i < n; i++) a[i * n + k] = 0
  }
  return a
}

/** Returns the square root of a complex number. @param {number} re @param {number} im */
function root(re, im) {
  const size = Math.hypot(re, im)
  const real = Math.sqrt((size + Math.abs(re)) / 2)
  if (real === 0) return { re: 0, im: 0 }
  return re >= 0 ? { re: real, im: im / (2 * real) } : { re: Math.abs(im) / (2 * real), im: im < 0 ? -real : real }
}

/**
 * Returns the Wilkinson shift: the eigenvalue of the last 2 x 2 block that is closer to its last entry.
 * @param {Float64Array} re
 * @param {Float64Array} im
 * @param {number} hi
 * @param {number} n
 */
function wilkinson(re, im, hi, n) {
  const d = hi * n + hi
  const [a, b, c] = [d - n - 1, d - n, d - 1]
  const half = { re: (re[a] - re[d]) / 2, im: (im[a] - im[d]) / 2 }
  const bc = { re: re[b] * re[c] - im[b] * im[c], im: re[b] * im[c] + im[b] * re[c] }
  const s = root(half.re ** 2 - half.im ** 2 + bc.re, 2 * half.re * half.im + bc.im)
  const sign = half.re * s.re + half.im * s.im < 0 ? 1 : -1 // the smaller of half + s and half - s
  return { re: re[d] + half.re + sign * s.re, im: im[d] + half.im + sign * s.im }
}

/**
 * Does one QR step on rows and columns lo to hi of the matrix H = re + i im: factors H - shift = Q R, then sets H = R Q + shift.
 * @param {Float64Array} re
 * @param {Float64Array} im
 * @param {number} lo
 * @param {number} hi
 * @param {number} n
 * @param {{ re: number, im: number }} shift
 */
function stepQR(re, im, lo, hi, n, shift) {
  for (let i = lo; i <= hi; i++) {
    re[i * n + i] -= shift.re
    im[i * n + i] -= shift.im
  }
  /** The Givens rotation of rows k and k + 1 for each k: [c, s; -conj(s), c]. */
  const turns = []
  for (let k = lo; k < hi; k++) {
    const [x, y] = [k * n + k, (k + 1) * n + k]
    const size = Math.hypot(re[x], im[x], re[y], im[y])
    const first = Math.hypot(re[x], im[x])
    // With x and y the numbers of column k in these rows: c = |x| / size, s = x / |x| conj(y) / size.
    const [pr, pi] = first === 0 ? [1, 0] : [re[x] / first, im[x] / first]
    const c = size === 0 ? 1 : first / size
    const sr = size === 0 ? 0 : (pr * re[y] + pi * im[y]) / size
    const si = size === 0 ? 0 : (pi * re[y] - pr * im[y]) / size
    turns.push({ c, sr, si })
    for (let j = k; j <= hi; j++) {
      const [u, w] = [k * n + j, (k + 1) * n + j]
      const [ur, ui, wr, wi] = [re[u], im[u], re[w], im[w]]
      re[u] = c * ur + sr * wr - si * wi
      im[u] = c * ui + sr * wi + si * wr
      re[w] = c * wr - (sr * ur + si * ui)
      im[w] = c * wi - (sr * ui - si * ur)
    }
  }
  for (const [t, { c, sr, si }] of turns.entries()) {
    const k = lo + t
    for (let i = lo; i <= Math.min(k + 1, hi); i++) {
      const [u, w] = [i * n + k, i * n + k + 1]
      const [ur, ui, wr, wi] = [re[u], im[u], re[w], im[w]]
      // columns u and w times the conjugate transpose of the rotation: u c + w conj(s), -u s + w c
      re[u] = c * ur + sr * wr + si * wi
      im[u] = c * ui + sr * wi - si * wr
      re[w] = c * wr - (sr * ur - si * ui)
      im[w] = c * wi - (sr * ui + si * ur)
    }
  }
  for (let i = lo; i <= hi; i++) {
    re[i * n + i] += shift.re
    im[i * n + i] += shift.im
  }
}
