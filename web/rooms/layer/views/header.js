import { html, nothing } from 'lit'
import { LANGUAGES } from '../../../i18n/languages.js'
import { closeMenu, menu } from '../../../shell/menu.js'
import { STOPS } from '../explain/tour.js'
import '../../../shell/tool-group.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').Theme} Theme */
/** @typedef {import('../../../i18n/index.js').Language} Language */

/** Rooms that are built. */
const ROOMS = /** @type {const} */ (['layer', 'learn', 'models'])

/** @param {Context} context */
export function header(context) {
  const { t, canUndo, canRedo, rooms, actions, settings } = context
  const noteOf = (/** @type {typeof ROOMS[number]} */ room) => (room === settings.room ? undefined : rooms[room]?.note)
  return html`<a class="skip" href="#stage" @click=${skip}>${t('skip')}</a>
    <header class="top">
      <tool-group class="top-row" aria-label=${t('pageTools')}>
        <h1>qkv</h1>
        <nav class="rooms" aria-label=${t('rooms')}>
          ${ROOMS.map(
            room =>
              html`<button type="button" class="room" data-room=${room} aria-current=${settings.room === room ? 'page' : nothing} @click=${() => actions.look({ room })}>${t(`room.${room}`)}${noteOf(room) ? html` <span class="room-note">${noteOf(room)}</span>` : nothing}</button>`,
          )}
        </nav>
        <span class="spring"></span>
        ${settings.room === 'layer' ? menu({ id: 'tour-start', label: t('tour') }, questions(context)) : nothing}
        <button type="button" class="tool" id="undo" title="Ctrl+Z" ?disabled=${!canUndo} @click=${actions.undo}>${t('undo')}</button>
        <button type="button" class="tool" id="redo" title="Ctrl+Shift+Z" ?disabled=${!canRedo} @click=${actions.redo}>${t('redo')}</button>
        <button type="button" class="tool" id="copy-link" @click=${() => actions.copy('link')}>${t('share')}</button>
        ${menu({ id: 'more', label: '☰', title: t('more') }, more(context))}
      </tool-group>
    </header>`
}

/** The questions of the tour: each opens its stop. @param {Context} context */
const questions = ({ t, tour, actions }) =>
  html`<div role="group" aria-label=${t('tour')}>${STOPS.map(
    ({ id }, i) =>
      html`<button
        type="button"
        data-tour-stop=${i + 1}
        aria-pressed=${tour === i + 1}
        @click=${(/** @type {Event & { target: Element }} */ { target }) => {
          closeMenu(target)
          actions.setTour(i + 1)
        }}
      >${t(/** @type {import('../../../i18n/index.js').Key} */ (`tour.${id}.question`))}</button>`,
  )}</div>`

/** The hash belongs to the settings: the link moves the focus itself. @param {Event} event */
function skip(event) {
  event.preventDefault()
  const map = document.querySelector('#stage qkv-heatmap, #stage qkv-lines')
  const target = map?.shadowRoot?.querySelector('[tabindex="0"]') ?? document.getElementById('stage')
  if (target instanceof HTMLElement) target.focus()
}

/** @param {Context} context */
function more({ t, language, theme, actions }) {
  const languages = /** @type {Language[]} */ (Object.keys(LANGUAGES))
  const themes = /** @type {Theme[]} */ (['system', 'light', 'dark'])
  const select =
    (/** @type {(value: any) => void} */ change) => (/** @type {Event & { target: HTMLSelectElement }} */ event) =>
      change(event.target.value)
  const item = (/** @type {string} */ id, /** @type {string} */ label, /** @type {() => void} */ act, className = '') =>
    html`<button type="button" id=${id} class=${className} @click=${(
      /** @type {Event & { target: Element }} */ event,
    ) => {
      closeMenu(event.target)
      act()
    }}>${label}</button>`
  return html`${item('menu-undo', t('undo'), actions.undo, 'of-phone')}
    ${item('menu-redo', t('redo'), actions.redo, 'of-phone')}
    ${item('menu-share', t('share'), () => actions.copy('link'), 'of-phone')}
    ${item('reset', t('reset'), actions.reset)}
    ${item('to-bring', t('bringShort'), () => actions.show('bring'))}
    ${item('to-code', t('codeShort'), () => actions.show('take'))}
    <label>${t('language')} <select id="language" @change=${select(actions.setLanguage)}>
      ${languages.map(name => html`<option value=${name} lang=${name} ?selected=${name === language}>${LANGUAGES[name]}</option>`)}
    </select></label>
    <label>${t('theme')} <select id="theme" @change=${select(actions.setTheme)}>
      ${themes.map(name => html`<option value=${name} ?selected=${name === theme}>${t(`theme.${name}`)}</option>`)}
    </select></label>`
}
