// Writes HTML for a lecture page: the page in an iframe, or an element with inlined numbers of "One layer", which needs no network. Pure.

/** @import { Result } from '../rooms/layer/trace/layer-trace.js' */
/** @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Numbers */

/** Maximum number of inlined values. */
const MOST_NUMBERS = 20_000

/** Writes a tensor as a literal with six digits. @param {Numbers} tensor */
const literal = ({ data, dims }) =>
  `{ data: [${Array.from(data, x => (Number.isFinite(x) ? Number(x.toPrecision(6)) : x)).join(', ')}], dims: [${dims.join(', ')}] }`

/** Writes JSON that cannot end an HTML script. @param {unknown} value */
const json = value => JSON.stringify(value).replace(/</g, '\\u003c')

/** Writes an iframe with the page. @param {string} address with its hash, which contains embed=1 */
export const frameOf = address =>
  `<iframe src="${address.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}" width="100%" height="560" title="qkv"></iframe>`

/**
 * Writes an element with the numbers of a head; returns undefined if there are too many.
 * @param {Result} result
 * @param {number} head
 * @param {number} query query that the flow shows
 * @param {string} view
 */
export function elementOf(result, head, query, view) {
  const { queries, keys, isCross } = result.settings
  const tokens = { rowTokens: queries.tokens, columnTokens: keys.tokens }
  const { Q, K, V, scores, scaled, masked, exponentials, sums, weights, output } = result.tensors
  if (!weights) return undefined
  const isFlow = view === 'flow' && Q && K && V && scores && output
  const trace = { queries: Q, keys: K, values: V, scores, scaled, masked, exponentials, sums, weights, output }
  const used = isFlow ? Object.values(trace) : [weights]
  if (used.reduce((count, tensor) => count + (tensor?.data.length ?? 0), 0) > MOST_NUMBERS) return undefined
  const name = isFlow ? 'flow' : 'heatmap'
  const parts = isFlow
    ? [
        `trace: { ${Object.entries(trace)
          .flatMap(([part, tensor]) => (tensor ? [`${part}: ${literal(tensor)}`] : []))
          .join(', ')} }`,
        `head: ${head}, query: ${query}`,
        `queryTokens: ${json(queries.tokens)}`,
        ...(isCross ? [`keyTokens: ${json(keys.tokens)}`] : []),
      ]
    : [
        `matrix: ${literal(weights.row(head))}`,
        ...Object.entries(tokens).map(([part, list]) => `${part}: ${json(list)}`),
      ]
  return `<qkv-${name} label="Attention weights"></qkv-${name}>
<script type="module">
  import 'qkv/elements/${name}' // or the URL of dist/elements/${name}.js
  Object.assign(document.querySelector('qkv-${name}'), {
    ${parts.join(',\n    ')},
  })
</script>`
}
