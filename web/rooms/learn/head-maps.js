// The heads of the model: all of them small, the selected one large, A above B, and what can be changed.

import { html, nothing } from 'lit'
import { headChange, headName, hiddenCells, withCell } from '../../head/changes.js'
import { headSelect } from '../../head/head-switch.js'
import { TASKS } from './tasks/index.js'
import { headAt, selectedOf } from './told.js'

/** @typedef {import('./learn.js').Context} Context */
/** @typedef {import('./learn.js').RunInfo} RunInfo */
/** @typedef {import('./learn.js').Picture} Picture */
/** @typedef {import('./model-picture.js').LayerShown} LayerShown */

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)}%`
/** The least score that gets a sentence. */
const LEAST_SCORE = 0.3
/** Pixels of a small map. */
const SIDE = 120

/** @param {Context['t']} t @param {RunInfo} run @param {number} layer */
function titleOf(t, { blocks }, layer) {
  const name = t('learnLayer', { layer: layer + 1 })
  if (!blocks.includes('cross')) return name
  if (blocks[layer] === 'cross') return t('learnLayer.cross')
  const encoder = t('learnLayer.encoder')
  return blocks.length > 2 ? `${name}: ${encoder}` : encoder
}

/** The same layer of A, which may have more or fewer of them. @param {RunInfo} run @param {Picture['reference']} reference @param {number} layer */
function layerOfA({ blocks }, reference, layer) {
  const all = reference?.shown.layers ?? []
  if (!blocks.includes('cross')) return all[layer]
  return blocks[layer] === 'cross' ? all.at(-1) : all.slice(0, -1)[layer]
}

/** The matrices of the heads of a picture: the same object each time, so that its map is not painted again. @type {WeakMap<LayerShown, { data: Float32Array, dims: number[] }[]>} */
const matrices = new WeakMap()

/** The matrix of one head. @param {LayerShown} layer @param {number} head */
function headOf(layer, head) {
  const { dims, data } = layer
  const [, rows, columns] = dims
  const found = matrices.get(layer) ?? []
  matrices.set(layer, found)
  found[head] ??= {
    data: data.subarray(head * rows * columns, (head + 1) * rows * columns),
    dims: [rows, columns],
  }
  return found[head]
}

/** What each head of a layer does, in words, at the step that is shown. @param {Context} context @param {number} shownAt @param {number} layer @param {number} count */
function notes({ t, view: { points } }, shownAt, layer, count) {
  const point = points.filter(({ step }) => step <= shownAt).at(-1) ?? points[0]
  return Array.from({ length: count }, (_, head) => {
    const { previous = 0, answer = 0 } = point?.heads[layer]?.[head] ?? {}
    const kind = answer > previous ? 'answer' : 'previous'
    const share = Math.max(previous, answer)
    return t(share >= LEAST_SCORE ? `learnNote.${kind}` : 'learnNote.nothing', { share: percent(share) })
  })
}

/** What was computed last: the same object as long as it is of the same changes. @type {{ of: unknown[], visible: { data: Uint8Array, dims: readonly number[] } | undefined }} */
let lastVisible = { of: [], visible: undefined }

/** Which keys each query of a head sees. @param {Context} context @param {import('./tasks/task.js').Head} head @param {readonly number[]} dims */
function visibleOf(context, head, dims) {
  const { task, changes } = context.settings
  const of = [task, changes, head.layer, head.head, dims.join()]
  if (of.some((each, i) => each !== lastVisible.of[i])) lastVisible = { of, visible: makeVisible(context, head, dims) }
  return lastVisible.visible
}

/** Which keys each query of a head sees, as 1, with the reader's changes. @param {Context} context @param {import('./tasks/task.js').Head} head @param {readonly number[]} dims */
function makeVisible({ settings: { task, changes } }, head, [rows, columns]) {
  const hidden = hiddenCells(changes, headAt(head))
  const { isCausal } = TASKS[task]
  if (!isCausal && !hidden.length) return undefined
  const data = Uint8Array.from({ length: rows * columns }, (_, i) =>
    Number(!isCausal || i % columns <= Math.floor(i / columns)),
  )
  for (const { query, key } of hidden) if (query < rows && key < columns) data[query * columns + key] = 0
  return { data, dims: [rows, columns] }
}

/** All heads, layer by layer. @param {Context} context @param {RunInfo} run @param {Picture} picture */
export function heads(context, run, { shown, reference, shownAt }) {
  const { t, act } = context
  const { heads: count } = run.settings
  const selected = selectedOf(context, shown.layers.length, count)
  const namesOf = (/** @type {number} */ layer, /** @type {number} */ length) =>
    Array.from({ length }, (_, head) => headName({ layer, head }))
  /** Gives the selected head of a layer a factor, and the focus to its slider. @param {number} layer */
  const factor = layer => {
    const now = selectedOf(context, shown.layers.length, count)
    if (now.layer === layer) act.factor(layer, now.head)
  }
  return html`<div class="learn-layers">
    ${shown.layers.map((weights, l) => {
      const title = titleOf(t, run, l)
      const before = layerOfA(run, reference, l)
      const same = before?.dims[1] === weights.dims[1]
      return html`<section class="learn-layer" data-layer=${l + 1}><h2>${title}</h2>
        ${
          before && same
            ? html`<p class="learn-of is-kept">A ${t('learnSteps.short', { step: reference?.shownAt ?? 0 })}</p>
              <qkv-heads class="is-kept" .texts=${t.elements} .weights=${before} .domain=${[0, 1]} .side=${SIDE} .numbers=${false} .selected=${-1} .names=${namesOf(l, before.dims[0])} label=${`A: ${title}`}></qkv-heads>
              <p class="learn-of is-new">B ${t('learnSteps.short', { step: shownAt })}</p>`
            : nothing
        }
        <qkv-heads .texts=${t.elements} .weights=${weights} .domain=${[0, 1]} .side=${SIDE} .numbers=${false} .selected=${l === selected.layer ? selected.head : -1} .names=${namesOf(l, count)} .notes=${notes(context, shownAt, l, count)} label=${title} @head-select=${(/** @type {CustomEvent} */ { detail }) => act.select(l, detail.head)} @dblclick=${() => factor(l)} @keydown=${(/** @type {KeyboardEvent} */ { key }) => key === 'F2' && factor(l)}></qkv-heads>
        <div class="learn-switches">${Array.from({ length: count }, (_, head) => html`<span class="learn-switch" data-switch=${headName({ layer: l, head })}><span>${headName({ layer: l, head })}</span> ${headSelect({ t, changes: context.settings.changes, set: act.change }, headAt({ layer: l, head }))}</span>`)}</div>
      </section>`
    })}
  </div><p class="note">${t('learnFactorHint')}</p>`
}

/** The selected head, large. @param {Context} context @param {RunInfo} run @param {Picture} picture */
export function selectedHead(context, run, { shown, reference, shownAt }) {
  const { t, view, act } = context
  const { changes } = context.settings
  const at = selectedOf(context, shown.layers.length, run.settings.heads)
  const layer = shown.layers[at.layer]
  const matrix = headOf(layer, at.head)
  const visible = visibleOf(context, at, matrix.dims)
  const title = t('learnHead', { name: headName(at) })
  const before = layerOfA(run, reference, at.layer)
  const other = before && before.dims.join() === layer.dims.join() ? headOf(before, at.head) : undefined
  const change = headChange(changes, headAt(at))
  const isOff = change?.isOn && change.how === 0
  const paint = (/** @type {CustomEvent} */ { detail: { row, column, hide } }) =>
    act.change(withCell(changes, headAt(at), row, column, hide), `paint ${headName(at)}`)
  const map = (
    /** @type {{ matrix: object, minus?: object, label: string }} */ { matrix, minus, label },
    /** @type {string} */ id,
  ) =>
    html`<qkv-heatmap class="learn-map ${isOff ? 'is-off' : ''}" id=${id} .texts=${t.elements} label=${label} .matrix=${matrix} .minus=${minus} .mask=${visible} .rowTokens=${layer.rows} .columnTokens=${layer.columns} .domain=${minus ? undefined : [0, 1]} mode=${view.isPainting ? 'paint' : 'read'} legend @cell-paint=${paint}></qkv-heatmap>`
  return html`<section class="learn-chosen" aria-labelledby="learn-chosen-title">
    <header><h2 id="learn-chosen-title">${title}</h2>
      <button type="button" class="tool" id="learn-paint" aria-pressed=${view.isPainting} @click=${() => act.show({ isPainting: !view.isPainting })}>${t('learnPaint')}</button>
      <button type="button" class="tool" id="learn-open-layer" @click=${() => act.openLayer(at.layer, at.head, t('learnBack', { step: shownAt }))}>${t('learnOpenLayer')}</button>
      ${other ? html`<button type="button" class="tool" id="learn-difference" aria-pressed=${view.isDifference} @click=${() => act.show({ isDifference: !view.isDifference })}>${t('learnDifference')}</button>` : nothing}
    </header>
    ${view.isPainting ? html`<p class="note">${t('learnPaintText')}</p>` : nothing}
    ${
      other && view.isDifference
        ? map({ matrix, minus: other, label: `B − A: ${title}` }, 'learn-map')
        : html`${other ? html`<p class="learn-of is-kept">A</p>${map({ matrix: other, label: `A: ${title}` }, 'learn-map-a')}<p class="learn-of is-new">B</p>` : nothing}
          ${map({ matrix, label: title }, 'learn-map')}`
    }
  </section>`
}
