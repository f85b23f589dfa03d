// What a reader changes in the heads of a model, as a list and as text, such as "2.1:off;1.2:x0.5;-1.1:mean;2.2:hide4-2_5-2"
// (a minus: switched off). Counts from 1 in texts, from 0 elsewhere. Pure.

/**
 * @typedef {object} Change
 * @property {number} layer
 * @property {number} head
 * @property {'off' | 'mean' | 'scale' | 'hide'} kind off: the head gives zeros; mean: its mean over many inputs
 * @property {number} [factor] of 'scale'
 * @property {readonly (readonly [row: number, column: number])[]} [cells] of 'hide': what the head may not see
 * @property {boolean} isOn
 */

export const MOST_FACTOR = 2
const MOST_CHANGES = 64
const MOST_CELLS = 512

/** @param {{ layer: number, head: number }} change */
export const headName = ({ layer, head }) => `${layer + 1}.${head + 1}`

/** Do both change the same thing of the same head? @param {Change} a @param {Change} b */
const isSame = (a, b) => a.layer === b.layer && a.head === b.head && (a.kind === 'hide') === (b.kind === 'hide')

/** In the model's order. @param {readonly Change[]} changes @param {Change} change @returns {Change[]} */
export function withChange(changes, change) {
  const isNothing =
    (change.kind === 'scale' && change.factor === 1) || (change.kind === 'hide' && !change.cells?.length)
  return [...changes.filter(each => !isSame(each, change)), ...(isNothing ? [] : [change])].sort(
    (a, b) => a.layer - b.layer || a.head - b.head || Number(a.kind === 'hide') - Number(b.kind === 'hide'),
  )
}

/** @param {readonly Change[]} changes @param {Change} change */
export const withoutChange = (changes, change) => changes.filter(each => !isSame(each, change))

/**
 * The change of a head's output, or of what it sees.
 * @param {readonly Change[]} changes
 * @param {number} layer
 * @param {number} head
 * @param {boolean} [isMask]
 */
export const changeOf = (changes, layer, head, isMask = false) =>
  changes.find(each => each.layer === layer && each.head === head && (each.kind === 'hide') === isMask)

/** Shows or hides one cell. @param {readonly Change[]} changes @param {{ layer: number, head: number }} head @param {number} row @param {number} column @param {boolean} isHidden */
export function paintCell(changes, { layer, head }, row, column, isHidden) {
  const before = changeOf(changes, layer, head, true)?.cells ?? []
  const others = before.filter(([r, c]) => r !== row || c !== column)
  const cells = isHidden && others.length < MOST_CELLS ? [...others, /** @type {const} */ ([row, column])] : others
  return withChange(changes, { layer, head, kind: 'hide', cells, isOn: true })
}

/** @param {readonly Change[]} changes */
export const writeChanges = changes =>
  changes
    .map(change => {
      const { kind, factor, cells = [], isOn } = change
      const what =
        kind === 'scale'
          ? `x${factor}`
          : kind === 'hide'
            ? `hide${cells.map(([r, c]) => `${r + 1}-${c + 1}`).join('_')}`
            : kind
      return `${isOn ? '' : '-'}${headName(change)}:${what}`
    })
    .join(';')

/**
 * @param {string} text from a link: what makes no sense is left out
 * @param {{ layers: number, heads: number }} sizes
 * @returns {Change[]}
 */
export function readChanges(text, { layers, heads }) {
  /** @type {Change[]} */
  let changes = []
  for (const part of text.slice(0, 8192).split(';').slice(0, MOST_CHANGES)) {
    const [, minus, l, h, what] = /^(-?)(\d{1,3})\.(\d{1,3}):(.+)$/.exec(part) ?? []
    const [layer, head, isOn] = [Number(l) - 1, Number(h) - 1, minus !== '-']
    if (!(layer >= 0 && layer < layers && head >= 0 && head < heads)) continue
    const about = { layer, head, isOn }
    const factor = /^x[\d.]+$/.test(what) ? Number(what.slice(1)) : Number.NaN
    if (what === 'off' || what === 'mean') changes = withChange(changes, { ...about, kind: what })
    else if (factor >= 0 && factor <= MOST_FACTOR) changes = withChange(changes, { ...about, kind: 'scale', factor })
    else if (what.startsWith('hide')) {
      const cells = [...what.matchAll(/(\d{1,4})-(\d{1,4})/g)].slice(0, MOST_CELLS)
      const pairs = cells.map(([, r, c]) => /** @type {const} */ ([Number(r) - 1, Number(c) - 1]))
      changes = withChange(changes, { ...about, kind: 'hide', cells: pairs.filter(([r, c]) => r >= 0 && c >= 0) })
    }
  }
  return changes
}
