// Edits the reader's changes to heads, and converts them from and to the text of a link: "2.1=0 ~1.3=mean e1.2:7>3=hide". Pure.
// Each change is PLACE=VALUE. The place is [e|d|c]LAYER[.HEAD][:QUERY>KEY or :POSITION], counted from 1. The letter e stands for the
// encoder, d for the decoder, c for the decoder's cross-attention. "~" marks a change that is switched off.

/** @import { Change, HeadAt, HeadChange, HideChange, Stack } from './head.js' */

/** @type {Record<string, Stack>} */
const STACKS = { '': '', e: 'encoder', d: 'decoder', c: 'cross' }
const STACK_ORDER = Object.values(STACKS)
/** Maximum number of changes read from a link. */
const MOST_CHANGES = 2000
const LARGEST_FACTOR = 1000

/** Returns the name of a layer, such as "2" or "d2". @param {{ stack?: Stack, layer: number }} at */
export const layerName = ({ stack = '', layer }) => `${stack.slice(0, 1)}${layer + 1}`

/** Returns the name of a head, such as "2.1" or "c2.1". @param {{ stack?: Stack, layer: number, head: number }} at */
export const headName = at => `${layerName(at)}.${at.head + 1}`

/** Returns the place of a change in link notation. A list of changes has at most one change per place. @param {Change} change */
function placeName(change) {
  if (change.kind === 'patch') return `${layerName(change)}:${change.position === null ? '*' : change.position + 1}`
  if (change.kind === 'head') return headName(change)
  return `${headName(change)}:${change.query + 1}>${change.key + 1}`
}

/** @param {Change} change */
function write(change) {
  const { kind, isOn } = change
  const what = kind === 'head' ? change.how : kind === 'weight' ? change.value : kind
  return `${isOn ? '' : '~'}${placeName(change)}=${what}`
}

/** @param {readonly Change[]} changes */
export const writeChanges = changes => changes.map(write).join(' ')

const PATTERN = /^(~?)([edc]?)(\d{1,4})(?:\.(\d{1,4}))?(?::(?:(\d{1,6})>(\d{1,6})|(\d{1,6}|\*)))?=(.+)$/

/** @param {string} text @returns {Change | undefined} */
function read(text) {
  const found = PATTERN.exec(text)
  if (!found) return undefined
  const [, off, letter, layer, head, query, key, position, what] = found
  if ([layer, head, query, key, position].some(count => count !== undefined && Number(count) === 0)) return undefined
  const at = { isOn: off === '', stack: STACKS[letter], layer: Number(layer) - 1 }
  if (position !== undefined)
    return what === 'patch' && head === undefined
      ? { ...at, kind: 'patch', position: position === '*' ? null : Number(position) - 1 }
      : undefined
  if (head === undefined) return undefined
  const own = { ...at, head: Number(head) - 1 }
  const number = Number(what)
  if (query === undefined) {
    if (what === 'mean') return { ...own, kind: 'head', how: what }
    return Math.abs(number) <= LARGEST_FACTOR ? { ...own, kind: 'head', how: number } : undefined
  }
  const cell = { ...own, query: Number(query) - 1, key: Number(key) - 1 }
  if (what === 'hide') return { ...cell, kind: what }
  return number >= 0 && number <= 1 ? { ...cell, kind: 'weight', value: number } : undefined
}

/** Parses the changes of a link, one per place; invalid changes are dropped. @param {string} text @returns {Change[]} */
export function readChanges(text) {
  const found = text.split(' ', MOST_CHANGES).flatMap(each => read(each) ?? [])
  return [...new Map(found.map(change => [placeName(change), change])).values()]
}

/** True if both change the same place. @param {Change} a @param {Change} b */
export const isSamePlace = (a, b) => placeName(a) === placeName(b)

/** Returns a sort key that puts the encoder before the decoder and, in a layer, self-attention before cross-attention. @param {Change} change */
const layerOrder = ({ stack, layer }) =>
  (stack === 'encoder' ? 0 : 10_000) + layer * STACK_ORDER.length + STACK_ORDER.indexOf(stack)

/** Returns the changes in model order, with one added or replaced. @param {readonly Change[]} changes @param {Change} change */
export const withChange = (changes, change) =>
  [...withoutChange(changes, change), change].sort(
    (a, b) => layerOrder(a) - layerOrder(b) || placeName(a).localeCompare(placeName(b), 'en', { numeric: true }),
  )

/** @param {readonly Change[]} changes @param {Change} change */
export const withoutChange = (changes, change) => changes.filter(each => !isSamePlace(each, change))

/** True if the change affects this head. @param {Change} change @param {HeadAt} at */
const isOf = (change, { stack, layer, head }) =>
  change.kind !== 'patch' && change.stack === stack && change.layer === layer && change.head === head

/** Returns the change to the output of a head; undefined if there is none. @param {readonly Change[]} changes @param {HeadAt} at */
export const headChange = (changes, at) =>
  changes.find(/** @returns {each is HeadChange} */ each => each.kind === 'head' && isOf(each, at))

/** Returns the factor of a head's output, or 'mean'; 1 if no change to it is switched on. @param {readonly Change[]} changes @param {HeadAt} at */
export function factorOf(changes, at) {
  const change = headChange(changes, at)
  return change?.isOn ? change.how : 1
}

/** Returns the changes with the factor of a head set. A factor of 1 removes the change. @param {readonly Change[]} changes @param {HeadAt} at @param {number | 'mean'} how @returns {Change[]} */
export function withFactor(changes, { stack, layer, head }, how) {
  /** @type {Change} */
  const change = { kind: 'head', isOn: true, stack, layer, head, how }
  return how === 1 ? withoutChange(changes, change) : withChange(changes, change)
}

/** Returns the changes that hide keys from queries in a head, without those switched off. @param {readonly Change[]} changes @param {HeadAt} at */
export const hiddenCells = (changes, at) =>
  changes.filter(/** @returns {each is HideChange} */ each => each.kind === 'hide' && each.isOn && isOf(each, at))

/** Returns the changes with a key hidden from a query in a head, or shown again. @param {readonly Change[]} changes @param {HeadAt} at @param {number} query @param {number} key @param {boolean} isHidden @returns {Change[]} */
export function withCell(changes, { stack, layer, head }, query, key, isHidden) {
  /** @type {Change} */
  const change = { kind: 'hide', isOn: true, stack, layer, head, query, key }
  return isHidden ? withChange(changes, change) : withoutChange(changes, change)
}

/**
 * True if the model has the layer and head that the change refers to.
 * @param {Change} change
 * @param {Partial<Record<Stack, { layers: number, numHeads: number }>>} stacks
 */
export function isIn(change, stacks) {
  const own = stacks[change.stack]
  return own !== undefined && change.layer < own.layers && (change.kind === 'patch' || change.head < own.numHeads)
}

/** Groups changes into chips. The hidden cells of a head share a chip (two if some are switched off); any other change is alone. @param {readonly Change[]} changes @returns {Change[][]} */
export function groupsOf(changes) {
  /** @type {Map<string, Change[]>} */
  const groups = new Map()
  for (const change of changes) {
    const name = change.kind === 'hide' ? `hide ${headName(change)} ${change.isOn}` : placeName(change)
    const group = groups.get(name)
    if (group) group.push(change)
    else groups.set(name, [change])
  }
  return [...groups.values()]
}
