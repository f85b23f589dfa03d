// Hooks read, replace or scale the numbers of a running model at a named place.

import { describe, nearest, shape } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'

/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../base/tensor.js').TensorLike} TensorLike */

/**
 * A function that reads the numbers and may return others, a factor (0 ablates), 'mean' over the positions, or numbers that
 * replace them (a patch).
 * @typedef {((values: FloatTensor) => TensorLike | void) | number | 'mean' | TensorLike} Hook
 */

const PLACES = [
  'input',
  'output',
  'heads',
  'attention.output',
  'mlp.output',
  'attention.qBare',
  'attention.kBare',
  ...['input', 'q', 'k', 'v', 'scores', 'weights'].flatMap(name => [`attention.${name}`, `cross.${name}`]),
  'cross.heads',
  'cross.output',
]
/** The places that also exist for one head, with its number appended. */
const BY_HEAD = /heads$|scores$|weights$/

/**
 * @param {unknown} hooks
 * @param {{ stack: string, spec: import('./family-shapes/parts.js').StackSpec }[]} stacks
 * @returns {Record<string, Hook> | undefined} a copy: each is read once
 */
export function checkHooks(hooks, stacks) {
  if (hooks === undefined) return undefined
  if (typeof hooks !== 'object' || hooks === null || Symbol.iterator in hooks)
    throw new TypeError(`hooks: ${describe(hooks)} given, an object of hooks by place expected`)
  const copy = { ...hooks }
  for (const [name, hook] of Object.entries(copy)) {
    const match = /^((?:encoder|decoder)\.)?layers\.(0|[1-9]\d*)\.(.+?)(?:\.(0|[1-9]\d*))?$/.exec(name)
    const stack = match && stacks.find(({ stack }) => stack === (match[1] ?? ''))
    if (!match || !stack)
      throw new RangeError(
        `hooks: ${describe(name)} is no place in this model; a place is ${stacks.map(({ stack }) => `"${stack}layers.0.output"`).join(' or ')}`,
      )
    const [, , layer, place, head] = match
    const { layers, heads } = stack.spec
    const places = layers[0].some(({ kind }) => kind === 'cross')
      ? PLACES
      : PLACES.filter(one => !one.startsWith('cross'))
    if (!places.includes(place) || (head !== undefined && !BY_HEAD.test(place)))
      throw new RangeError(
        `hooks: ${describe(name)}: did you mean "${nearest(place, places)}"? Places: ${places.join(', ')}`,
      )
    for (const [given, most, what] of /** @type {const} */ ([
      [layer, layers.length, 'layers'],
      [head, heads.heads, 'heads'],
    ]))
      if (Number(given ?? 0) >= most) throw new RangeError(`hooks: ${describe(name)}: there are ${most} ${what}`)
    const isTensor = typeof hook === 'object' && hook !== null && ('data' in hook || Array.isArray(hook))
    if (typeof hook !== 'function' && typeof hook !== 'number' && hook !== 'mean' && !isTensor)
      throw new TypeError(
        `hooks: ${describe(name)}: ${describe(hook)} given; a function, a factor, "mean" or a tensor expected`,
      )
  }
  return copy
}

/**
 * @param {Record<string, Hook> | undefined} hooks
 * @param {string} name
 * @param {() => FloatTensor} values a copy of the numbers there, (B, L, ...)
 * @returns {FloatTensor | undefined} the new numbers; undefined: no hook, the numbers stay
 */
export function applyHook(hooks, name, values) {
  if (!hooks || !Object.hasOwn(hooks, name)) return undefined
  const hook = hooks[name]
  const x = values()
  if (typeof hook === 'number')
    return new Tensor(
      x.data.map(value => value * hook),
      x.dims,
    )
  if (hook === 'mean') return meanOverRows(x)
  const given = typeof hook === 'function' ? hook(x) : hook
  if (given === undefined) return x // the function may have changed it in place
  const made = toFloats(given, `hooks: ${name}`)
  if (made.data.length !== x.data.length || made.dims.some((size, axis) => size !== x.dims[axis]))
    throw new RangeError(`hooks: ${describe(name)}: dims ${shape(made.dims)} given, ${shape(x.dims)} expected`)
  return new Tensor(made.data.slice(), x.dims)
}

/** Is there a hook at a place, or at one of its heads? @param {Record<string, Hook> | undefined} hooks @param {string} name */
export const isHooked = (hooks, name) =>
  hooks !== undefined && Object.keys(hooks).some(key => key === name || key.startsWith(`${name}.`))

/**
 * Applies the hooks of a place of all heads, then those of single heads: weights (B, H, L, S), outputs (B, L, H * D).
 * @param {Record<string, Hook> | undefined} hooks
 * @param {string} name of the place; a head's place has its number appended
 * @param {FloatTensor} x
 * @param {number} H
 * @param {readonly number[]} dims of a head's part: (B, L, S), (B, L, D)
 * @returns {FloatTensor | undefined} as applyHook
 */
export function hookHeads(hooks, name, x, H, dims) {
  if (!hooks || !isHooked(hooks, name)) return undefined
  const all = applyHook(hooks, name, () => copyOf(x)) ?? copyOf(x)
  const size = dims[2] * (x.dims.length === 4 ? dims[1] : 1) // contiguous values of a head
  for (let h = 0; h < H; h++) {
    const part = applyHook(hooks, `${name}.${h}`, () => {
      const data = new Float32Array(dims[0] * dims[1] * dims[2])
      for (let n = 0; n < data.length / size; n++)
        data.set(all.data.subarray((n * H + h) * size, (n * H + h + 1) * size), n * size)
      return new Tensor(data, [...dims])
    })
    for (let n = 0; part && n < part.data.length / size; n++)
      all.data.set(part.data.subarray(n * size, (n + 1) * size), (n * H + h) * size)
  }
  return all
}

/** A copy that stays valid when the memory of x is freed. @param {FloatTensor} x */
export const copyOf = x => new Tensor(x.data.slice(), [...x.dims])

/** Each row of (B, L, D) becomes the mean of the L rows. @param {FloatTensor} x */
function meanOverRows({ data, dims }) {
  const D = dims[dims.length - 1]
  const L = dims[dims.length - 2]
  const out = new Float32Array(data.length)
  for (let start = 0; start < data.length; start += L * D)
    for (let d = 0; d < D; d++) {
      let sum = 0
      for (let i = 0; i < L; i++) sum += data[start + i * D + d]
      for (let i = 0; i < L; i++) out[start + i * D + d] = sum / L
    }
  return new Tensor(out, dims)
}
