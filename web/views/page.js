import { html, nothing } from 'lit'
import { LANGUAGES } from '../i18n/index.js'
import { PRESETS } from '../settings/presets.js'
import { arithmetic } from './arithmetic.js'
import { bring, carryButtons, said, takeAlong } from './carry.js'
import { controls, presets } from './controls.js'
import { hero, tokens } from './hero.js'
import { plot } from './plot.js'
import { tries } from './tries.js'
import { walk } from './walk.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').Scene} Scene */
/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('./context.js').Theme} Theme */
/** @typedef {import('../i18n/index.js').Language} Language */
/** @typedef {import('../i18n/index.js').Key} Key */

/** @param {Context} context */
function tools(context) {
  const { t, language, theme, history, actions } = context
  const languages = /** @type {Language[]} */ (Object.keys(LANGUAGES))
  const themes = /** @type {Theme[]} */ (['system', 'light', 'dark'])
  const select =
    (/** @type {(value: any) => void} */ change) => (/** @type {Event & { target: HTMLSelectElement }} */ event) =>
      change(event.target.value)
  return html`<div class="tools">
    <div class="group" role="group" aria-label=${t('history')}>
      <button type="button" id="undo" title="Ctrl+Z" ?disabled=${history.past.length === 0} @click=${actions.undo}>${t('undo')}</button>
      <button type="button" id="redo" title="Ctrl+Shift+Z" ?disabled=${history.future.length === 0} @click=${actions.redo}>${t('redo')}</button>
      <button type="button" id="reset" @click=${actions.reset}>${t('reset')}</button>
    </div>
 ${carryButtons(context)}
    <select id="language" aria-label=${t('language')} @change=${select(actions.setLanguage)}>
      ${languages.map(name => html`<option value=${name} lang=${name} ?selected=${name === language}>${LANGUAGES[name].languageName}</option>`)}
    </select>
    <select id="theme" aria-label=${t('theme')} @change=${select(actions.setTheme)}>
      ${themes.map(name => html`<option value=${name} ?selected=${name === theme}>${t(`theme.${name}`)}</option>`)}
    </select>
  </div>`
}

/** How far the numbers are from float64. @param {SceneContext} context */
function badge({ t, difference }) {
  if (!difference) return html`<p class="badge" id="badge">${t('differencePending')}</p>`
  const { most, matrix, rows, of } = difference
  const where = matrix ? t(`matrix.${matrix}`) : ''
  const text = t(rows < of ? 'differenceRows' : 'difference', { most: most.toExponential(1), rows, of })
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

/** What a large trace leaves out. @param {SceneContext} context */
function left({ t, result, head }) {
  if (result.detailHead === undefined) return nothing
  const params = { head: head + 1, heads: result.heads }
  return html`<p class="note left-out">${t(result.smalls ? 'leftOutWeights' : 'leftOut', params)}</p>`
}

/**
 * What differs from the document, and why.
 * @param {Context} context
 * @param {import('../settings/presets.js').PresetId} preset
 */
function differs({ t }, preset) {
  const { document } = PRESETS[preset]
  if (!document) return nothing
  const key = /** @type {Key} */ (`differs.${document}`)
  return html`<details class="differs" id="differs">
    <summary>${t('differs')}</summary>
    ${t(key)
      .split('\n')
      .map(paragraph => html`<p>${paragraph}</p>`)}
  </details>`
}

/**
 * The whole page.
 * @param {Context & { scene?: Scene }} context
 */
export function page(context) {
  const { t, problems, scene, failure, notice, preset, progress } = context
  const isStale = Object.keys(problems).length > 0
  const body = scene && { ...context, ...scene }
  return html`<header class="top">
      <h1>${t('title')}</h1>
      ${tools(context)}
    </header>
    <p class="notice" role="alert">${notice ? t(notice) : nothing}</p>
    <nav aria-label=${t('presets')}>${presets(context)}
    <div class="preset-line"><p class="preset-note">${preset ? t(`preset.${preset}.note`, { document: PRESETS[preset].document }) : t('own')}</p>${preset ? differs(context, preset) : nothing}</div></nav>
    ${controls(context)}
    ${failure ? html`<p class="failure" role="alert">${t(failure.key, failure.params)}</p>` : nothing}
    ${body || failure !== undefined ? nothing : html`<p class="note">${t('loading')}</p>`}
    ${working(context)}
    <p class="stale" role="status">${isStale && body ? t('stale') : nothing}</p>
    ${
      body
        ? html`<div class="columns">
            <main class=${isStale ? 'is-stale' : ''} aria-busy=${progress !== undefined}>${tokens(body)} ${hero(body)}${left(body)}${plot(body)}${tries(body)}${walk(body)}${badge(body)}${takeAlong(body)}${bring(body)}</main>
            ${arithmetic(body)}
          </div>`
        : nothing
    }
    ${said(context)}`
}
