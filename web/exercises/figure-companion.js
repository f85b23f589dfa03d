// "Embed": HTML snippets that embed the current view in a lecture page.

import { html, nothing } from 'lit'
import { copy } from '../files/clipboard.js'
import { textsLater } from '../shell/texts-later.js'
import { barHeight } from './bar-height.js'
import { elementOf, frameOf } from './figure-text.js'

/** @param {import('../shell/shell.js').Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  let isOpen = false
  let said = ''
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercise-pages'])

  function close() {
    isOpen = false
  }

  /** Returns the displayed head of "One layer" as HTML of an element. */
  function element() {
    const { state } = shell.rooms.store('layer') ?? {}
    // While a companion is loading, no room has been drawn and the settings of a new link are unvalidated.
    if (shell.state.isWaiting || shell.state.room !== 'layer' || state?.got.trace?.is !== 'here') return undefined
    const { head, word, view } = state.settings
    return elementOf(state.got.trace.value, head, word?.position ?? 0, view)
  }

  /** @param {string} text */
  async function take(text) {
    said = (await copy(text)) ? 'exercisesCopiedText' : 'copyFailed'
    shell.schedule()
  }

  return {
    open() {
      isOpen = true
      said = ''
    },
    close,
    link: () => ({}),
    follow: close,
    draw() {
      const later = textsOf(shell.state.language)
      const t = later.module
      if (isOpen) later.ask(() => shell.schedule())
      if (!isOpen || !t) return nothing
      const say = t
      const address = location.href.split('#')[0] + shell.linkWith({ embed: '1' })
      const texts = { frame: frameOf(address), element: element() }
      return html`<section class="exercise" id="figure" aria-label=${t('companion.figure')}>
        <div class="exercise-task">${Object.entries(texts).map(([name, text]) =>
          text === undefined
            ? html`<p class="note">${say('figureNone')}</p>`
            : html`<div class="figure-text"><label for="figure-${name}">${say(`figure.${name}`)}</label>
              <textarea id="figure-${name}" rows="1" readonly spellcheck="false" .value=${text}></textarea>
              <button type="button" class="plain" data-copy=${name} @click=${() => take(text)}>${say('copy')}</button></div>`,
        )}</div>
        <div class="exercise-tools"><span role="status">${said ? say(said) : ''}</span>
          <button type="button" class="tool" id="figure-close" @click=${() => {
            isOpen = false
            shell.schedule()
          }}>${say('close')}</button></div>
      </section>`
    },
    drawn: barHeight('figure'),
  }
}
