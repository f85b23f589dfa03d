// Draws the heads of the model: all as small maps, the selected one large with A above B, and the changes to heads.

import '../../elements/heads.js'
import { html, nothing } from 'lit'
import { headChange, headName, hiddenCells, withCell } from '../../attention-head/changes.js'
import { headSelect } from '../../attention-head/head-switch.js'
import { headView, paintButton, viewTabs, WEIGHT_VIEWS } from '../../attention-head/head-view.js'
import { visibleOf } from '../../attention-head/visible.js'
import { glosses, withGlosses } from '../../ui/glosses.js'
import { isFresh, runSettings } from './fields.js'
import { headAt, selectedOf } from './run-state.js'
import { TASKS } from './tasks/index.js'

/** @import { Context, Picture, RunInfo } from './learn.js' */

const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)}%`
/** Minimum score that is described. */
const LEAST_SCORE = 0.3
/** Size of a small map in pixels. */
const SIDE = 120

/** @param {Context['t']} t @param {RunInfo} run @param {number} layer */
function titleOf(t, { blocks }, layer) {
  const name = t('learnLayer', { layer: layer + 1 })
  if (!blocks.includes('cross')) return name
  if (blocks[layer] === 'cross') return t('learnLayer.cross')
  const encoder = t('learnLayer.encoder')
  return blocks.length > 2 ? `${name}: ${encoder}` : encoder
}

/** Returns the index of the corresponding layer in the reference run A, which may have more or fewer layers. @param {RunInfo} run @param {Picture['reference']} reference @param {number} layer */
function layerOfA({ blocks }, reference, layer) {
  const all = reference?.shown.layers ?? []
  if (!blocks.includes('cross')) return all[layer]
  return blocks[layer] === 'cross' ? all.at(-1) : all.slice(0, -1)[layer]
}

/** Describes each head of a layer at the displayed step. @param {Context} context @param {number} shownAt @param {number} layer @param {number} count */
function notes({ t, view: { points } }, shownAt, layer, count) {
  const point = points.filter(({ step }) => step <= shownAt).at(-1) ?? points[0]
  return Array.from({ length: count }, (_, head) => {
    const { previous = 0, answer = 0 } = point?.heads[layer]?.[head] ?? {}
    const kind = answer > previous ? 'answer' : 'previous'
    const share = Math.max(previous, answer)
    return t(share >= LEAST_SCORE ? `learnNote.${kind}` : 'learnNote.nothing', { share: percent(share) })
  })
}

/** Adds the source of the numbers (file, training or random) to the title of a map. @param {Context} context @param {string} map @param {number} step @returns {string} */
function withOrigin({ t, settings, view }, map, step) {
  const { task } = settings
  const { seed } = runSettings(settings)
  const key = view.file ? 'learnOriginFile' : step > 0 ? 'learnOriginTrained' : 'learnOriginRandom'
  return t('mapOf', { map, origin: t(key, { task: t(`task.${task}`), seed, step }) })
}

/** Draws all heads, layer by layer. @param {Context} context @param {RunInfo} run @param {Picture} picture */
export function heads(context, run, { shown, reference, shownAt }) {
  const { t, act, settings } = context
  const count = shown.layers[0].heads.length // an older picture may have a different number of heads
  const selected = selectedOf(context, shown.layers.length, count)
  const namesOf = (/** @type {number} */ layer, /** @type {number} */ length) =>
    Array.from({ length }, (_, head) => headName({ layer, head }))
  /** Adds a change that scales the selected head of a layer, and focuses its slider. @param {number} layer */
  const factor = layer => {
    const now = selectedOf(context, shown.layers.length, count)
    if (now.layer === layer) act.factor(layer, now.head)
  }
  const hasSwitches = !isFresh(context)
  const switches = (/** @type {number} */ layer) =>
    html`<div class="learn-switches">${namesOf(layer, count).map(
      (name, head) =>
        html`<span class="learn-switch" data-switch=${name}><span>${name}</span>
          ${headSelect({ t, changes: settings.changes, set: act.change }, headAt({ layer, head }))}</span>`,
    )}</div>`
  return html`<div class="learn-layers">
    ${shown.layers.map((weights, l) => {
      const title = titleOf(t, run, l)
      const before = layerOfA(run, reference, l)
      const same = before?.dims[1] === weights.dims[1]
      return html`<section class="learn-layer" data-layer=${l + 1}><h2>${title}</h2>
        ${
          before && same
            ? html`<p class="learn-of is-kept">A ${t('learnSteps.short', { step: reference?.shownAt ?? 0 })}</p>
              <qkv-heads class="is-kept" .texts=${t.elements} .weights=${before} .domain=${[0, 1]} .side=${SIDE}
                .numbers=${false} .selected=${-1} .names=${namesOf(l, before.dims[0])}
                label=${`A: ${title}`}></qkv-heads>
              <p class="learn-of is-new">B ${t('learnSteps.short', { step: shownAt })}</p>`
            : nothing
        }
        <qkv-heads .texts=${t.elements} .weights=${weights} .domain=${[0, 1]} .side=${SIDE} .numbers=${false}
          .selected=${l === selected.layer ? selected.head : -1} .names=${namesOf(l, count)}
          .notes=${notes(context, shownAt, l, count)} label=${withOrigin(context, title, shownAt)}
          @head-select=${(/** @type {CustomEvent} */ { detail }) => act.select(l, detail.head)}
          @dblclick=${() => factor(l)}
          @keydown=${(/** @type {KeyboardEvent} */ { key }) => key === 'F2' && factor(l)}></qkv-heads>
        ${hasSwitches ? switches(l) : nothing}
      </section>`
    })}
  </div>${hasSwitches ? html`<p class="note">${t('learnFactorHint')}</p>` : nothing}`
}

/** Draws the selected head in large. @param {Context} context @param {RunInfo} run @param {Picture} picture */
export function selectedHead(context, run, { shown, reference, shownAt, isCausal, changes: made }) {
  const { t, view, act, settings } = context
  const { task, changes } = settings
  const at = selectedOf(context, shown.layers.length, shown.layers[0].heads.length)
  const head = headAt(at)
  const layer = shown.layers[at.layer]
  const weights = layer.heads[at.head]
  const title = t('headTitle', { name: headName(at) })
  const label = (/** @type {string} */ map) => withOrigin(context, map, shownAt)
  const other = layerOfA(run, reference, at.layer)?.heads[at.head]
  const before = other?.dims.join() === weights.dims.join() ? other : undefined
  const change = headChange(changes, head)
  const isPainting = view.mode === 'paint'
  /** @type {import('../../attention-head/head.js').HeadView} */
  const shownHead = {
    prefix: 'learn-',
    label: label(title),
    weights,
    visible: visibleOf(weights.dims, isCausal, hiddenCells(made, head)),
    queries: TASKS[task].hasGlosses
      ? withGlosses(
          layer.rows,
          glosses(t, () => act.show({})),
        )
      : layer.rows,
    keys: layer.columns,
    isCross: run.blocks[at.layer] === 'cross',
    view: view.picture === 'difference' && !before ? 'map' : view.picture,
    mode: view.mode,
    domain: [0, 1],
    layer: {
      data: layer.data,
      from: 0,
      names: layer.heads.map((_, head) => headName({ layer: at.layer, head })),
      own: at.head,
    },
    word: view.word,
    less: before && {
      choices: [{ value: 'A', name: 'A' }],
      chosen: 'A',
      of: 'B − A',
      label: label(`B − A: ${title}`),
      weights: before,
    },
    className: change?.isOn && change.how === 0 ? 'is-off' : '',
  }
  /** @type {import('../../attention-head/head.js').HeadActions} */
  const actions = {
    show: picture => act.show({ picture }),
    setMode: mode => act.show({ mode, picture: 'map' }),
    point: () => {},
    select: ({ word }) => act.show({ word: word?.position === view.word?.position ? undefined : word }),
    hide: (query, key, isHidden) => act.change(withCell(changes, head, query, key, isHidden), `paint ${headName(at)}`),
  }
  const both = before && shownHead.view !== 'difference'
  return html`<section class="learn-chosen" aria-labelledby="learn-chosen-title">
    <header><h2 id="learn-chosen-title">${title}</h2>
      ${paintButton(shownHead, actions.setMode, t)}
      <button type="button" class="tool" id="learn-open-layer"
        @click=${() => act.openLayer(at.layer, at.head, t('learnBack', { step: shownAt }))}>${t('openLayer')}</button>
    </header>
    <div class="tabs" role="group" aria-label=${t('view')}>${viewTabs(
      shownHead.view,
      actions.show,
      t,
      WEIGHT_VIEWS.filter(name => before || name !== 'difference'),
    )}</div>
    <p class="note" id="learn-not-set">${t(isPainting ? 'learnPaintText' : 'learnNotSet')}</p>
    ${
      both
        ? html`<p class="learn-of is-kept">A</p>${headView(
            {
              ...shownHead,
              prefix: 'learn-a-',
              label: `A: ${title}`,
              weights: before,
              visible: visibleOf(before.dims, isCausal, []),
            },
            actions,
            t,
          )}<p class="learn-of is-new">B</p>`
        : nothing
    }
    ${headView(shownHead, actions, t)}
  </section>`
}
