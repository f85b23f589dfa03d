// Draws the page for teachers: chosen exercises as a link, an iframe or an element; solutions; how to host the page.

import { html, nothing } from 'lit'
import { until } from 'lit/directives/until.js'
import { LANGUAGES } from '../i18n/languages.js'
import { startOf, withParameters } from './attempt.js'
import { exerciseOf, GROUPS, IDS, idsOf } from './index.js'

/** @import { ListContext } from './list.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** Returns the parameters of a teacher's link. @param {import('./list.js').ListSettings} settings */
function parametersOf({ picked, lang, hints, solution, attempts }) {
  const { known } = idsOf(picked)
  /** @type {Record<string, string>} */
  const page = { exercise: (known.length ? known : IDS).join(',') }
  if (lang) page.lang = lang
  if (!hints) page.hints = 'off'
  if (!solution) page.solution = 'off'
  if (attempts) page.attempts = String(attempts)
  return page
}

/** Escapes a text for HTML. @param {string} text */
const escaped = text => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;')

/**
 * Returns the link, iframe and element as text to copy.
 * @param {import('./list.js').ListSettings} settings
 * @param {string} address URL of the page
 */
export function textsOf(settings, address) {
  const page = parametersOf(settings)
  const hash = (/** @type {Record<string, string>} */ more) =>
    `#2&${Object.entries({ ...page, ...more })
      .map(pair => pair.join('='))
      .join('&')}`
  const attributes = Object.entries(page).map(([name, value]) => `${name}="${value}"`)
  return {
    link: `${address}${hash({})}`,
    frame: `<iframe src="${escaped(`${address}${hash({ embed: '1' })}`)}" width="100%" height="640" title="qkv"></iframe>`,
    element: `<qkv-exercise src="${escaped(address)}" ${attributes.join(' ')}></qkv-exercise>`,
  }
}

/** @param {ListContext} context */
export function teachersPage(context) {
  const { t, settings, view, act } = context
  const { known } = idsOf(settings.picked)
  const texts = textsOf(settings, location.href.split('#')[0])
  return html`<p class="text">${t('teachersIntro')}</p>
    <section><h2>${t('teachersPick')}</h2>
      <div class="teachers-groups">${GROUPS.map(
        ({ name, ids }) =>
          html`<fieldset class="exercise-marks"><legend>${t(`group.${name}`)}</legend>${ids.map(
            id =>
              html`<label><input type="checkbox" data-pick=${id} .checked=${known.includes(id)}
                @change=${() => act.pick(id)} /> ${id.slice(1)} ${t(`${id}.title`)}</label>`,
          )}</fieldset>`,
      )}</div>
      <div class="exercise-tools teachers-rules">${rules(context)}</div>
    </section>
    <section><h2>${t('teachersHandOut')}</h2>
      <p class="note">${known.length ? '' : t('teachersAll')}</p>
      ${Object.entries(texts).map(
        ([name, text]) =>
          html`<div class="teachers-text"><label for="teachers-${name}">${t(`teachers.${name}`)}</label>
          <textarea id="teachers-${name}" rows="2" readonly spellcheck="false" .value=${text}></textarea>
          <button type="button" class="plain" data-copy=${name} @click=${() => act.copy(text)}>${t('copy')}</button></div>`,
      )}
      <p class="text">${t('teachersScores')}</p></section>
    <section><h2>${t('teachersOwn')}</h2><p class="text">${t('teachersOwnText')}</p></section>
    <section><h2>${t('teachersHost')}</h2><ol class="text">${[1, 2, 3].map(step => html`<li>${t(`teachersHost.${step}`)}</li>`)}</ol>
      <p><a href="./qkv-class.zip" download>qkv-class.zip</a> <a href="./qkv.html">qkv.html</a></p></section>
    <section><h2>${t('teachersSolutions')}</h2>
      ${
        view.hasSolutions
          ? html`<table class="teachers-solutions"><tbody>${IDS.map(
              id =>
                html`<tr><th scope="row">${id.slice(1)} ${t(`${id}.title`)}</th>${until(solutionOf(context, id), nothing)}</tr>`,
            )}</tbody></table>`
          : html`<button type="button" class="plain" id="teachers-solutions"
            @click=${() => act.showSolutions()}>${t('teachersShow')}</button>`
      }</section>`
}

/** Draws the options of a teacher's link: language, hints, solution and maximum tries. @param {ListContext} context */
function rules({ t, settings, act }) {
  const flag = (/** @type {'hints' | 'solution'} */ name) =>
    html`<label><input type="checkbox" data-rule=${name} .checked=${settings[name]}
      @change=${(/** @type {InputEvent} */ { target }) => act.set({ [name]: target.checked })} />
      ${t(`teachers.${name}`)}</label>`
  return html`<label class="exercise-control">${t('language')} <select id="teachers-lang"
    @change=${(/** @type {import('../shell/room.js').Chosen<import('./list.js').ListSettings['lang']>} */ { target }) => act.set({ lang: target.value })}>
      ${[['', t('teachersLangOwn')], ...Object.entries(LANGUAGES)].map(
        ([lang, name]) => html`<option value=${lang} ?selected=${settings.lang === lang}>${name}</option>`,
      )}</select></label>
    ${flag('hints')} ${flag('solution')}
    <label class="exercise-control">${t('teachers.attempts')} <input type="number" id="teachers-attempts" min="1"
      max="999" .value=${String(settings.attempts ?? '')}
      @input=${(/** @type {InputEvent} */ { target }) =>
        act.set({ attempts: /^[1-9]\d{0,2}$/.test(target.value) ? Number(target.value) : null })} /></label>`
}

/**
 * Returns the solution of an exercise: what to type, or a link that opens the solved state.
 * @param {ListContext} context
 * @param {string} id
 */
async function solutionOf({ t }, id) {
  const exercise = await exerciseOf(id)
  if (!exercise) return nothing
  const { answer, set } = exercise.solution
  const prefix = exercise.room === 'layer' ? '' : `${exercise.room}.`
  const own = new URLSearchParams(withParameters(startOf(exercise, 0), set))
  const all = new URLSearchParams([...own].map(([name, value]) => [`${prefix}${name}`, value]))
  const typed = Array.isArray(answer)
    ? answer.map(i => i + 1).join(', ')
    : typeof answer === 'string'
      ? answer
      : answer
        ? t('teachersBySeed')
        : ''
  return html`<td>${typed}</td><td>${
    set === undefined ? nothing : html`<a href="#2&exercise=${id}&${String(all)}">${t('teachersOpen')}</a>`
  }</td>`
}
