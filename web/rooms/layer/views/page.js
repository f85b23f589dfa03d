import { html, nothing } from 'lit'
import { inspector } from './cell-panel.js'
import { controls } from './controls.js'
import { tries } from './experiments.js'
import { heads } from './head-list.js'
import { header } from './header.js'
import { dock } from './matrix-dock.js'
import { plot } from './plot.js'
import { sentenceBar } from './sentence.js'
import { stage } from './stage.js'
import { bring, said, takeAlong } from './transfer.js'
import { walk } from './walk.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').Scene} Scene */
/** @typedef {import('./context.js').SceneContext} SceneContext */

/** How far the numbers are from float64. @param {SceneContext} context */
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

/** How far a large trace is: a line at the top that takes no room. @param {Context} context */
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

/** The room "One layer". @param {SceneContext} context @param {boolean} isStale */
const layer = (
  context,
  isStale,
) => html`<main class="room ${context.result.heads > 1 ? '' : 'has-one-head'} ${isStale ? 'is-stale' : ''}" aria-busy=${context.progress !== undefined}>
    <div class="screen">${heads(context)}${stage(context)}</div>
    ${inspector(context)} ${dock(context)}
    <div class="below">${plot(context)}${tries(context)}${walk(context)}${badge(context)}${takeAlong(context)}${bring(context)}</div>
  </main>`

/**
 * The whole page.
 * @param {Context & { scene?: Scene }} context
 */
export function page(context) {
  const { t, problems, scene, failure, notice, actions, from } = context
  const isStale = Object.keys(problems).length > 0 || failure !== undefined
  const body = scene && { ...context, ...scene }
  if (context.settings.room !== 'layer')
    return html`${header(context)}<div class="notices"><p class="notice" role="alert">${notice ? t(notice) : nothing}</p></div>${context.stores.draw(context.settings.room, context)}`
  return html`${header(context)}
    <div class="notices"><p class="notice" role="alert">${notice ? t(notice) : nothing}</p>
    ${
      failure === undefined
        ? nothing
        : html`<p class="failure" role="alert">${t(failure.key, failure.params)}
            ${failure.key === 'failed' ? nothing : html`<button type="button" class="plain" @click=${actions.retry}>${t('retry')}</button>`}</p>`
    }
    ${from ? html`<p class="from"><button type="button" class="tool" id="back-to-room" @click=${() => actions.look({ room: from.room })}>← ${from.text}</button></p>` : nothing}
    <p class="stale" role="status">${isStale && body ? t('stale') : nothing}</p></div>
    ${sentenceBar(context)}
    ${controls(context)}
    ${body || failure !== undefined ? nothing : html`<p class="note">${t('loading')}</p>`}
    ${working(context)}
    ${body ? layer(body, isStale) : nothing}
    ${said(context)}`
}
