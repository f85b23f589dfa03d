// Exports the layer readout as a picture, a table and a program.

import { html, nothing } from 'lit'
import { field } from '../../../files/csv.js'
import { percent } from '../../../files/number-format.js'
import { lensProgram } from '../programs/lens.js'
import { hasLensProgram } from '../programs/pytorch.js'
import { taskOf } from '../programs/task.js'
import { alive, guesses, rankAt, rowsOf } from './numbers.js'

/** @import { Panel } from './panel.js' */
/** @import { Grid } from './numbers.js' */

/** In pixels, in the picture: width of a cell, height of a row, left margin. */
const [CELL, ROW, LEFT] = [76, 28, 64]
/** Colours of the picture in the light theme: for probabilities, and for each pinned word. */
const SHARE = '#3b8f9f'
const PINS = ['#1d5fa8', '#b35806', '#0b6b4f', '#6a3fa0']

const escaped = (/** @type {string} */ text) =>
  text.replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`).replace(/[^\P{Cc}\t\n]/gu, '')

/** Shortens a text to fit a cell. @param {string} text */
const short = text => ([...text].length > 10 ? `${[...text].slice(0, 9).join('')}…` : text)

/** @param {Grid} grid @param {{ layers: string, answer: string, vocab: number, title: string }} said */
export function gridSvg(grid, { layers, answer, vocab, title }) {
  const { words, pins } = grid
  const [width, height] = [LEFT + words.length * CELL + 8, (grid.layers.length + 1) * ROW + 36]
  const text = (/** @type {string} */ said, /** @type {number} */ x, /** @type {number} */ y, more = '') =>
    `<text x="${x}" y="${y}"${more}>${escaped(short(said))}</text>`
  const head = words.map((word, column) =>
    text(word, LEFT + (column + 0.5) * CELL, 19, ' text-anchor="middle" fill="#5f6368"'),
  )
  const rows = rowsOf(grid).flatMap((row, n) => {
    const y = (n + 1) * ROW
    const name = row === grid.layers.length - 1 ? answer : String(grid.layers[row] + 1)
    const cells = words.map((_, column) => {
      const [{ token, share, id }] = guesses(grid, row, column)
      const isAnswer = id === guesses(grid, grid.layers.length - 1, column)[0].id
      const x = LEFT + column * CELL
      const box = (
        /** @type {number} */ from,
        /** @type {number} */ w,
        /** @type {string} */ fill,
        /** @type {number} */ opacity,
      ) => {
        const size = `width="${w.toFixed(1)}" height="${ROW - 2}"`
        const look = `fill="${fill}" fill-opacity="${opacity.toFixed(3)}"`
        return `<rect x="${(x + 1 + from).toFixed(1)}" y="${y + 1}" ${size} ${look}/>`
      }
      const part = (CELL - 2) / (pins.length || 1)
      const boxes = pins.length
        ? pins.map((_, k) => box(k * part, part, PINS[k], 0.62 * alive(rankAt(grid, k, row, column), vocab) ** 2))
        : [box(0, part, SHARE, 0.65 * share)]
      const bold = isAnswer ? '' : ' font-weight="bold"'
      const word = text(token, x + CELL / 2, y + 18, ` text-anchor="middle"${bold}`)
      return `<g><title>${escaped(`${token} ${percent(share)}`)}</title>${boxes.join('')}${word}</g>`
    })
    return [text(name, LEFT - 8, y + 18, ' text-anchor="end" fill="#5f6368"'), ...cells]
  })
  const legend = pins.map((id, k) => {
    const x = LEFT + k * 2 * CELL
    const name = text(grid.names.get(id) ?? String(id), x + 16, height - 13)
    return `<rect x="${x}" y="${height - 22}" width="10" height="10" fill="${PINS[k]}"/>${name}`
  })
  const size = `width="${width}" height="${height}"`
  const look = 'font-family="system-ui, sans-serif" font-size="12" fill="#1c1d1f"'
  const ground = `<rect ${size} fill="#ffffff"/>`
  const left = text(layers, LEFT - 8, 19, ' text-anchor="end" fill="#5f6368"')
  const all = [`<title>${escaped(title)}</title>`, ground, left, ...head, ...rows, ...legend].join('')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ${size} ${look}>${all}</svg>\n`
}

/** Returns CSV with a line for each listed and each pinned word of each state; layers, positions and ranks ("place") count from 1. @param {Grid} grid */
export function gridCsv(grid) {
  const { layers, words, first, pins, names } = grid
  const lines = [['layer', 'position', 'word', 'place', 'id', 'token', 'probability']]
  for (const [row, layer] of layers.entries())
    for (const [column, word] of words.entries()) {
      const at = [String(layer + 1), String(first + column + 1), field(word)]
      const list = guesses(grid, row, column)
      for (const [k, { id, token, share }] of list.entries())
        lines.push([...at, String(k + 1), String(id), field(token), String(Number(share.toPrecision(9)))])
      for (const [n, id] of pins.entries())
        if (!list.some(each => each.id === id))
          lines.push([...at, String(rankAt(grid, n, row, column) + 1), String(id), field(names.get(id) ?? ''), ''])
    }
  return `${lines.map(line => line.join(',')).join('\r\n')}\r\n`
}

/** @param {Panel} panel */
export function lensExports({ room, l, grid, sizes }) {
  const { t, act, view, openModel, run, runBefore } = room
  if (!openModel || !run) return nothing
  const said = { layers: l('lensLayers'), answer: l('lensAnswer'), vocab: sizes.vocab, title: l('lensTable') }
  const name = 'what-each-layer-says'
  const isLogit = grid.lens === 'logit'
  const canRun = hasLensProgram(openModel.type)
  const { task, ofHub } = taskOf(room, openModel, runBefore ?? run)
  const own = {
    lens: grid.lens,
    layers: sizes.layers,
    first: grid.first,
    count: grid.words.length,
  }
  const program = canRun ? lensProgram({ ...task, ...ofHub }, own) : ''
  return html`<div class="lens-choice"><button type="button" class="tool" id="lens-svg"
    @click=${() => act.save(`${name}.svg`, gridSvg(grid, said), 'image/svg+xml')}>${l('lensSaveSvg')}</button>
      <button type="button" class="tool" id="lens-csv"
        @click=${() => act.save(`${name}.csv`, gridCsv(grid), 'text/csv')}>${l('lensSaveCsv')}</button>
      ${
        isLogit
          ? nothing
          : html`<button type="button" class="tool" id="lens-save" @click=${() => act.saveLens()}>${l('lensSaveLens')}</button>`
      }</div>
    ${
      canRun
        ? html`<p class="note">${l(isLogit ? 'lensProgramLogit' : 'lensProgram')}</p>
      <button type="button" class="tool"
        @click=${() => act.copy('lens', program)}>${t('copy')}${view.copied === 'lens' ? ' ✓' : ''}</button>
      <pre tabindex="0" id="lens-program"><code>${program}</code></pre>`
        : html`<p class="note">${l('lensNoProgram')}</p>`
    }`
}
