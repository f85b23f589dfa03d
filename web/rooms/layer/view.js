// Draws "One layer".

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { idle, later } from '../../shell/later.js'
import { shown } from '../../shell/slots.js'
import { createScenes } from './explain/scene.js'
import { checkedBaseline, hasDistribution } from './needs.js'
import { presetOf } from './presets.js'
import { computeOf } from './trace/compute.js'
import { controls } from './views/controls.js'
import { folded, part } from './views/folded.js'
import { heads } from './views/head-list.js'
import { dock } from './views/matrix-dock.js'
import { sentenceBar } from './views/sentence.js'
import { besideFlow, sentenceHead, stage } from './views/stage.js'

/** @import { Context, LayerContext, SceneContext } from './layer.js' */

const sceneOf = createScenes()

/**
 * Returns the baseline with which the settings are compared.
 * @param {LayerContext} context
 * @returns {import('./explain/comparison.js').Baseline}
 */
function baselineOf({ settings, got }) {
  if (settings.baseline && !checkedBaseline(settings.baseline))
    return { failure: new RangeError('the settings of this link make no sense') }
  if (got.baseline?.is === 'here') return { result: got.baseline.value }
  if (got.baseline?.is === 'failed' || got.baseline?.is === 'lost')
    return { failure: new Error(String(got.baseline.problem.params?.message ?? '')) }
  return {}
}

/** Returns the context of the views, without a trace. @param {LayerContext} context @returns {Context} */
function contextOf(context) {
  const { t, qkv, isDark, settings, view, got, problems, act, can, travel } = context
  const { handedOver } = view
  return {
    ...view,
    t,
    qkv: /** @type {import('qkv').Qkv} */ (qkv),
    language: t('htmlLang'),
    isDark,
    settings,
    problems,
    visits: { hasBack: can.back, hasForward: can.forward },
    isTrained: handedOver !== undefined && handedOver === settings.imported,
    hasDistribution: hasDistribution(context),
    preset: presetOf(settings),
    isMeasuring: got.timing !== undefined && (got.timing.is === 'waiting' || got.timing.is === 'here'),
    progress: got.trace?.is === 'waiting' ? Number(got.trace.progress ?? 0) : undefined,
    actions: {
      ...act,
      back: () => travel('place', 0),
      forward: () => travel('place', 1),
      undo: () => travel('undo', 0),
    },
  }
}

/** Shows the largest difference between the trace and float64. @param {SceneContext} context */
function badge({ t, difference }) {
  if (!difference) return html`<p class="badge" id="badge">${t('differencePending')}</p>`
  const { most, matrix, rows, of } = difference
  const where = matrix ? t(`matrix.${matrix}`) : ''
  const text = t(rows < of ? 'differenceRows' : 'difference', {
    most: most.toExponential(1).replace('-', '−'),
    rows,
    of,
  })
  return html`<p class="badge" id="badge" title=${where} data-most=${most}>${text}</p>`
}

/**
 * Shows the progress of a large trace as a line at the top that takes no space. It is not a child of <body>, since adding one would restyle
 * the page.
 * @param {Context} context
 */
function working({ t, progress }) {
  if (progress === undefined) return nothing
  const value = Math.round(progress * 100)
  return html`<div
    class="working"
    role="progressbar"
    aria-label=${t('working')}
    aria-valuenow=${value}
    .style=${`inline-size: ${value}%`}
  ></div>`
}

const induction = later(() => import('./views/induction-panel.js'))
const distribution = part(async () => (await import('./views/score-panel.js')).distributionPanel)
const curve = later(() => import('./views/plot.js'))
/** The panel of steps, below the first screen. It loads once the browser is idle. */
const walk = later(async () => {
  await idle()
  return import('./views/steps-panel.js')
})
/** The inspector. `panel` loads at once, for a selection; `panelAtRest` loads once the browser is idle. */
const panel = later(() => import('./views/cell-panel.js'))
const panelAtRest = later(async () => {
  await idle()
  return import('./views/cell-panel.js')
})
const order = part(async () => (await import('./views/order-panel.js')).orderPanel)
const cost = part(async () => (await import('./views/cost-panel.js')).costPanel)
const exported = part(async () => (await import('./views/transfer.js')).exportPart)
const imported = part(async () => (await import('./views/transfer.js')).importPart)

/** @param {SceneContext['result']} result */
const isHandBuilt = ({ settings: { model } }) => model === 'handBuilt'

/** Draws "Why divide by √d?", open if `hasDistribution` is true. @param {SceneContext} context */
function distributionPart(context) {
  const { t, hasDistribution: isOpen, vectorSize, actions } = context
  const toggle = (/** @type {Event} */ event) => {
    event.preventDefault()
    actions.setDistribution(isOpen ? undefined : vectorSize)
  }
  return html`<details class="experiment" id="distribution" .open=${live(isOpen)}>
    <summary @click=${toggle}>${t('distribution')}</summary>
    ${isOpen ? distribution(context) : nothing}
  </details>`
}

/** Draws the collapsed parts after the steps. @param {SceneContext} context */
const foldedParts = context => {
  const { t } = context
  return html`${folded(context, 'order', t('order'), order)} ${folded(context, 'cost', t('cost'), cost)}
    ${folded(context, 'export', t('export'), exported)}
    ${folded(context, 'import', t('import'), imported)}`
}

/**
 * Draws the side column. Beside the flow it has the map, and the inspector if something is selected. Beside other pictures it has the
 * inspector, which explains the strongest link if nothing is selected.
 * @param {SceneContext} context
 */
function side(context) {
  const { settings, picture } = context
  const isFlow = picture === 'flow'
  const isSelected = settings.cell !== null || settings.word !== null
  if (!isSelected) panelAtRest.ask(() => {})
  const shown = isSelected ? panel : panelAtRest
  return html`<div class="side"><div class="side-stack">
    ${isFlow ? besideFlow(context) : nothing}
    ${isFlow && !isSelected ? nothing : shown.draw(({ inspector }) => inspector(context))}
  </div></div>`
}

/** @param {SceneContext} context @param {boolean} isStale */
const layer = (
  context,
  isStale,
) => html`<main class="room ${context.result.heads > 1 ? '' : 'has-one-head'} ${isStale ? 'is-stale' : ''}"
  data-undo="room" aria-busy=${context.progress !== undefined}>
    ${sentenceHead(context)}
    <div class="work ${context.picture === 'flow' ? 'has-beside' : ''}">
    <div class="screen">${heads(context)}${stage(context)}</div>
    ${side(context)} ${dock(context)}
    <div class="below">${context.result.curve ? curve.draw(({ plot }) => plot(context)) : nothing}<div class="experiments">${
      isHandBuilt(context.result) ? induction.draw(({ inductionPanel }) => inductionPanel(context)) : nothing
    }${distributionPart(context)}</div>${foldedParts(context)}${walk.draw(({ stepsPanel }) =>
      stepsPanel(context),
    )}${badge(context)}</div></div>
  </main>`

/** @param {LayerContext} given */
export function draw(given) {
  const { t, settings, got, problems, act } = given
  const context = contextOf(given)
  const result = shown(got.trace)
  const failure = got.trace?.is === 'failed' || got.trace?.is === 'lost' ? got.trace.problem : undefined
  const isStale = Object.keys(problems).length > 0 || failure !== undefined
  const isOpening = settings.model === 'trained' && got.trace?.is === 'waiting' && result?.settings.model !== 'trained'
  const arithmetic = computeOf(context.qkv).arithmetic
  /** @type {SceneContext | undefined} */
  const body = result && {
    ...context,
    ...sceneOf(result, arithmetic, settings, context.pointed, baselineOf(given)),
    difference: shown(got.comparison)?.difference,
    batch: shown(got.batch)?.batch,
  }
  return html`<div class="notices">
    ${
      failure
        ? html`<p class="failure" role="alert">${t(failure.key, failure.params)}
            <button type="button" class="plain" @click=${() => act.retry()}>${t('retry')}</button></p>`
        : nothing
    }
    <p class="stale ${isOpening ? 'is-opening' : ''}" role="status">${isStale && body ? t('stale') : isOpening ? t('trainedOpening') : nothing}</p>
    ${working(context)}</div>
    ${sentenceBar({ ...context, scene: body })}
    ${controls(context)}
    ${body || failure ? nothing : html`<p class="note">${t('loading')}</p>`}
    ${body ? layer(body, isStale) : nothing}`
}
