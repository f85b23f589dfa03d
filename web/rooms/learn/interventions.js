// The reader's changes in the form that a model's attention takes.

/** @typedef {import('./transformer.js').Touch} Touch */
/** @typedef {import('../../head/cell-changes.js').Change} Change */

/**
 * @param {readonly Change[]} changes
 * @param {{ heads: number, d: number }} sizes
 * @param {readonly { L: number, S: number }[]} layers rows and columns of each attention
 * @param {(layer: number) => Float32Array} meanOf the mean output of the heads of a layer, (d)
 * @returns {Touch[]}
 */
export function touchesOf(changes, { heads, d }, layers, meanOf) {
  const size = d / heads
  return layers.map(({ L, S }, layer) => {
    /** @type {Touch} */
    const touch = {}
    for (const { head, kind, factor = 0, cells = [], isOn, layer: of } of changes) {
      if (!isOn || of !== layer) continue
      if (kind === 'hide') {
        touch.mask ??= { data: new Uint8Array(heads * L * S).fill(1), dims: [heads, L, S] }
        for (const [row, column] of cells)
          if (row < L && column < S) /** @type {Uint8Array} */ (touch.mask.data)[(head * L + row) * S + column] = 0
        continue
      }
      touch.factors ??= new Float32Array(d).fill(1)
      touch.factors.fill(factor, head * size, (head + 1) * size)
      if (kind !== 'mean') continue
      touch.added ??= new Float32Array(d)
      touch.added.set(meanOf(layer).subarray(head * size, (head + 1) * size), head * size)
    }
    return touch
  })
}
