// Converts the reader's changes to heads into hooks of the model. The `layer` of a change is an index among all attentions of the model.

/** @import { Change } from '../../attention-head/head.js' */

/**
 * Builds the hooks.
 * @param {readonly Change[]} changes
 * @param {{ heads: number, d: number }} settings
 * @param {readonly { L: number, S: number }[]} sizes rows and columns of each attention
 * @param {() => readonly Float32Array[]} meansOf returns, for each attention, the mean output of its heads: d numbers
 * @returns {import('./transformer.js').Hooks}
 */
export function hooksOf(changes, { heads, d }, sizes, meansOf) {
  const size = d / heads
  const active = changes.filter(({ isOn }) => isOn)
  if (!active.length) return {}
  const means = active.some(change => change.kind === 'head' && change.how === 'mean') ? meansOf() : []
  const layers = sizes.map(({ L, S }, layer) => {
    /** @type {{ factors?: Float32Array, added?: Float32Array, mask?: { data: Uint8Array, dims: number[] } }} */
    const own = {}
    for (const change of active) {
      if (change.layer !== layer) continue
      if (change.kind === 'hide') {
        own.mask ??= { data: new Uint8Array(heads * L * S).fill(1), dims: [heads, L, S] }
        const { head, query, key } = change
        if (query < L && key < S) own.mask.data[(head * L + query) * S + key] = 0
      } else if (change.kind === 'head') {
        const { how } = change
        const [from, to] = [change.head * size, (change.head + 1) * size]
        own.factors ??= new Float32Array(d).fill(1)
        own.factors.fill(how === 'mean' ? 0 : how, from, to)
        if (how !== 'mean') continue
        own.added ??= new Float32Array(d)
        own.added.set(means[layer].subarray(from, to), from)
      }
    }
    return own
  })
  return {
    mask: layer => layers[layer].mask,
    output(t, layer, out) {
      const { factors, added } = layers[layer]
      const scaled = factors ? t.mul(out, { data: factors, dims: [d] }) : out
      return added ? t.add(scaled, { data: added, dims: [d] }) : scaled
    },
  }
}
