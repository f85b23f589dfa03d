// Draws the room "Models".

import { html, nothing } from 'lit'
import { untilReleased } from '../../shell/held-key.js'
import { later } from '../../shell/later.js'
import { textsLater } from '../../shell/texts-later.js'
import './atlas/atlas.js'
import { atlas, overview } from './atlas/overview.js'
import { changesPanel } from './changes-panel.js'
import { firstLens } from './lens/room.js'
import { hasLens } from './lens/setting.js'
import { opening, stories } from './open/open-model.js'
import { generateBar } from './prediction/generate-bar.js'
import { predictionPanel } from './prediction/prediction.js'
import { glossOf, tokenRows } from './sentence/token-row.js'
import { FIRST_GRAPH, isByHand, shownOf } from './shown.js'

/** @import { Context, Room } from './models.js' */

/** @type {Context['view']['tab'][]} */
const TABS = ['heads', 'prediction', 'changes']

const panel = later(() => import('./programs/panel.js'))
const headOpen = later(() => import('./open-head/page.js'))
/** Loads the inspector and its texts. @type {import('../../shell/texts-later.js').Later<typeof import('./cell/inspector.js') & { t: Room['t'], r: import('./cell/reasons-part.js').ReasonTexts }>} */
const cells = textsLater(['shell', 'head', 'models', 'models-cell', 'reasons'], async texts => {
  const [module, t] = await Promise.all([import('./cell/inspector.js'), texts])
  return { ...module, t, r: t }
})
/**
 * Loads "What matters for this answer?", its texts, and the page of a head, which defines <qkv-heatmap>.
 * @type {import('../../shell/texts-later.js').Later<typeof import('./matters/panel.js') & { m: import('./matters/panel.js').MatterTexts }>}
 */
const matters = textsLater(['matters'], async texts => {
  const [module, m] = await Promise.all([import('./matters/panel.js'), texts, import('./open-head/page.js')])
  return { ...module, m }
})
/** @type {import('../../shell/texts-later.js').Later<typeof import('./lens/panel.js') & { l: import('./lens/panel.js').LensTexts }>} */
const lens = textsLater(['lens'], async texts => {
  const [module, l] = await Promise.all([import('./lens/panel.js'), texts])
  return { ...module, l }
})
/**
 * Loads "Next word, by hand", its texts, and the page of a head, which defines <qkv-heatmap>.
 * @type {import('../../shell/texts-later.js').Later<typeof import('./prediction/next-word-panel.js') & { n: import('./prediction/next-word-panel.js').NextTexts }>}
 */
const nextWord = textsLater(['next-word'], async texts => {
  const [module, n] = await Promise.all([
    import('./prediction/next-word-panel.js'),
    texts,
    import('./open-head/page.js'),
  ])
  return { ...module, n }
})
/** @type {import('../../shell/texts-later.js').Later<typeof import('./block/panel.js') & { b: import('./block/panel.js').BlockTexts }>} */
const block = textsLater(['block'], async texts => {
  const [module, b] = await Promise.all([import('./block/panel.js'), texts])
  return { ...module, b }
})
/** @type {import('../../shell/texts-later.js').Later<typeof import('./graph/panel.js') & { g: import('./graph/panel.js').GraphTexts }>} */
const graph = textsLater(['graph'], async texts => {
  const [module, g] = await Promise.all([import('./graph/panel.js'), texts])
  return { ...module, g }
})

/** Prefetches the parts that open on a click, when the reader's pointer or focus first enters the room. @param {Room} room */
function prepare({ t, act }) {
  const language = t('htmlLang')
  const parts = [block(language), nextWord(language), lens(language), matters(language), graph(language)]
  for (const part of [headOpen, cells(language), ...parts]) part.ask(() => {})
  act.show({ isNear: true })
}

/**
 * Draws the <summary> that opens a part. While the pointer or focus is on it, the data of the part may be computed ahead. The end of a
 * touch does not count as leaving, since it comes before the click.
 * @param {Room} room
 * @param {'matters' | 'graph'} name
 * @param {string} text
 */
function summary({ act }, name, text) {
  const come = () => act.show({ ahead: name })
  const leave = () => act.show({ ahead: '' })
  const lift = (/** @type {PointerEvent} */ { pointerType }) => pointerType === 'touch' || leave()
  return html`<summary @pointerenter=${come} @pointerleave=${lift} @focus=${come} @blur=${leave}>${text}</summary>`
}

/** Draws programs that reproduce the numbers of the page. @param {Room} room */
function programs(room) {
  const { t, act, view, openModel, run } = room
  const before = room.runBefore ?? run
  if (!openModel?.hasHead || !before || before.row < 0) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    act.show({ hasPrograms: target.open })
  return html`<details class="models-programs" ?open=${view.hasPrograms} @toggle=${toggle}><summary>${t('modelsPrograms')}</summary>
    ${view.hasPrograms ? panel.draw(({ programs }) => programs(room, openModel, before)) : nothing}</details>`
}

/** Draws "The whole model in one picture". @param {Room} room */
function wholeModel(room) {
  const { t, act, view, run } = room
  if (!run) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    target.id === 'models-block' && act.show({ hasBlock: target.open })
  return html`<details class="models-block" id="models-block" ?open=${view.hasBlock}
    @toggle=${toggle}><summary>${t('modelsBlock')}</summary>
    ${view.hasBlock ? block(t('htmlLang')).draw(({ blockPanel, b }) => blockPanel(room, b)) : nothing}</details>`
}

/** Draws the choice of the next word by hand. @param {Room} room */
function nextByHand(room) {
  const { t, act, view, openModel, run } = room
  if (!openModel || !isByHand(openModel) || !run) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    target.id === 'models-next' && act.show({ hasNextWord: target.open })
  return html`<details class="models-next" id="models-next" ?open=${view.hasNextWord}
    @toggle=${toggle}><summary>${t('modelsNextByHand')}</summary>
    ${view.hasNextWord ? nextWord(t('htmlLang')).draw(({ nextWordPanel, n }) => nextWordPanel(room, n)) : nothing}</details>`
}

/** Draws "What matters for this answer?". @param {Room} room */
function whatMatters(room) {
  const { t, act, view, openModel, run } = room
  if (!openModel?.predicts || !run || run.row < 0) return nothing
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
    act.show({ hasMatters: target.open, ahead: '' })
  return html`<details class="models-matters" id="models-matters" ?open=${view.hasMatters}
    @toggle=${toggle}>${summary(room, 'matters', t('modelsMatters'))}
    ${view.hasMatters ? matters(t('htmlLang')).draw(({ mattersPanel, m }) => mattersPanel(room, m)) : nothing}</details>`
}

/** Draws "What each layer says". @param {Room} room */
function layersSay(room) {
  const { t, act, settings, openModel, run } = room
  if (!openModel || !hasLens(openModel) || !run) return nothing
  const isOpen = settings.lens !== ''
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) => {
    if (target.open !== isOpen) act.setLens(target.open ? firstLens(room) : '')
  }
  return html`<details class="models-lens" id="models-lens" ?open=${isOpen} @toggle=${toggle}><summary>${t('modelsLayersSay')}</summary>
    ${isOpen ? lens(t('htmlLang')).draw(({ lensPanel, l }) => lensPanel(room, l)) : nothing}</details>`
}

/** Draws the graph of heads. @param {Room} room */
function graphOfHeads(room) {
  const { t, act, settings, openModel, run } = room
  if (!openModel?.hasHead || !run || run.row < 0) return nothing
  const isOpen = settings.graph !== ''
  const toggle = (/** @type {Event & { target: HTMLDetailsElement }} */ { target }) => {
    if (target.id !== 'models-graph' || target.open === isOpen) return
    act.show({ ahead: '' })
    act.setGraph(target.open ? FIRST_GRAPH : '')
  }
  return html`<details class="models-graph" id="models-graph" ?open=${isOpen} @toggle=${toggle}>${summary(room, 'graph', t('modelsGraph'))}
    ${isOpen ? graph(t('htmlLang')).draw(({ graphPanel, g }) => graphPanel(room, g)) : nothing}</details>`
}

/** @param {Context} context */
export function draw(context) {
  /** @type {Room} */
  const room = { ...context, ...shownOf(context) }
  const { t, act, view, got, run, head } = room
  if (view.isHeld) untilReleased(() => act.show({ isHeld: false }))
  const isBusy = [got.open, got.run, got.changed].some(each => each?.is === 'waiting')
  // Once a run reports progress, dim what still shows the previous text.
  const isOld = [got.run, got.changed].some(each => each?.is === 'waiting' && each.progress)
  const comes = run && !view.isNear ? () => prepare(room) : undefined
  glossOf(room) // starts loading the word meanings early, since they add a line to the words
  return html`<main class="models ${head ? 'has-head' : ''} ${isOld ? 'is-old' : ''} ${room.streamed ? 'is-streaming' : ''}"
    id="stage" tabindex="-1" data-tab=${view.tab} data-answers=${view.answers} data-slot=${got.run?.is ?? nothing}
    data-prepared=${got.prepare?.is ?? nothing} aria-busy=${isBusy} @pointerover=${comes} @focusin=${comes}>
      ${opening(room)} ${view.storyStep === undefined ? nothing : stories.draw(({ story }) => story(room))}
      ${
        run
          ? html`${tokenRows(room)}
        <div class="models-tabs" role="group" aria-label=${t('modelsParts')}>${TABS.map(
          name =>
            html`<button type="button" class="tab" aria-pressed=${view.tab === name}
              @click=${() => act.show({ tab: name })}>${t(`modelsTab.${name}`)}</button>`,
        )}</div>
        ${changesPanel(room)}
        <div class="models-stage">${
          head ? headOpen.draw(({ headPage }) => headPage(room, head)) : overview(room)
        }<div class="models-side">${
          room.cell && head ? cells(t('htmlLang')).draw(({ inspector, t, r }) => inspector({ ...room, t }, r)) : nothing
        }${predictionPanel(room)}</div></div>
        ${wholeModel(room)}${nextByHand(room)}${layersSay(room)}${whatMatters(room)}${graphOfHeads(room)}
        ${generateBar(room)}${programs(room)}`
          : room.streamed
            ? html`<div class="models-stage"><section class="models-atlas">${atlas(room)}</section></div>`
            : nothing
      }
    </main>`
}
