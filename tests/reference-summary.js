// Computes the summary of attention in plain JavaScript and float64, from the weights of reference.js.

import { attention, row } from './reference.js'

/** @import { Input } from './reference.js' */

/** @param {readonly number[]} x */
const sum = x => x.reduce((a, b) => a + b, 0)

/** @param {number} distance @param {number} bins */
const binOf = (distance, bins) => {
  const size = Math.abs(distance)
  return Math.min(bins - 1, size === 0 ? 0 : 1 + Math.floor(Math.log2(size)))
}

/**
 * Computes the fields of a summary as docs/attention.md defines them; each head is an entry of an array (B * H).
 * @param {Input} q
 * @param {Input} k
 * @param {import('./reference.js').Options} options
 * @param {{ map: readonly number[], topK: number, ids?: ArrayLike<number> }} asked
 */
export function summary(q, k, options, { map, topK, ids }) {
  const { masked, weights, sinkWeights, sees } = attention(
    q,
    k,
    { data: [], dims: [...k.dims.slice(0, -1), 0] },
    options,
  )
  const [B, H, L, S] = weights.dims
  const [R, C] = [Math.min(map[0], L), Math.min(map[1], S)]
  const bins = 2 + Math.floor(Math.log2(S || 1))
  const { pastLength = 0, sinks } = options
  return Array.from({ length: B * H }, (_, head) => {
    const [b, h] = [Math.floor(head / H), head % H]
    const rowOf = (/** @type {Input} */ x, /** @type {number} */ i) => row(x, b, h, i)
    const rows = Array.from({ length: L }, (_, i) => rowOf(weights, i))
    const positions = rows.map((_, i) => i + (typeof pastLength === 'number' ? pastLength : pastLength[b]))
    const visible = rows.map((row, i) => row.flatMap((_, j) => (sees(b, h, i, j) ? [j] : [])))

    const cells = Array.from({ length: R }, () => new Array(C).fill(0))
    const many = new Array(R).fill(0)
    rows.forEach((row, i) => {
      const r = Math.floor((i * R) / L)
      many[r]++
      for (const [j, w] of row.entries()) cells[r][Math.floor((j * C) / S)] += w
    })

    const top = rows.map((row, i) => {
      const order = [...visible[i]].sort((x, y) => row[y] - row[x] || x - y)
      return Array.from({ length: Math.min(topK, S) }, (_, n) => ({
        key: order[n] ?? -1,
        weight: n < order.length ? row[order[n]] : 0,
      }))
    })

    const sink = sinks ? sinks.data[h] : -Infinity
    const logSumExp = rows.map((_, i) => {
      const scores = [sink, ...rowOf(masked, i)]
      const most = Math.max(...scores)
      return most === -Infinity ? most : most + Math.log(sum(scores.map(s => Math.exp(s - most))))
    })
    const entropy = rows.map(row => sum(row.map(w => (w > 0 ? -w * Math.log(w) : w === 0 ? 0 : NaN))))

    const distance = new Array(bins).fill(0)
    for (const [i, row] of rows.entries())
      for (const [j, w] of row.entries()) distance[binOf(positions[i] - j, bins)] += w
    const all = sum(distance)

    /** @type {Record<string, number[]>} */
    const lists = { previous: [], first: [], duplicate: [], induction: [], entropy: [] }
    rows.forEach((row, i) => {
      const p = positions[i]
      if (visible[i].length > 1) lists.entropy.push(entropy[i] / Math.log(visible[i].length))
      if (!ids || p > 0) lists.first.push(row[0] ?? 0)
      if (ids && p > 0 && p <= S) lists.previous.push(row[p - 1])
      if (!ids || p < 0 || p >= S) return
      const tokens = ids
      const same = row.flatMap((_, j) => (j < p && tokens[j] === tokens[p] ? [j] : []))
      const after = same.map(j => j + 1).filter(j => j < p)
      if (same.length) lists.duplicate.push(sum(same.map(j => row[j])))
      if (after.length) lists.induction.push(sum(after.map(j => row[j])))
    })
    const mean = (/** @type {number[]} */ list) => (list.length ? sum(list) / list.length : 0)
    return {
      map: cells.flatMap((row, r) => row.map(x => x / many[r])),
      top: top.flat(),
      logSumExp,
      entropy,
      sinkWeight: rows.map((_, i) => sinkWeights.data[head * L + i]),
      distance: distance.map(x => (all === 0 ? 0 : x / all)),
      scores: Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, mean(list)])),
    }
  })
}
