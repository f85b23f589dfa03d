// Copies values between arrays with arbitrary strides, for permute, slice, cat, expand and sum.

/**
 * A strided view of an array: its first value is data[at], and steps[n] is the stride of axis n.
 * @typedef {{ data: Float32Array | Float64Array, at: number, steps: readonly number[] }} Strided
 */

const SHORT = 16 // shorter runs are copied value by value

/** Returns the strides of contiguous values. @param {readonly number[]} dims */
export function stepsOf(dims) {
  let step = 1
  const steps = dims.map(() => 0)
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    steps[axis] = step
    step *= dims[axis]
  }
  return steps
}

/**
 * Returns each axis as [size, stride in source, stride in target]. Adjacent axes are merged where source and target both allow it.
 * @param {readonly number[]} dims
 * @param {Strided} source
 * @param {Strided} target
 */
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
 * Computes target = factor * source at each index of dims; with accumulate 1, target += factor * source.
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
 * Sums source values into a contiguous target. A target value becomes factor times the float64 sum of the source values that map to it.
 * With slot.accumulate, that is added to it.
 * @param {readonly number[]} dims of the source
 * @param {Strided} source
 * @param {readonly number[]} steps strides of the target, 0 along reduced axes
 * @param {number} n number of values in the target
 * @param {Float32Array} floats the module's memory
 * @param {import('../ops/operation.js').Slot} slot slot of the target
 * @param {number} [factor]
 */
export function sumTo(dims, source, steps, n, floats, { at, accumulate }, factor = 1) {
  const sums = new Float64Array(n)
  transfer(dims, source, { data: sums, at: 0, steps }, { accumulate: 1 })
  for (let i = 0, to = at / 4; i < n; i++, to++) floats[to] = factor * sums[i] + (accumulate ? floats[to] : 0)
}
