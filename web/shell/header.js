// Draws the header of the page: the rooms, Undo and Redo, Share, the menu.

import { html, nothing } from 'lit'
import { LANGUAGES } from '../i18n/languages.js'
import { checked } from './checked.js'
import { menu, menuItem } from './menu.js'
import './tool-group.js'

/** @import { Drawing } from './shell.js' */
/** @import { Language } from '../i18n/index.js' */
/** @import { Chosen } from './room.js' */
/** @import { Theme } from './shell.js' */

/** @param {Drawing} drawing */
export function header(drawing) {
  const { t, room, language, shell } = drawing
  const { rooms } = shell
  const can = rooms.store(room)?.can()
  // Hide Undo and Redo until there is something to undo, to save space.
  const isFresh = !can?.undo && !can?.redo
  return html`<a class="skip" href="#stage" @click=${skip}>${t('skip')}</a>
    <header class="top">
      <tool-group class="top-row" aria-label=${t('pageTools')}>
        <h1>${shell.front === shell.tabs[0] ? 'qkv' : html`<a href="#" id="to-front" title=${t('room.front')}>qkv</a>`}</h1>
        <nav class="rooms" aria-label=${t('rooms')}>
          ${shell.tabs.map(id => {
            const note = id === room ? undefined : rooms.get(id)?.note(language)
            return html`<button type="button" class="room" data-room=${id}
              aria-current=${id === room ? 'page' : nothing}
              @click=${() => shell.visit(id)}>${t(`room.${id}`)}${note ? html` <span class="room-note">${note}</span>` : nothing}</button>`
          })}
        </nav>
        <span class="spring"></span>
        ${rooms.get(room)?.part('tools', drawing) ?? nothing}
        <button type="button" class="tool" id="undo" title="Ctrl+Z" ?hidden=${isFresh} ?disabled=${!can?.undo}
          @click=${() => shell.travel('undo', 0)}>${t('undo')}</button>
        <button type="button" class="tool" id="redo" title="Ctrl+Shift+Z" ?hidden=${isFresh} ?disabled=${!can?.redo}
          @click=${() => shell.travel('undo', 1)}>${t('redo')}</button>
        <button type="button" class="tool" id="copy-link" @click=${shell.share}>${t('share')}</button>
        ${menu({ id: 'more', label: html`<span class="more-word">${t('more')}</span> ☰`, title: t('more') }, more(drawing))}
      </tool-group>
    </header>`
}

/** Moves the focus for the skip link, since following its hash would replace the settings in the address. @param {Event} event */
function skip(event) {
  event.preventDefault()
  const map = document.querySelector('#stage qkv-heatmap, #stage qkv-flow')
  const target = map?.shadowRoot?.querySelector('[tabindex="0"]') ?? document.getElementById('stage')
  if (target instanceof HTMLElement) target.focus()
}

/** @param {Drawing} drawing */
function more(drawing) {
  const { t, room, language, theme, shell } = drawing
  const { front } = shell
  return html`${
    front === undefined || front === shell.tabs[0]
      ? nothing
      : menuItem('menu-front', t('room.front'), () => shell.visit(front), 'of-phone')
  }
    ${menuItem('menu-undo', t('undo'), () => shell.travel('undo', 0), 'of-phone')}
    ${menuItem('menu-redo', t('redo'), () => shell.travel('undo', 1), 'of-phone')}
    ${menuItem('menu-share', t('share'), shell.share, 'of-phone')}
    ${menuItem('reset', t('reset'), shell.reset)}
    ${shell.companions.offered.map(name => menuItem(`menu-${name}`, t(`companion.${name}`), () => shell.summon(name)))}
    ${shell.aside.map(id => menuItem(`menu-${id}`, t(`room.${id}`), () => shell.visit(id)))}
    ${shell.rooms.get(room)?.part('more', drawing) ?? nothing} ${checked(drawing)}
    <label>${t('language')} <select id="language"
      @change=${(/** @type {Chosen<Language>} */ { target }) => shell.setLanguage(target.value)}>
      ${Object.entries(LANGUAGES).map(
        ([tag, name]) => html`<option value=${tag} lang=${tag} ?selected=${tag === language}>${name}</option>`,
      )}
    </select></label>
    <label>${t('theme')} <select id="theme"
      @change=${(/** @type {Chosen<Theme>} */ { target }) => shell.setTheme(target.value)}>
      ${['system', 'light', 'dark'].map(name => html`<option value=${name} ?selected=${name === theme}>${t(`theme.${name}`)}</option>`)}
    </select></label>`
}
