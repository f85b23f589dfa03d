// Draws the cost of attention: the weights as a growing square, formulas with numbers, tensor shapes, and times measured on this computer.

import { html, nothing, svg } from 'lit'
import { live } from 'lit/directives/live.js'
import { linearScale } from '../../../elements/linear-scale.js'
import {
  costOf,
  estimateOf,
  growthOf,
  LEAST_LENGTH,
  LENGTH_STEPS,
  lengthAt,
  MEASURED,
  MOST_LENGTH,
  MOST_STORED,
  sideOf,
  stepAt,
  timesToCsv,
  USUAL,
} from '../explain/length-cost.js'
import { shapeSteps } from '../explain/steps.js'
import { isSmall } from '../trace/batch-statistics.js'
import { math } from './math.js'

/** @import { SceneContext } from '../layer.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const SIDE = 320
const [CHART_WIDTH, CHART_HEIGHT, LEFT, RIGHT, BOTTOM] = [420, 220, 72, 28, 28]

/** @param {string} language */
const writers = language => {
  const whole = new Intl.NumberFormat(language)
  const three = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 })
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  return {
    whole: (/** @type {number} */ x) => whole.format(x),
    /** Formats long counts as 2.36e9. @param {number} x */
    count: x => (x < 1e6 ? whole.format(x) : x.toExponential(2).replace('e+', 'e')),
    /** @param {number} x */
    bytes(x) {
      const power = Math.min(Math.floor(Math.log10(Math.max(x, 1)) / 3), units.length - 1)
      return `${three.format(x / 1000 ** power)} ${units[power]}`
    },
    /** @param {number} x */
    time: x => `${three.format(x)} ms`,
  }
}

/** Draws the size of the weights as a square, and the size of what a fused kernel stores as a strip at the same scale. @param {SceneContext} context @param {number} n @param {number} size */
function picture({ t }, n, size) {
  const side = sideOf(n, size)
  const unit = SIDE / side
  const ghost = side / 4 >= LEAST_LENGTH * 4 ? SIDE / 4 : undefined
  return html`<svg class="cost-picture" viewBox="-1 -1 ${SIDE + 2} ${SIDE + 2}" role="img"
    aria-label=${t('costPicture', { n, side })} data-side=${side}>
    <rect class="cost-all" width=${SIDE} height=${SIDE}></rect>
    <rect class="cost-weights" width=${n * unit} height=${n * unit}></rect>
    <rect class="cost-kept" width=${Math.min(4 * size, side) * unit} height=${n * unit}></rect>
    ${ghost ? svg`<rect class="cost-ghost" width=${ghost} height=${ghost}></rect>` : nothing}
  </svg>`
}

/** @param {SceneContext} context @param {number} n @param {number} size */
function formulas({ t, result, language, costCausal }, n, size) {
  const { count, bytes, whole } = writers(language)
  const cost = costOf({ n, heads: result.heads, size, isCausal: costCausal })
  /** @type {[string, string, string, number][]} */
  const rows = [
    [t('costProjections'), '4 n D^2', count(cost.projections), cost.projections],
    [t('costMixing'), costCausal ? 'n {( n + 1 )} D' : '2 n^2 D', count(cost.mixing), cost.mixing],
    [t('costEqual'), 'n = 2 D', whole(cost.equal), cost.equal],
    [t('costStored'), '4 H n^2', bytes(cost.stored), cost.stored],
    [t('costFused'), '16 n D', bytes(cost.fused), cost.fused],
    [t('costDecode'), '2 n D', count(cost.decode), cost.decode],
    [t('costCache'), '8 n D', bytes(cost.cache), cost.cache],
  ]
  return html`<table class="cost-table"><thead><tr><th scope="col">${t('costQuantity')}</th><th
    scope="col">${t('costFormula')}</th><th scope="col">n =
    ${whole(n)}</th></tr></thead>
    <tbody>${rows.map(
      ([name, formula, text, value]) =>
        html`<tr><th scope="row">${name}</th><td>${math(formula)}</td><td data-number data-value=${value}>${text}</td></tr>`,
    )}</tbody></table>`
}

/** Describes how the cost grows with length. @param {SceneContext} context @param {number} n @param {number} size */
function inWords({ t, result, language, costCausal }, n, size) {
  const { bytes, whole } = writers(language)
  const { fused, stored } = costOf({ n, heads: result.heads, size, isCausal: costCausal })
  return html`<p class="text">${t('costText', { n: whole(n), pairs: whole(n ** 2), fused: bytes(fused), stored: bytes(stored) })}</p>`
}

/** Lists the tensor shapes of a batch with the current numbers. @param {SceneContext} context */
function shapes({ t, result, batch, language }) {
  const { count } = writers(language)
  const { batch: sequences } = result.settings
  const ran = isSmall(result) ? 'batchPending' : 'batchLarge'
  return html`<div id="shapes"><h4>${t('shapes')}</h4><p class="text">${t('shapesText')}</p>
    ${
      sequences > 1
        ? html`<p class="text" id="batch-ran">${t('batchText', { batch: sequences })}
          ${batch ? t('batchRan', { dims: batch.dims.join(', ') }) : t(ran)}</p>`
        : nothing
    }
    <div class="scroll"><table class="cost-table shape-steps"><thead><tr><td></td><th
      scope="col">${t('shapeLetters')}</th><th scope="col">${t('shapeSizes')}</th><th
        scope="col">${t('shapeWork')}</th></tr></thead>
      <tbody>${shapeSteps(result).map(
        ({ letters, dims, op, work }) =>
          html`<tr><th scope="row">${t(`shape.${op}`)}</th><td>${letters}</td><td class="dims">${dims.join('×')}</td><td
            data-number>${work ? count(work) : nothing}</td></tr>`,
      )}</tbody></table></div></div>`
}

/** @param {readonly [number, number]} domain @param {readonly [number, number]} range */
function logScale([least, most], range) {
  const scale = linearScale([Math.log(least), Math.log(most)], range)
  return (/** @type {number} */ value) => scale(Math.log(value))
}

/** Draws the times on logarithmic axes; estimates are hollow. @param {SceneContext} context */
function chart({ t, times, language }) {
  const { time, whole } = writers(language)
  const all = MEASURED.flatMap(n => {
    const { fused, stored } = times.find(each => each.n === n) ?? {}
    const guess = fused === undefined ? estimateOf(times, n) : undefined
    return [
      ...(fused === undefined ? [] : [{ n, ms: fused, kind: 'fused' }]),
      ...(stored === undefined ? [] : [{ n, ms: stored, kind: 'stored' }]),
      ...(guess === undefined ? [] : [{ n, ms: guess, kind: 'guess' }]),
    ]
  })
  const x = logScale([MEASURED[0], MEASURED[MEASURED.length - 1]], [LEFT, CHART_WIDTH - RIGHT])
  const [least, most] = [Math.min(...all.map(({ ms }) => ms)), Math.max(...all.map(({ ms }) => ms))]
  const y = logScale([least / 1.5, most * 1.5], [CHART_HEIGHT - BOTTOM, 8])
  const growth = growthOf(times)
  const both = times.find(({ n, stored }) => n === MOST_STORED && stored)
  return html`<svg class="cost-chart" viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT}" role="img" aria-label=${t('costChart')}>
      ${MEASURED.map(
        n =>
          svg`<g class="tick"><line class="rule" x1=${x(n)} x2=${x(n)} y1="8"
            y2=${CHART_HEIGHT - BOTTOM} /><text x=${x(n)} y=${CHART_HEIGHT - 10}
              text-anchor="middle">${whole(n)}</text></g>`,
      )}
      ${[0.01, 0.1, 1, 10, 100, 1000, 10_000]
        .filter(ms => ms > least / 1.5 && ms < most * 1.5)
        .map(
          ms =>
            svg`<g class="tick"><line class="rule" x1=${LEFT} x2=${CHART_WIDTH - RIGHT} y1=${y(ms)}
              y2=${y(ms)} /><text x=${LEFT - 6} y=${y(ms) + 4} text-anchor="end">${time(ms)}</text></g>`,
        )}
      ${all.map(
        ({ n, ms, kind }) =>
          svg`<circle class="cost-dot is-${kind}" cx=${x(n)} cy=${y(ms)} r="5" data-n=${n} data-kind=${kind}
            data-ms=${ms}><title>${whole(n)}: ${time(ms)}</title></circle>`,
      )}
    </svg>
    <p class="note">${t('costLegend')}</p>
    ${
      growth === undefined
        ? nothing
        : html`<p id="cost-growth" data-growth=${growth}>${t('costGrowth', { growth: growth.toFixed(2) })}
          ${both ? t('costBoth', { n: whole(both.n), fused: time(both.fused ?? 0), stored: time(both.stored ?? 0) }) : nothing}</p>`
    }`
}

/** @param {SceneContext} context */
function measured(context) {
  const { t, times, isMeasuring, actions, language, costLengths: chosen = USUAL } = context
  const { whole } = writers(language)
  const choose = (/** @type {number} */ n, /** @type {boolean} */ isChosen) =>
    actions.setCost({ costLengths: MEASURED.filter(each => (each === n ? isChosen : chosen.includes(each))) })
  return html`<div class="cost-measured"><h4>${t('costMeasured')}</h4><p class="text">${t('costMeasuredText')}</p>
    <div class="buttons" role="group" aria-label=${t('costLengths')}><span>${t('costLengths')}</span> ${MEASURED.map(
      n =>
        html`<label><input type="checkbox" data-length=${n} .checked=${live(chosen.includes(n))}
          @change=${(/** @type {InputEvent} */ { target }) => choose(n, target.checked)} /> ${whole(n)}</label>`,
    )}</div>
    <div class="buttons">${
      isMeasuring
        ? html`<button type="button" id="cost-cancel" @click=${actions.cancelMeasure}>${t('cancel')}</button>`
        : html`<button type="button" id="cost-measure" ?disabled=${!chosen.length}
          @click=${() => actions.measure(chosen)}>${t('costMeasure')}</button>`
    }${
      times.length
        ? html`<button type="button" id="cost-csv"
          @click=${() =>
            actions.copy(
              timesToCsv(times, navigator.userAgent, navigator.hardwareConcurrency),
              'costCopied',
            )}>${t('copyCsv')}</button>`
        : nothing
    }</div>
    <div aria-live="polite">${times.length ? chart(context) : nothing}</div></div>`
}

/** @param {SceneContext} context */
export function costPanel(context) {
  const { t, result, actions, costLength: n, costCausal } = context
  const size = result.tensors.K?.dims[2] ?? 0
  if (!size) return shapes(context)
  const set = (/** @type {number} */ length) => {
    const costLength = Math.min(Math.max(Math.round(length) || LEAST_LENGTH, LEAST_LENGTH), MOST_LENGTH)
    actions.setCost({ costLength })
    return costLength
  }
  // The number input is not bound with `live`: a redraw must not replace what is being typed.
  const typed = (/** @type {InputEvent} */ { target }) => {
    target.value = String(set(target.valueAsNumber))
  }
  return html`${inWords(context, n, size)}
    <div class="cost-controls">
      <label for="cost-length">${t('costLength')}</label>
      <input id="cost-length" type="range" list="cost-crossing" min="0" max=${LENGTH_STEPS}
        .value=${live(String(stepAt(n)))} aria-valuetext=${n}
        @input=${(/** @type {InputEvent} */ { target }) => set(lengthAt(target.valueAsNumber))} />
      <input id="cost-number" data-undo="own" type="number" min=${LEAST_LENGTH} max=${MOST_LENGTH}
        aria-label=${t('costLength')} .value=${String(n)} @change=${typed} />
      <label><input id="cost-causal" type="checkbox" .checked=${live(costCausal)}
        @change=${(/** @type {InputEvent} */ { target }) => actions.setCost({ costCausal: target.checked })} />
        ${t('costCausal')}</label>
      <span class="note">${t('costSizes', { heads: result.heads, size, width: result.heads * size, crossing: 4 * size })}</span>
      <datalist id="cost-crossing"><option value=${stepAt(4 * size)}></option></datalist>
    </div>
    <div class="cost-both"><div>${picture(context, n, size)}</div><div>${formulas(context, n, size)}</div></div>
    ${shapes(context)} ${measured(context)}`
}
