// The picture of the room "Models".

import { html, nothing } from 'lit'
import { untilReleased } from '../../shell/held-key.js'
import { later } from '../../shell/later.js'
import { textsLater } from '../../shell/texts-later.js'
import './atlas.js'
import { changesPanel } from './changes-panel.js'
import { generateBar } from './generate-bar.js'
import { opening } from './open-model.js'
import { atlas, overview } from './overview.js'
import { predictionPanel } from './prediction.js'
import { shownOf } from './shown.js'
import { FIRST_GRAPH, story } from './story.js'
import { tokenRows } from './token-row.js'

/** @typedef {import('./models.js').Context} Context */
/** @typedef {import('./models.js').Room} Room */

const TABS = /** @type {const} */ (['heads', 'prediction', 'changes'])

const panel = later(() => import('./programs/panel.js'))
const headOpen = later(() => import('./head-page.js'))
/** The inspector with its own texts. @type {import('../../shell/texts-later.js').Later<typeof import('./cell-inspector.js') & { t: Room['t'] }>} */
const cells = textsLater(['shell', 'head', 'models', 'models-cell'], async texts => {
  const [module, t] = await Promise.all([import('./cell-inspector.js'), texts])
  return { ...module, t }
})
/** The page of a head defines <qkv-heatmap>. */
const matters = later(async () => {
  const [module] = await Promise.all([import('./matters-panel.js'), import('./head-page.js')])
  return module
})
const graph = later(() => import('./graph-panel.js'))

/** The programs that do the same as the page. @param {Room} room */
function programs(room) {
  const { t, act, view, openModel, run } = room
  const before = room.runBefore ?? run
  if (!openModel?.hasHead || !before || before.row < 0) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    act.show({ hasPrograms: target.open })
  return html`<details class="models-programs" ?open=${view.hasPrograms} @toggle=${toggle}><summary>${t('modelsPrograms')}</summary>
    ${view.hasPrograms ? panel.draw(({ programs }) => programs(room, openModel, before)) : nothing}</details>`
}

/** What matters for the answer. @param {Room} room */
function whatMatters(room) {
  const { t, act, view, openModel, run } = room
  if (!openModel?.hasHead || !run || run.row < 0) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    act.show({ hasMatters: target.open })
  return html`<details class="models-matters" id="models-matters" ?open=${view.hasMatters} @toggle=${toggle}><summary>${t('modelsMatters')}</summary>
    ${view.hasMatters ? matters.draw(({ mattersPanel }) => mattersPanel(room)) : nothing}</details>`
}

/** The graph of heads. @param {Room} room */
function graphOfHeads(room) {
  const { t, act, settings, openModel, run } = room
  if (!openModel?.hasHead || !run || run.row < 0) return nothing
  const isOpen = settings.graph !== ''
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) => {
    if (target.id === 'models-graph' && target.open !== isOpen) act.setGraph(target.open ? FIRST_GRAPH : '')
  }
  return html`<details class="models-graph" id="models-graph" ?open=${isOpen} @toggle=${toggle}><summary>${t('modelsGraph')}</summary>
    ${isOpen ? graph.draw(({ graphPanel }) => graphPanel(room)) : nothing}</details>`
}

/** @param {Context} context */
export function draw(context) {
  /** @type {Room} */
  const room = { ...context, ...shownOf(context) }
  const { t, act, view, got, run, head } = room
  if (view.isHeld) untilReleased(() => act.show({ isHeld: false }))
  const isBusy = [got.open, got.run, got.changed].some(each => each?.is === 'waiting')
  // After a moment what is drawn of the older text is dimmed.
  const isOld = [got.run, got.changed].some(each => each?.is === 'waiting' && each.progress)
  return html`<main class="models ${head ? 'has-head' : ''} ${isOld ? 'is-old' : ''} ${room.streamed ? 'is-streaming' : ''}" id="stage" tabindex="-1" data-tab=${view.tab} data-answers=${view.answers} data-slot=${got.run?.is ?? nothing} aria-busy=${isBusy}>
      ${opening(room)} ${story(room)}
      ${
        run
          ? html`${tokenRows(room)}
        <div class="models-tabs" role="group" aria-label=${t('modelsParts')}>${TABS.map(
          name =>
            html`<button type="button" class="tab" aria-pressed=${view.tab === name} @click=${() => act.show({ tab: name })}>${t(`modelsTab.${name}`)}</button>`,
        )}</div>
        ${changesPanel(room)}
        <div class="models-stage">${head ? headOpen.draw(({ headPage }) => headPage(room, head)) : overview(room)}<div class="models-side">${room.cell && head ? cells(t('htmlLang')).draw(({ inspector, t }) => inspector({ ...room, t })) : nothing}${predictionPanel(room)}</div></div>
        ${whatMatters(room)}${graphOfHeads(room)}${generateBar(room)}${programs(room)}`
          : room.streamed
            ? html`<div class="models-stage"><section class="models-atlas">${atlas(room)}</section></div>`
            : nothing
      }
    </main>`
}
