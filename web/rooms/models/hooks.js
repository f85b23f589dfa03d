// What the reader changes in a running model, as data: written into a link, and turned into the hooks of qkv/models. No DOM.

/** @typedef {'' | 'encoder' | 'decoder' | 'cross'} Stack '' is the stack of a model with one; cross: the decoder's look at the encoder */

/**
 * - head: the output of a head is multiplied by `how`, or replaced by its mean over the positions
 * - hide: a key is hidden from a query
 * - weight: an attention weight is set; the others of its row share the rest in their old proportions
 * - patch: the output of a layer is taken from the second text, at one position or at all
 * @typedef {{ isOn: boolean, stack: Stack, layer: number }} At
 * @typedef {At & { kind: 'head', head: number, how: number | 'mean' }} HeadChange
 * @typedef {At & { kind: 'hide', head: number, query: number, key: number }} HideChange
 * @typedef {At & { kind: 'weight', head: number, query: number, key: number, value: number }} WeightChange
 * @typedef {At & { kind: 'patch', position: number | null }} PatchChange
 * @typedef {HeadChange | HideChange | WeightChange | PatchChange} Change
 */

/** @typedef {{ data: Float32Array, dims: readonly number[] }} Numbers */
/** @typedef {(values: Numbers) => void} Edit changes the numbers where they stand */
/** @typedef {Edit | number | 'mean'} Hook */

/** @type {Record<string, Stack>} */
const STACKS = { '': '', e: 'encoder', d: 'decoder', c: 'cross' }
const letterOf = (/** @type {Stack} */ stack) => stack.slice(0, 1)
const MOST = 2000

/** "e2.1": people count from 1. @param {At & { head?: number }} at */
const nameOf = ({ stack, layer, head }) => `${letterOf(stack)}${layer + 1}${head === undefined ? '' : `.${head + 1}`}`

/** @param {Change} change */
function write(change) {
  const at = `${change.isOn ? '' : '~'}${nameOf(change)}`
  if (change.kind === 'head') return `${at}=${change.how}`
  if (change.kind === 'patch') return `${at}:${change.position === null ? '*' : change.position + 1}=patch`
  const pair = `${at}:${change.query + 1}>${change.key + 1}`
  return change.kind === 'hide' ? `${pair}=hide` : `${pair}=${change.value}`
}

/** @param {readonly Change[]} changes */
export const writeChanges = changes => changes.map(write).join(' ')

/** @param {string} text @returns {Change | undefined} */
function read(text) {
  const found = /^(~?)([edc]?)(\d{1,4})(?:\.(\d{1,4}))?(?::(?:(\d{1,6})>(\d{1,6})|(\d{1,6}|\*)))?=(.+)$/.exec(text)
  if (!found) return undefined
  const [, off, letter, layer, head, query, key, position, what] = found
  const at = { isOn: off === '', stack: STACKS[letter], layer: Number(layer) - 1 }
  const number = Number(what)
  const isNumber = Number.isFinite(number) && Math.abs(number) <= 1000
  if (at.layer < 0 || Number(head ?? 1) < 1 || Number(query ?? 1) < 1 || Number(key ?? 1) < 1) return undefined
  if (position !== undefined) {
    if (what !== 'patch' || head !== undefined || position === '0') return undefined
    return { ...at, kind: 'patch', position: position === '*' ? null : Number(position) - 1 }
  }
  if (head === undefined) return undefined
  const own = { ...at, head: Number(head) - 1 }
  if (query === undefined) {
    if (what !== 'mean' && !isNumber) return undefined
    return { ...own, kind: 'head', how: what === 'mean' ? 'mean' : number }
  }
  const pair = { ...own, query: Number(query) - 1, key: Number(key) - 1 }
  if (what === 'hide') return { ...pair, kind: 'hide' }
  return isNumber && number >= 0 && number <= 1 ? { ...pair, kind: 'weight', value: number } : undefined
}

/** The changes of a link; invalid ones are left out. @param {string} text @returns {Change[]} */
export const readChanges = text =>
  text
    .split(' ')
    .slice(0, MOST)
    .flatMap(each => read(each) ?? [])

/** Do both change the same place? @param {Change} a @param {Change} b */
export function isSamePlace(a, b) {
  const place = (/** @type {Change} */ { stack, layer, ...rest }) =>
    [
      ...[stack, layer, 'head' in rest ? rest.head : '', 'query' in rest ? `${rest.query}>${rest.key}` : ''],
      ...['position' in rest ? rest.position : '', 'position' in rest],
    ].join()
  return place(a) === place(b)
}

/** Adds a change in the place of one at the same place, in the model's order. @param {readonly Change[]} changes @param {Change} change */
export const withChange = (changes, change) =>
  [...changes.filter(other => !isSamePlace(other, change)), change].sort(
    (a, b) => orderOf(a) - orderOf(b) || write(a).localeCompare(write(b), 'en', { numeric: true }),
  )

const STACK_ORDER = ['', 'encoder', 'decoder', 'cross']
const orderOf = (/** @type {Change} */ { stack, layer }) =>
  (stack === 'encoder' ? 0 : 10_000) + layer * 4 + STACK_ORDER.indexOf(stack)

/** Does a model have the place? @param {Change} change @param {Partial<Record<Stack, { layers: number, heads: number }>>} stacks */
export function isIn(change, stacks) {
  const own = stacks[change.stack]
  return own !== undefined && change.layer < own.layers && (!('head' in change) || change.head < own.heads)
}

/** Where the hooks of a stack stand: "decoder.layers.2." and what its attention is called there. @param {At} at */
export const placeOf = ({ stack, layer }) => ({
  at: `${stack === '' ? '' : stack === 'encoder' ? 'encoder.' : 'decoder.'}layers.${layer}.`,
  attention: stack === 'cross' ? 'cross' : 'attention',
  heads: stack === 'cross' ? 'cross.heads' : 'heads',
})

/**
 * The position among all of a row of the weights: with a cache the first rows are those of earlier calls.
 * @param {readonly number[]} dims (B, H, L, S)
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
 * Weights set by hand keep their value, the others of the row share the rest in their old proportions.
 * @param {Float32Array} row changed where it stands
 * @param {readonly { key: number, value: number }[]} held
 */
export function setRow(row, held) {
  const sum = (/** @type {(value: number, key: number) => number} */ of) =>
    row.reduce((total, value, key) => total + of(value, key), 0)
  const own = new Map(held.filter(({ key }) => key < row.length).map(({ key, value }) => [key, value]))
  const taken = [...own.values()].reduce((a, b) => a + b, 0)
  const rest = sum((value, key) => (own.has(key) ? 0 : value))
  const isFull = taken >= 1 || rest === 0 // no other weight can take the rest: the set weights share it
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

/** @param {readonly PatchChange[]} places @param {(layer: number, stack: Stack) => Numbers} other the output of the layer on the second text @returns {Edit} */
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
function groups(list, key) {
  /** @type {Map<K, T[]>} */
  const found = new Map()
  for (const item of list) found.set(key(item), [...(found.get(key(item)) ?? []), item])
  return found
}

/**
 * The hooks that make the changes which are switched on.
 * @param {readonly Change[]} changes
 * @param {(layer: number, stack: Stack) => Numbers} other for patches
 * @returns {Record<string, Hook>}
 */
export function hooksOf(changes, other) {
  /** @type {Record<string, Hook>} */
  const hooks = {}
  const on = changes.filter(({ isOn }) => isOn)
  const heads = /** @type {HeadChange[]} */ (on.filter(({ kind }) => kind === 'head'))
  for (const change of heads) hooks[`${placeOf(change).at}${placeOf(change).heads}.${change.head}`] = change.how
  /** @type {(kind: Change['kind'], place: (change: Change) => string, make: (cells: any[]) => Edit) => void} */
  const put = (kind, place, make) => {
    for (const [name, cells] of groups(
      on.filter(change => change.kind === kind),
      place,
    ))
      hooks[name] = make(cells)
  }
  put('hide', change => `${placeOf(change).at}${placeOf(change).attention}.scores`, hiding)
  put('weight', change => `${placeOf(change).at}${placeOf(change).attention}.weights`, setting)
  put(
    'patch',
    change => `${placeOf(change).at}output`,
    cells => patching(cells, other),
  )
  return hooks
}
