// Hooks that read, replace or scale the numbers of a running model at a named place. Letters: B batch, L queries, S keys, H heads, D size
// of a head.

import { others } from '../../base/arguments.js'
import { describe, didYouMean, shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { Tensor } from '../../base/tensor.js'

/** @import { FloatTensor, TensorLike } from '../../base/tensor.js' */

/**
 * A hook is a factor (0 ablates), 'mean' for the mean over the positions, replacement numbers (a patch), or a function. The function
 * receives the numbers and the name of the place, and may return other numbers.
 * @typedef {((values: FloatTensor, place: string) => TensorLike | void) | number | 'mean' | TensorLike} Hook
 */

/**
 * The names of places. A star in place of the layer index means all layers; a name with an index takes precedence.
 * @typedef {'' | 'encoder.' | 'decoder.'} Prefix
 * @typedef {`${Prefix}layers.${number | '*'}`} LayerName
 * @typedef {'input' | 'middle' | 'output' | 'mlp.hidden' | 'mlp.output'} LayerPlace
 * @typedef {'q' | 'k' | 'v' | 'input' | 'output'} AttentionPlace
 * @typedef {'heads' | 'attention.scores' | 'attention.weights' | 'cross.heads' | 'cross.scores' | 'cross.weights'
 *   | 'global.scores' | 'global.weights'} HeadPlace
 * @typedef {`${Prefix}embedding` | `${Prefix}norm` | 'logits' | `${LayerName}.${LayerPlace}` | `${LayerName}.${HeadPlace}`
 *   | `${LayerName}.${HeadPlace}.${number}` | `${LayerName}.${'attention' | 'cross'}.${AttentionPlace}`
 *   | `${LayerName}.global.${'q' | 'k' | 'v'}`
 *   | `${LayerName}.attention.${'qBare' | 'kBare' | 'contentToContent' | 'contentToPosition' | 'positionToContent'}`} Place
 */

const PLACES = [
  'input',
  'middle',
  'output',
  'heads',
  'attention.output',
  'mlp.hidden',
  'mlp.output',
  'attention.qBare',
  'attention.kBare',
  'attention.contentToContent',
  'attention.contentToPosition',
  'attention.positionToContent',
  ...['input', 'q', 'k', 'v', 'scores', 'weights'].flatMap(name => [`attention.${name}`, `cross.${name}`]),
  'cross.heads',
  'cross.output',
  ...['q', 'k', 'v', 'scores', 'weights'].map(name => `global.${name}`),
]
/** Places that also exist per head, with the head's index appended. */
const BY_HEAD = /heads$|scores$|weights$/

/** The stacks of a model with the prefixes of their places. @typedef {{ stack: string, spec: import('../family-shapes/parts.js').StackSpec }[]} Stacks */

/**
 * Expands a name to its places: a single place, or one per layer for a star.
 * @param {string} name
 * @param {Stacks} stacks
 * @param {string} where
 * @returns {string[]}
 */
export function expandPlace(name, stacks, where) {
  const stackOf = (/** @type {string} */ prefix) => stacks.find(({ stack }) => stack === prefix)?.spec
  const [, edge, what] = /^(encoder\.|decoder\.)?(embedding|norm)$/.exec(name) ?? []
  if (name === 'logits' || (what && stackOf(edge ?? '')?.[what === 'norm' ? 'norm' : 'layers'])) return [name]
  const match = /^((?:encoder|decoder)\.)?layers\.(\*|0|[1-9]\d*)\.(.+?)(?:\.(0|[1-9]\d*))?$/.exec(name)
  const [, prefix = '', layer = '0', place = '', head] = match ?? []
  const spec = stackOf(prefix)
  /** @param {import('../family-shapes/parts.js').StackSpec} spec */
  const placesOf = ({ layers, parallel, disentangled, global }) =>
    PLACES.filter(
      one =>
        (disentangled || !/To(Content|Position)$/.test(one)) &&
        (global || !one.startsWith('global')) &&
        (!one.startsWith('cross') || layers[0].some(({ kind }) => kind === 'cross')) &&
        !(parallel && one === 'middle'),
    )
  if (!match || !spec || !placesOf(spec).includes(place) || (head !== undefined && !BY_HEAD.test(place))) {
    const all = stacks.flatMap(({ stack, spec }) => [
      `${stack}embedding`,
      ...(spec.norm ? [`${stack}norm`] : []),
      ...placesOf(spec).map(one => `${stack}layers.${layer}.${one}`),
    ])
    const like = head === undefined ? name : name.slice(0, -head.length - 1)
    const other = others.placeOf(name, [...all, 'logits'])
    throw new RangeError(
      `${where}: ${describe(name)} is no place in this model${other ? `; here it is "${other}".` : didYouMean(like, [...all, 'logits']) || '.'} ` +
        `Places of a layer: ${placesOf(spec ?? stacks[0].spec).join(', ')}`,
    )
  }
  /** @type {[unknown, number, string][]} */
  const indices = [
    [layer === '*' ? 0 : layer, spec.layers.length, 'layers'],
    [head, spec.heads.numHeads, 'heads'],
  ]
  for (const [given, most, what] of indices)
    if (Number(given ?? 0) >= most) throw new RangeError(`${where}: ${describe(name)}: there are ${most} ${what}`)
  return layer === '*' ? spec.layers.map((_, i) => name.replace('*', String(i))) : [name]
}

/**
 * Validates hooks.
 * @param {unknown} hooks
 * @param {Stacks} stacks
 * @returns {Record<string, Hook> | undefined} a copy, in which a star is replaced by the index of each layer. Each
 *   property of `hooks` is read only once
 */
export function checkHooks(hooks, stacks) {
  if (hooks === undefined) return undefined
  if ({}.toString.call(hooks) !== '[object Object]')
    throw new TypeError(`hooks: expected an object such as { 'layers.0.heads.1': 0 }, got ${describe(hooks)}`)
  /** @type {Record<string, Hook>} */
  const expanded = {}
  const copy = { ...hooks }
  for (const [name, hook] of Object.entries(copy)) {
    const places = expandPlace(name, stacks, 'hooks')
    const isTensor = typeof hook === 'object' && hook !== null && ('data' in hook || Array.isArray(hook))
    if (typeof hook !== 'function' && typeof hook !== 'number' && hook !== 'mean' && !isTensor)
      throw new TypeError(
        `hooks: ${describe(name)}: expected a function, a factor, "mean" or a tensor, got ${describe(hook)}`,
      )
    for (const place of places) if (place === name || !Object.hasOwn(copy, place)) expanded[place] = hook
  }
  return expanded
}

/**
 * Applies a hook.
 * @param {Record<string, Hook> | undefined} hooks
 * @param {string} name
 * @param {() => FloatTensor} values returns a copy of the numbers at the place, (B, L, ...)
 * @returns {FloatTensor | undefined} the new numbers; undefined if there is no hook
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
  const given = typeof hook === 'function' ? hook(x, name) : hook
  if (given === undefined) return x // the hook may have changed x in place
  if (given instanceof Promise)
    throw new TypeError(`hooks: ${describe(name)}: expected a function that returns at once, got a Promise`)
  const made = toFloats(given, `hooks: ${name}`)
  if (made.data.length !== x.data.length || made.dims.some((size, axis) => size !== x.dims[axis]))
    throw new RangeError(`hooks: ${describe(name)}: expected dims ${shape(x.dims)}, got ${shape(made.dims)}`)
  return new Tensor(made.data.slice(), x.dims)
}

/**
 * Returns hooks that also keep the numbers at places, after any other hooks there.
 * @param {Record<string, Hook> | undefined} hooks
 * @param {readonly string[]} places
 * @param {Record<string, FloatTensor>} kept receives copies by place
 * @returns {Record<string, Hook>}
 */
export function keepingHooks(hooks, places, kept) {
  const both = { ...hooks }
  for (const place of places) {
    both[place] = x => {
      const y = applyHook(hooks, place, () => x) ?? x
      kept[place] = copyOf(y)
      return y
    }
    // Hooks of single heads run after the hook of all heads.
    for (const name of Object.keys(hooks ?? {}))
      if (name.startsWith(`${place}.`) && BY_HEAD.test(place) && !places.includes(name)) {
        const head = Number(name.slice(place.length + 1))
        both[name] = x => {
          const y = applyHook(hooks, name, () => x) ?? x
          putHead(kept[place], y, head)
          return y
        }
      }
  }
  return both
}

/** Writes the numbers of a head, (B, L, D) or (B, L, S), into those of all heads. @param {FloatTensor} all @param {FloatTensor} part @param {number} head */
function putHead(all, { data, dims }, head) {
  const isMap = all.dims.length === 4
  const H = isMap ? all.dims[1] : all.dims[2] / dims[2]
  const size = dims[2] * (isMap ? dims[1] : 1)
  for (let n = 0; n < data.length / size; n++)
    all.data.set(data.subarray(n * size, (n + 1) * size), (n * H + head) * size)
}

/** True if there is a hook at a place, or at one of its heads. @param {Record<string, Hook> | undefined} hooks @param {string} name */
export const isHooked = (hooks, name) =>
  hooks !== undefined && Object.keys(hooks).some(key => key === name || key.startsWith(`${name}.`))

/**
 * Applies the hook of all heads, then those of single heads: to weights (B, H, L, S), or outputs (B, L, H * D).
 * @param {Record<string, Hook> | undefined} hooks
 * @param {string} name of the place; a head's place has its index appended
 * @param {FloatTensor} x
 * @param {number} H
 * @param {readonly number[]} dims of one head: (B, L, S), (B, L, D)
 * @returns {FloatTensor | undefined} like applyHook
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

/** Copies a tensor, so that it stays valid when the memory of x is freed. @param {FloatTensor} x */
export const copyOf = x => new Tensor(x.data.slice(), [...x.dims])

/** Replaces each row of (B, L, D) by the mean of the L rows. @param {FloatTensor} x */
export function meanOverRows({ data, dims }) {
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
