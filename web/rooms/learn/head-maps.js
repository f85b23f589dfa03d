// The heads of a model that learns: all of them small, the selected one large, A above B, and what can be changed.

import { html, nothing } from 'lit'
import { changeOf, headName, withChange } from '../../head/cell-changes.js'
import { FIRST_FACTOR, headControl } from './changes-panel.js'
import { RECIPES } from './recipes.js'
import { SOURCE_WORDS } from './tasks/translation.js'

/** @typedef {import('./room.js').Context} Context */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {import('./probe.js').Shown} Shown */
/** @typedef {Shown['layers'][number]} Layer */

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)}%`
/** The least score that gets a sentence. */
const SAID = 0.3
/** Pixels of a small map. */
const SIDE = 120

/** @param {Context} context @param {number} layer */
const titleOf = ({ t, watch }, layer) => {
  const name = t('learnLayer', { layer: layer + 1 })
  if (watch.task !== 'translation') return name
  if (isCross(watch, layer)) return t('learnLayer.cross')
  const encoder = t('learnLayer.encoder')
  return watch.settings.layers > 1 ? `${name}: ${encoder}` : encoder
}

/** Is it the attention of a translation from one sentence to the other? @param {Context['watch']} watch @param {number} layer */
const isCross = ({ task, settings }, layer) => task === 'translation' && layer === settings.layers

/** The same layer of A, which may have more or fewer of them. @param {Context} context @param {Report['kept']} kept @param {number} layer */
function layerOfA({ watch }, kept, layer) {
  const all = kept?.shown.layers ?? []
  if (watch.task !== 'translation') return all[layer]
  return isCross(watch, layer) ? all.at(-1) : all.slice(0, -1)[layer]
}

/** The matrix of one head. @param {Layer} layer @param {number} head */
const headOf = ({ dims: [, rows, columns], data }, head) => ({
  data: data.subarray(head * rows * columns, (head + 1) * rows * columns),
  dims: [rows, columns],
})

/** What each head of a layer does, in words, at the step that is shown. @param {Context} context @param {number} layer @param {number} count */
function notes({ t, watch }, layer, count) {
  const { shownAt = 0 } = watch.report ?? {}
  const point = watch.points.filter(({ step }) => step <= shownAt).at(-1) ?? watch.points[0]
  return Array.from({ length: count }, (_, head) => {
    const { previous = 0, answer = 0 } = point?.heads[layer]?.[head] ?? {}
    const kind = answer > previous ? 'answer' : 'previous'
    const share = Math.max(previous, answer)
    return t(share < SAID ? 'learnNote.nothing' : `learnNote.${kind}`, { share: percent(share) })
  })
}

/** What a head may see: 1, on the probe. @param {Context} context @param {number} layer @param {number} head @param {readonly number[]} dims */
function maskOf({ watch }, layer, head, [rows, columns]) {
  const hide = changeOf(watch.changes, layer, head, true)
  const isCausal = RECIPES[watch.task].causal
  if (!isCausal && !hide?.isOn) return undefined
  const data = Uint8Array.from({ length: rows * columns }, (_, i) =>
    Number(!isCausal || i % columns <= Math.floor(i / columns)),
  )
  if (hide?.isOn) for (const [r, c] of hide.cells ?? []) if (r < rows && c < columns) data[r * columns + c] = 0
  return { data, dims: [rows, columns] }
}

/** All heads, layer by layer. @param {Context} context @param {Report} report */
export function layers(context, { shown, kept, settings, shownAt }) {
  const { t, watch, elements } = context
  if (!shown) return nothing
  const { changes, selected } = watch
  const set = (/** @type {readonly import('../../head/cell-changes.js').Change[]} */ list, mark = '') =>
    watch.change(list, mark)
  const named = (/** @type {number} */ l, /** @type {number} */ count) =>
    Array.from({ length: count }, (_, head) => headName({ layer: l, head }))
  /** Gives the selected head of a layer a factor, and the focus to its slider. @param {number} layer */
  const factor = layer => {
    if (selected.layer !== layer) return
    const { head } = watch.selected
    const name = headName({ layer, head })
    if (changeOf(changes, layer, head)?.kind !== 'scale')
      set(withChange(changes, { layer, head, kind: 'scale', factor: FIRST_FACTOR, isOn: true }))
    context
      .settled()
      .then(() =>
        /** @type {HTMLElement | null} */ (context.root.querySelector(`[data-switch="${name}"] .head-factor`))?.focus(),
      )
  }
  return html`<div class="learn-layers">
    ${shown.layers.map((weights, l) => {
      const before = layerOfA(context, kept, l)
      const same = before?.dims[1] === weights.dims[1]
      return html`<section class="learn-layer" data-layer=${l + 1}><h2>${titleOf(context, l)}</h2>
        ${
          before && same
            ? html`<p class="learn-of is-kept">A ${t('learnSteps.short', { step: kept?.shownAt ?? 0 })}</p>
              <qkv-heads class="is-kept" .texts=${elements} .weights=${before} .domain=${[0, 1]} .side=${SIDE} .numbers=${false} .selected=${-1} .names=${named(l, before.dims[0])} label=${`A: ${titleOf(context, l)}`}></qkv-heads>
              <p class="learn-of is-new">B ${t('learnSteps.short', { step: shownAt })}</p>`
            : nothing
        }
        <qkv-heads .texts=${elements} .weights=${weights} .domain=${[0, 1]} .side=${SIDE} .numbers=${false} .selected=${l === selected.layer ? selected.head : -1} .names=${named(l, settings.heads)} .notes=${notes(context, l, settings.heads)} label=${titleOf(context, l)} @head-select=${(
          /** @type {CustomEvent} */ { detail },
        ) => {
          watch.selected = { layer: l, head: detail.head }
          context.refresh()
        }} @dblclick=${() => factor(l)} @keydown=${(/** @type {KeyboardEvent} */ { key }) => {
          if (key === 'F2') factor(l)
        }}></qkv-heads>
        <div class="learn-switches">${Array.from({ length: settings.heads }, (_, head) => html`<span class="learn-switch" data-switch=${headName({ layer: l, head })}><span>${headName({ layer: l, head })}</span> ${headControl({ t, changes, set }, l, head)}</span>`)}</div>
      </section>`
    })}
  </div><p class="note">${t('learnFactorHint')}</p>`
}

/** The selected head, large. @param {Context} context @param {Report} report */
export function chosen(context, { shown, kept, settings }) {
  const { t, watch, elements, view } = context
  if (!shown) return nothing
  const { changes } = watch
  const l = Math.min(watch.selected.layer, shown.layers.length - 1)
  const head = Math.min(watch.selected.head, settings.heads - 1)
  const layer = shown.layers[l]
  const matrix = headOf(layer, head)
  const mask = maskOf(context, l, head, matrix.dims)
  const name = headName({ layer: l, head })
  const title = t('learnHead', { name })
  const before = layerOfA(context, kept, l)
  const other = before && before.dims.join() === layer.dims.join() ? headOf(before, head) : undefined
  const isOff = changeOf(changes, l, head)?.isOn && changeOf(changes, l, head)?.kind === 'off'
  const map = (
    /** @type {{ matrix: object, minus?: object, label: string }} */ { matrix, minus, label },
    /** @type {string} */ id,
  ) =>
    html`<qkv-heatmap class="learn-map ${isOff ? 'is-off' : ''}" id=${id} .texts=${elements} label=${label} .matrix=${matrix} .minus=${minus} .mask=${mask} .rowTokens=${layer.rows} .columnTokens=${layer.columns} .domain=${minus ? undefined : [0, 1]} mode=${view.isPainting ? 'paint' : 'read'} legend @cell-paint=${(
      /** @type {CustomEvent} */ { detail },
    ) => watch.paint({ layer: l, head }, detail.row, detail.column, detail.hide)}></qkv-heatmap>`
  const isDifference = other && view.isDifference
  return html`<section class="learn-chosen" aria-labelledby="learn-chosen-title">
    <header><h2 id="learn-chosen-title">${title}</h2>
      <button type="button" class="tool" id="learn-paint" aria-pressed=${view.isPainting} @click=${() => context.look({ isPainting: !view.isPainting })}>${t('learnPaint')}</button>
      <button type="button" class="tool" id="learn-open-layer" @click=${() => context.openLayer(l, head)}>${t('learnOpenLayer')}</button>
      ${other ? html`<button type="button" class="tool" id="learn-difference" aria-pressed=${view.isDifference} @click=${() => context.look({ isDifference: !view.isDifference })}>${t('learnDifference')}</button>` : nothing}
    </header>
    ${view.isPainting ? html`<p class="note">${t('learnPaintText')}</p>` : nothing}
    ${
      isDifference
        ? map({ matrix, minus: other, label: `B − A: ${title}` }, 'learn-map')
        : html`${other ? html`<p class="learn-of is-kept">A</p>${map({ matrix: other, label: `A: ${title}` }, 'learn-map-a')}<p class="learn-of is-new">B</p>` : nothing}
          ${map({ matrix, label: title }, 'learn-map')}`
    }
  </section>`
}

/** What stands on the rows and columns of a gradient of attention weights. @param {Context} context @param {{ ids: Int32Array, rows: number, columns: number, layer: number }} of */
function namesOf({ watch }, { ids, rows, columns, layer }) {
  const { task } = watch
  const name = (/** @type {number} */ id) =>
    task === 'translation' ? SOURCE_WORDS[id] : task === 'text' ? (watch.characters[id] ?? '') : String(id)
  const words = Array.from(ids.subarray(0, columns), name)
  return {
    columnTokens: words,
    rowTokens: isCross(watch, layer) ? Array.from({ length: rows }, (_, i) => String(i + 1)) : words,
  }
}

/** The gradients of a step, as maps. @param {Context} context @param {Report} report */
export function gradients(context, { shownAt }) {
  const { t, watch, elements, view } = context
  const { gradients: found } = watch
  const ask = () => watch.ask({ get: { gradient: shownAt } })
  const names = found ? Object.keys(found.weights) : []
  const heads = found
    ? found.attention.flatMap(({ dims: [H] }, layer) => Array.from({ length: H }, (_, head) => ({ layer, head })))
    : []
  const choice = view.gradient || (heads.length ? `A ${headName(heads[heads.length - 1])}` : '')
  const show = () => {
    if (!found) return nothing
    const head = heads.find(each => `A ${headName(each)}` === choice)
    const label = t('learnGradientOf', { name: choice, step: found.step })
    if (head) {
      const { dims, data } = found.attention[head.layer]
      const [, rows, columns] = dims
      const matrix = {
        data: data.subarray(head.head * rows * columns, (head.head + 1) * rows * columns),
        dims: [rows, columns],
      }
      const tokens = namesOf(context, { ids: found.ids, rows, columns, layer: head.layer })
      return html`<qkv-heatmap class="learn-map" id="learn-gradient-map" scale="diverging" .texts=${elements} label=${label} .matrix=${matrix} .rowTokens=${tokens.rowTokens} .columnTokens=${tokens.columnTokens} legend></qkv-heatmap>`
    }
    const { data, dims } = found.weights[choice] ?? found.weights[names[0]]
    const matrix = { data, dims: dims.length === 1 ? [1, dims[0]] : dims }
    return html`<qkv-heatmap class="learn-map" id="learn-gradient-map" scale="diverging" .texts=${elements} label=${label} .matrix=${matrix} legend></qkv-heatmap>`
  }
  return html`<details class="learn-gradients" ?open=${found !== undefined}><summary>${t('learnGradients')}</summary>
    <p class="note">${t('learnGradientsText')}</p>
    <button type="button" class="tool" id="learn-gradient" @click=${ask}>${t('learnGradientAsk', { step: shownAt })}</button>
    ${
      found
        ? html`<label>${t('learnGradientWhich')} <select id="learn-gradient-which" @change=${(/** @type {Event & { target: HTMLSelectElement }} */ { target }) => context.look({ gradient: target.value })}>
            ${heads.map(each => html`<option value=${`A ${headName(each)}`} ?selected=${choice === `A ${headName(each)}`}>${t('learnGradientHead', { name: headName(each) })}</option>`)}
            ${names.map(name => html`<option value=${name} ?selected=${choice === name}>${name}</option>`)}
          </select></label>
          <p class="note">${t('learnGradientLoss', { step: found.step, loss: found.loss.toFixed(4) })}</p>${show()}`
        : nothing
    }</details>`
}
