// Copies of values between arrays with arbitrary strides: what permute, slice, cat, expand and sum share.

/**
 * Values in an array: the first one at index `at`, the next one along axis n steps[n] further.
 * @typedef {{ data: Float32Array | Float64Array, at: number, steps: readonly number[] }} Strided
 */

const SHORT = 16 // runs of fewer values are copied one by one

/** The steps of values that lie in rows. @param {readonly number[]} dims */
export function stepsOf(dims) {
  let step = 1
  const steps = dims.map(() => 0)
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    steps[axis] = step
    step *= dims[axis]
  }
  return steps
}

/** The axes as [size, step of the source, step of the target]; two that are as one in both become one. @param {readonly number[]} dims @param {Strided} source @param {Strided} target */
function axesOf(dims, source, target) {
  /** @type {[size: number, from: number, to: number][]} */
  const axes = []
  for (const [n, size] of dims.entries()) {
    if (size === 1) continue
    const last = axes[axes.length - 1]
    const [from, to] = [source.steps[n], target.steps[n]]
    if (last && last[1] === from * size && last[2] === to * size) axes[axes.length - 1] = [last[0] * size, from, to]
    else axes.push([size, from, to])
  }
  return axes
}

/**
 * target = factor * source, or target += factor * source, at each index of dims.
 * @param {readonly number[]} dims
 * @param {Strided} source
 * @param {Strided} target
 * @param {{ factor?: number, accumulate?: number }} [options]
 */
export function transfer(dims, source, target, { factor = 1, accumulate = 0 } = {}) {
  if (dims.includes(0)) return
  const axes = axesOf(dims, source, target)
  const [n, from, to] = axes.pop() ?? [1, 1, 1]
  const { data: x } = source
  const { data: y } = target
  const isRun = n >= SHORT && from === 1 && to === 1 && factor === 1 && !accumulate && x === y
  const index = axes.map(() => 0)
  let { at: i } = source
  let { at: j } = target
  for (;;) {
    if (isRun) y.copyWithin(j, i, i + n)
    else if (accumulate && to === 0) {
      let sum = y[j]
      for (let k = 0; k < n; k++) sum += factor * x[i + k * from]
      y[j] = sum
    } else if (accumulate) for (let k = 0; k < n; k++) y[j + k * to] += factor * x[i + k * from]
    else for (let k = 0; k < n; k++) y[j + k * to] = factor * x[i + k * from]
    let axis = axes.length - 1
    for (; axis >= 0; axis--) {
      const [size, from, to] = axes[axis]
      i += from
      j += to
      if (++index[axis] < size) break
      index[axis] = 0
      i -= from * size
      j -= to * size
    }
    if (axis < 0) return
  }
}

/**
 * The sums of the values that fall on the same place of the target, times factor; added up in float64.
 * @param {readonly number[]} dims
 * @param {Strided} source
 * @param {readonly number[]} steps of the target, 0 along the axes that are summed up
 * @param {number} n values of the target
 * @param {Float32Array} floats
 * @param {import('../ops/operation.js').Slot} slot of the target
 * @param {number} [factor]
 */
export function sumTo(dims, source, steps, n, floats, { at, accumulate }, factor = 1) {
  const sums = new Float64Array(n)
  transfer(dims, source, { data: sums, at: 0, steps }, { accumulate: 1 })
  for (let i = 0, to = at / 4; i < n; i++, to++) floats[to] = factor * sums[i] + (accumulate ? floats[to] : 0)
}
