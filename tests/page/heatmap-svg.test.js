// Tests in plain Node that a heat map is drawn as SVG from data alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heatmapSVG } from '../../web/elements/heatmap.js'

const matrix = { data: [1, 0, 0.5, 0.5], dims: [2, 2] }
/** Returns the texts in an SVG with their x coordinates, and the SVG's width. @param {string} svg */
function read(svg) {
  const texts = [...svg.matchAll(/<text x="([\d.-]+)"[^>]*>([^<]*)<\/text>/g)].map(([, x, text]) => ({
    x: Number(x),
    text,
  }))
  return { texts, width: Number(/<svg [^>]*width="(\d+)"/.exec(svg)?.[1]) }
}

test('there is no DOM, and the picture has cells, numbers, labels and titles', async () => {
  assert.equal(globalThis.document, undefined)
  const svg = await heatmapSVG({ matrix, rowTokens: ['a', '<b>'], columnTokens: ['c', 'd'], label: 'Weights & more' })
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]*<\/svg>$/)
  assert.match(svg, /<title>Weights &amp; more<\/title>/)
  const texts = read(svg).texts.map(({ text }) => text)
  for (const text of ['a', '&lt;b&gt;', 'c', 'd', '← queries', 'keys →', '1.0000', '0.0000', '0.5000'])
    assert.ok(texts.includes(text), `${text} in ${texts}`)
})

test('numbers, colours and words are the requested ones; a hidden cell is hatched', async () => {
  const svg = await heatmapSVG({
    matrix,
    minus: { data: [0, 0, 0, 1], dims: [2, 2] },
    mask: { data: [true, false, true, true], dims: [2, 2] },
    decimals: 1,
    rowTitle: '',
    columnTitle: 'words',
    isDark: true,
    texts: { hidden: 'unseen' },
  })
  const texts = read(svg).texts.map(({ text }) => text)
  assert.ok(texts.includes('words →') && texts.includes('−0.5') && !texts.includes('← queries'), texts.join())
  assert.match(svg, /url\(#hatch-/)
  assert.notEqual(svg, await heatmapSVG({ matrix }))
})

test('the ends of a legend are whole, however long they are', async () => {
  for (const value of [1, -12345678, 1.2345e-30, 1e300]) {
    const { texts, width } = read(await heatmapSVG({ matrix: { data: [value], dims: [1, 1] }, scale: 'diverging' }))
    const end = texts[texts.length - 1]
    assert.ok(end.x + end.text.length * 8 <= width, `${end.text} at ${end.x} of ${width}`)
  }
})

test('more cells than a page draws one by one are shapes, too', async () => {
  const svg = await heatmapSVG({ matrix: { data: new Float32Array(90 * 90).fill(0.5), dims: [90, 90] } })
  assert.ok((svg.match(/<rect /g)?.length ?? 0) > 8100)
})

test('an invalid tensor is an error that names the fault', async () => {
  await assert.rejects(
    heatmapSVG({ matrix: { data: [1], dims: [1] } }),
    /^TypeError: heatmapSVG: Expected 2 axes, got dims \(1\)/,
  )
  await assert.rejects(heatmapSVG(/** @type {any} */ ({})), /^TypeError: heatmapSVG: /)
})
