// Converts the reader's changes to hooks of qkv/models. No DOM.

import { present } from '../../../shell/known.js'

/** @import { At, Change, HideChange, PatchChange, Stack, WeightChange } from '../../../attention-head/head.js' */
/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */
/** @typedef {(values: Numbers) => void} Edit changes values in place */
/** @typedef {Edit | number | 'mean'} Hook */

/**
 * Returns the stacks of a model by the names of their maps: '' for a model with one stack, else encoder, decoder and cross.
 * @param {{ stacks: import('qkv/models').Model['stacks'] }} model
 */
export function stacksOf({ stacks: { encoder, decoder } }) {
  /** @type {Partial<Record<Stack, { layers: number, numHeads: number }>>} */
  const stacks = encoder && decoder ? { encoder, decoder, cross: decoder } : { '': encoder ?? decoder }
  return stacks
}

/**
 * Returns the encoder or decoder that the maps of `stack` belong to. The maps of cross-attention belong to the decoder.
 * @param {{ stacks: import('qkv/models').Model['stacks'] }} model
 * @param {Stack} stack
 */
export const specOf = ({ stacks: { encoder, decoder } }, stack) =>
  present(stack === 'encoder' ? encoder : (decoder ?? encoder))

/**
 * Returns the parts of hook names in a layer: the prefix `at`, such as "decoder.layers.2.", and the names of the attention and its heads.
 * @param {At} at
 */
export const placeOf = ({ stack, layer }) => ({
  at: `${stack === '' ? '' : stack === 'encoder' ? 'encoder.' : 'decoder.'}layers.${layer}.`,
  attention: stack === 'cross' ? 'cross' : 'attention',
  heads: stack === 'cross' ? 'cross.heads' : 'heads',
})

/** Returns the prefix of hooks in an attention, such as "decoder.layers.2.cross.". @param {Stack} stack @param {number} layer */
export function attentionOf(stack, layer) {
  const { at, attention } = placeOf({ isOn: true, stack, layer })
  return `${at}${attention}.`
}

/** Adds a hook that reads the values of a place, after the reader's change to them. @param {Record<string, Hook>} hooks receives the new hook @param {string} place @param {Edit} read */
export function readAt(hooks, place, read) {
  const change = hooks[place]
  hooks[place] = values => {
    if (typeof change === 'function') change(values)
    read(values)
  }
}

/**
 * Returns the position of the query in the first row of the weights. With a KV cache, earlier queries belong to previous calls.
 * @param {readonly number[]} dims (batch, heads, L queries, S keys)
 * @param {Stack} stack
 */
const pastOf = ([, , L, S], stack) => (stack === 'cross' ? 0 : S - L)

/** @param {readonly HideChange[]} cells @returns {Edit} */
const hiding =
  cells =>
  ({ data, dims }) => {
    const [, H, L, S] = dims
    for (const { stack, head, query, key } of cells) {
      const row = query - pastOf(dims, stack)
      if (head < H && row >= 0 && row < L && key < S) data[(head * L + row) * S + key] = -Infinity
    }
  }

/**
 * Sets the weights `held` in a row, and rescales the other weights so that the row sums to 1. If the held weights sum to 1 or more, or all
 * others are 0, the others become 0 and the held weights are rescaled.
 * @param {Float32Array} row changed in place
 * @param {readonly { key: number, value: number }[]} held
 */
export function setRow(row, held) {
  const sum = (/** @type {(value: number, key: number) => number} */ of) =>
    row.reduce((total, value, key) => total + of(value, key), 0)
  const own = new Map(held.filter(({ key }) => key < row.length).map(({ key, value }) => [key, value]))
  const taken = [...own.values()].reduce((a, b) => a + b, 0)
  const rest = sum((value, key) => (own.has(key) ? 0 : value))
  const isFull = taken >= 1 || rest === 0
  for (let key = 0; key < row.length; key++) {
    const value = own.get(key)
    if (isFull) row[key] = value === undefined || taken === 0 ? 0 : value / taken
    else row[key] = value ?? (row[key] * (1 - taken)) / rest
  }
}

/** @param {readonly WeightChange[]} cells @returns {Edit} */
const setting =
  cells =>
  ({ data, dims }) => {
    const [, H, L, S] = dims
    /** @type {Map<string, WeightChange[]>} */
    const rows = new Map()
    for (const cell of cells) {
      const name = `${cell.head} ${cell.query}`
      rows.set(name, [...(rows.get(name) ?? []), cell])
    }
    for (const held of rows.values()) {
      const [{ stack, head, query }] = held
      const row = query - pastOf(dims, stack)
      const start = (head * L + row) * S
      if (head < H && row >= 0 && row < L) setRow(data.subarray(start, start + S), held)
    }
  }

/**
 * Returns a hook that copies rows of a layer's output from the run on the second text.
 * @param {readonly PatchChange[]} places
 * @param {(layer: number, stack: Stack) => Numbers} other returns the layer's output on the second text
 * @returns {Edit}
 */
const patching =
  (places, other) =>
  ({ data, dims }) => {
    const width = dims[dims.length - 1]
    for (const { position, layer, stack } of places) {
      const from = other(layer, stack)
      const rows = Math.min(data.length, from.data.length) / width
      for (let row = position ?? 0; row < (position === null ? rows : Math.min(rows, position + 1)); row++)
        data.set(from.data.subarray(row * width, (row + 1) * width), row * width)
    }
  }

/** @template T @template {string} K @param {readonly T[]} list @param {(item: T) => K} key */
export function groups(list, key) {
  /** @type {Map<K, T[]>} */
  const found = new Map()
  for (const item of list) found.set(key(item), [...(found.get(key(item)) ?? []), item])
  return found
}

/**
 * Builds the hooks of the changes that are switched on.
 * @param {readonly Change[]} changes
 * @param {(layer: number, stack: Stack) => Numbers} other returns a layer's output on the second text, for patches
 * @returns {Record<string, Hook>}
 */
export function hooksOf(changes, other) {
  /** @type {Record<string, Hook>} */
  const hooks = {}
  const on = changes.filter(({ isOn }) => isOn)
  const heads = on.filter(change => change.kind === 'head')
  for (const change of heads) hooks[`${placeOf(change).at}${placeOf(change).heads}.${change.head}`] = change.how
  /** @type {(kind: Change['kind'], place: (change: Change) => string, make: (cells: any[]) => Edit) => void} */
  const put = (kind, place, make) => {
    for (const [name, cells] of groups(
      on.filter(change => change.kind === kind),
      place,
    ))
      hooks[name] = make(cells)
  }
  put('hide', ({ stack, layer }) => `${attentionOf(stack, layer)}scores`, hiding)
  put('weight', ({ stack, layer }) => `${attentionOf(stack, layer)}weights`, setting)
  put(
    'patch',
    change => `${placeOf(change).at}output`,
    cells => patching(cells, other),
  )
  return hooks
}
