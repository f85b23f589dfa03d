import { html, nothing } from 'lit'
import { percent } from '../format.js'
import { LANGUAGES } from '../i18n/index.js'
import { strongestLink } from '../trace.js'
import { arithmetic } from './arithmetic.js'
import { controls } from './controls.js'
import { heads } from './heads.js'
import { matrix } from './matrix.js'
import { tokens } from './tokens.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').Scene} Scene */
/** @typedef {import('./context.js').SceneContext} SceneContext */
/** @typedef {import('../state.js').Problems} Problems */
/** @typedef {import('../i18n/index.js').Key} Key */
/** @typedef {import('../i18n/index.js').Language} Language */
/** @typedef {import('../matrices.js').MatrixId} MatrixId */

/** How each language is called by those who speak it. */
const LANGUAGE_NAMES = /** @type {Record<Language, string>} */ ({ en: 'English', zh: '中文' })

/** @param {Context} context */
function header({ t, state, actions }) {
  const languages = /** @type {Language[]} */ (Object.keys(LANGUAGES))
  return html`<header class="top">
    <div>
      <h1>${t('title')}</h1>
      <p>${t('lede')}</p>
    </div>
    <div class="languages" role="group" aria-label=${t('language')}>
      ${languages.map(
        language =>
          html`<button type="button" lang=${language} aria-pressed=${state.language === language} @click=${() => actions.speak(language)}>
            ${LANGUAGE_NAMES[language]}
          </button>`,
      )}
    </div>
  </header>`
}

/**
 * One sentence: who looks hardest at whom.
 * @param {SceneContext} context
 */
function strongest({ t, state, result, head }) {
  const { queries, keys, isCross } = result.settings
  const link = strongestLink(result.heads[head].steps)
  const title = result.heads.length > 1 ? t('strongestHead', { head: head + 1 }) : t('strongestTitle')
  const isSelf = link && !isCross && link.row === link.column
  const text = link
    ? t(isSelf ? 'strongestSelf' : 'strongest', {
        query: queries.tokens[link.row],
        key: keys.tokens[link.column],
        percent: percent(link.weight, state.language),
      })
    : t('strongestNone')
  return html`<p class="strongest">
    <span class="strongest-title">${title}</span>
    <span class="strongest-text">${text}</span>
    ${link?.skipped ? html`<span class="note">${t('strongestSkipped')}</span>` : nothing}
  </p>`
}

/**
 * @param {SceneContext} context
 * @param {Key} heading
 * @param {Key} text
 * @param {string} kind how its matrices are laid out
 * @param {unknown} content
 */
function section({ t, result, head }, heading, text, kind, content) {
  const H = result.heads.length
  const isOfHead = H > 1 && ['project', 'attend', 'output'].includes(kind)
  return html`<section class="step step-${kind}">
    <h2>${t(heading)} ${isOfHead ? html`<span class="of-head">${t('ofHead', { head: head + 1, heads: H })}</span>` : nothing}</h2>
    <p>${t(text)}</p>
    ${content}
  </section>`
}

/** @param {SceneContext} context */
function trace(context) {
  const { isCross, heads: H } = context.result.settings
  const row = (/** @type {MatrixId[]} */ ...ids) =>
    html`<div class="matrices">${ids.map(id => matrix(context, id))}</div>`
  /** @type {MatrixId[]} */
  const embeddings = isCross ? ['X', 'X2'] : ['X']
  const columns = /** @type {[MatrixId, MatrixId][]} */ ([
    ['Wq', 'Q'],
    ['Wk', 'K'],
    ['Wv', 'V'],
  ])
  return [
    section(context, 'embedHeading', 'embedText', 'embed', [tokens(context), row(...embeddings)]),
    H > 1 ? section(context, 'headsHeading', 'headsText', 'heads', heads(context)) : nothing,
    section(
      context,
      'projectHeading',
      'projectText',
      'project',
      html`<div class="trio">${columns.map(pair => row(...pair))}</div>`,
    ),
    section(context, 'attendHeading', 'attendText', 'attend', row('scores', 'scaled', 'masked', 'weights')),
    section(context, 'outputHeading', 'outputText', 'output', H > 1 ? row('output', 'joined') : row('output')),
  ]
}

/**
 * The whole page.
 * @param {Context & { problems: Problems, scene?: Scene, failure?: string }} context
 */
export function page(context) {
  const { t, problems, scene, failure } = context
  const isStale = Object.keys(problems).length > 0
  const body = scene && { ...context, ...scene }
  return html`${header(context)} ${controls(context)}
    ${failure === undefined ? nothing : html`<p class="failure" role="alert">${t('failed', { message: failure })}</p>`}
    ${body || failure !== undefined ? nothing : html`<p class="note">${t('loading')}</p>`}
    <p class="stale" role="status">${isStale && body ? t('stale') : nothing}</p>
    ${
      body
        ? html`<div class="columns">
            <main class=${isStale ? 'is-stale' : ''}>${strongest(body)}${trace(body)}</main>
            ${arithmetic(body)}
          </div>`
        : nothing
    }`
}
