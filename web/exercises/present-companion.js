// The presenter shows the page without header and tools, enlarged for a projector. Arrow keys step through "My slides".

import { html, nothing } from 'lit'
import { save } from '../files/clipboard.js'
import { textsLater } from '../shell/texts-later.js'
import {
  asParameter,
  keepSlides,
  moved,
  readSlides,
  shownAfterMove,
  shownAfterRemoval,
  storedSlides,
} from './slides.js'

/** @typedef {ReturnType<typeof storedSlides>[number]} Slide */

const storage = () => globalThis.localStorage

/**
 * Creates the list of slides, which also remembers the displayed one.
 * @param {import('../shell/shell.js').Shell} shell
 */
function createSlideShow(shell) {
  let slides = storedSlides(storage)
  /** True if the slides come from a link. They stay in the address and do not overwrite the reader's stored slides. */
  let isShared = false
  /** Index of the displayed slide; -1 for none. */
  let at = -1
  /** Text key of a message about the slides, or ''. */
  let said = ''

  /** @param {string} key */
  function say(key) {
    said = key
    shell.schedule()
  }

  /** Stores changed slides. @param {Slide[]} next @param {number} [shown] new index of the displayed slide */
  function keep(next, shown = at) {
    slides = next
    at = shown
    say(isShared || keepSlides(storage, slides) ? '' : 'presentRefused')
  }

  return {
    keep,
    all: () => ({ slides, at, said }),
    /** Returns the value of the parameter `present`. */
    link: () => (isShared ? asParameter(slides) : '1'),
    /**
     * Shows a slide as it was added. Changes made on the previous slide are lost, except that Undo restores them. Returns false if the
     * slide does not exist.
     * @param {number} to
     */
    show(to) {
      if (!slides[to]) return false
      at = to
      location.hash = withPresent(slides[to].hash)
      return true
    },
    /** Appends the current view as a slide. */
    add() {
      if (shell.rooms.store(shell.state.room)?.canLink() === false) return say('linkLarge')
      const name = `${shell.state.t(`room.${shell.state.room}`)} ${slides.length + 1}`
      keep([...slides, { name, hash: shell.linkWith({ present: undefined }) || '#2&room=front' }], slides.length)
    },
    /** Opens a file of slides. @param {Event & { target: HTMLInputElement }} event */
    async take({ target }) {
      const [file] = target.files ?? []
      target.value = ''
      if (!file) return
      try {
        const read = readSlides(await file.text())
        isShared = false
        keep(read, -1)
      } catch {
        say('presentUnreadable')
      }
    },
    /** Opens the slides of a link. Returns true if other slides are shown now. @param {string} parameter */
    follow(parameter) {
      if (isShared && parameter === asParameter(slides)) return false
      try {
        slides = readSlides(parameter)
        isShared = true
        at = -1
        return true
      } catch {
        said = 'presentUnreadable'
        return false
      }
    },
  }
}

/** Draws a ring where the pointer is pressed, so that an audience can follow. @param {() => boolean} isOn */
function createRing(isOn) {
  const ring = document.createElement('div')
  ring.className = 'present-ring'
  addEventListener('pointerdown', ({ clientX, clientY }) => {
    if (!isOn()) return
    ring.style.translate = `${clientX}px ${clientY}px`
    ring.remove()
    document.body.append(ring)
  })
  return ring
}

/** @param {import('../shell/shell.js').Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  let isOn = false
  let isBlank = false
  /** True if the list of slides is open. */
  let isListed = false
  const slideShow = createSlideShow(shell)
  const ring = createRing(() => isOn)
  /** @type {import('../shell/texts-later.js').Later<import('../shell/room.js').Translate>} */
  const textsOf = textsLater(['shell', 'exercise-pages'])

  function leave() {
    isOn = isBlank = isListed = false
    if (document.fullscreenElement) document.exitFullscreen()
    shell.schedule()
  }

  /** @param {number} to */
  function show(to) {
    if (slideShow.show(to)) isBlank = false
  }

  return {
    open() {
      if (shell.companions.link().embed) return // the presenter is not available in an embedded page
      isOn = true
      document.documentElement.requestFullscreen?.().catch(() => {}) // a browser may refuse; the page is enlarged anyway
      shell.schedule()
    },
    draw() {
      const texts = textsOf(shell.state.language)
      const t = texts.module
      texts.ask(() => shell.schedule())
      if (!isOn || !t) return nothing
      const { slides, at, said } = slideShow.all()
      return html`<section class="present" id="present" aria-label=${t('companion.present')} data-at=${at} data-slides=${slides.length}>
          <button type="button" class="tool" id="present-add" @click=${slideShow.add}>${t('presentAdd')}</button>
          <button type="button" class="tool" id="present-slides" aria-expanded=${isListed} @click=${() => {
            isListed = !isListed
            shell.schedule()
          }}>${t('presentSlides', { at: at + 1, of: slides.length })}</button>
          <button type="button" class="tool" id="present-leave" @click=${leave}>${t('guideLeave')}</button>
          <p role="status">${said ? t(said) : ''}</p>
          ${isListed ? slideList(t, slides, at, { keep: slideShow.keep, show, take: slideShow.take }) : nothing}</section>
        ${isBlank ? html`<div class="present-blank"></div>` : nothing}`
    },
    /** @returns {Record<string, string>} */
    link: () => (isOn ? { present: slideShow.link() } : {}),
    close() {
      if (isOn) leave()
    },
    follow({ present, embed }) {
      if (isOn && embed === '1') leave()
      if (present === undefined || embed === '1') return
      isOn = true
      if (present !== '1' && slideShow.follow(present)) isListed = true
    },
    drawn() {
      document.documentElement.classList.toggle('is-presenting', isOn)
      if (!isOn) ring.remove()
    },
    press({ key, target }) {
      if (!isOn) return false
      const { slides, at } = slideShow.all()
      if (key === 'Escape') leave()
      else if (key === '.') {
        isBlank = !isBlank
        shell.schedule()
      } else if (['ArrowRight', 'PageDown'].includes(key) && isFree(target)) show(Math.min(at + 1, slides.length - 1))
      else if (['ArrowLeft', 'PageUp'].includes(key) && isFree(target)) show(Math.max(at - 1, 0))
      else return false
      return true
    },
  }
}

/**
 * Draws the list of slides, where they are renamed, moved, saved and opened.
 * @param {import('../shell/room.js').Translate} t
 * @param {readonly Slide[]} slides
 * @param {number} at index of the displayed slide
 * @param {object} act
 * @param {(slides: Slide[], shown?: number) => void} act.keep
 * @param {(to: number) => void} act.show
 * @param {(event: Event & { target: HTMLInputElement }) => void} act.take opens a file of slides
 */
function slideList(t, slides, at, { keep, show, take }) {
  const link = `${location.href.split('#')[0]}#2&present=${encodeURIComponent(asParameter(slides))}`
  return html`<div class="present-list">
    <ol>${slides.map(
      ({ name }, i) =>
        html`<li><input type="text" aria-label=${t('presentName')} .value=${name}
          @change=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) =>
            keep(slides.map((slide, n) => (n === i ? { ...slide, name: target.value } : slide)))} />
        <button type="button" class="plain" data-show=${i} @click=${() => show(i)}>${t('presentShow')}</button>
        <button type="button" class="plain" aria-label=${t('presentUp')} ?disabled=${i === 0}
          @click=${() => keep(moved(slides, i, -1), shownAfterMove(at, i, -1))}>↑</button>
        <button type="button" class="plain" aria-label=${t('presentDown')} ?disabled=${i === slides.length - 1}
          @click=${() => keep(moved(slides, i, 1), shownAfterMove(at, i, 1))}>↓</button>
        <button type="button" class="plain" aria-label=${t('presentRemove')} @click=${() =>
          keep(
            slides.filter((_, n) => n !== i),
            shownAfterRemoval(at, i),
          )}>×</button></li>`,
    )}</ol>
    <p class="buttons"><button type="button" class="plain" id="present-json"
      @click=${() => save('qkv-slides.json', JSON.stringify(slides, null, 1), 'application/json')}>${t('presentSave')}</button>
      <label class="plain">${t('presentOpen')} <input type="file" hidden accept=".json,application/json" @change=${take} /></label>
      <a href=${link} id="present-link">${t('presentLink')}</a></p>
    <p class="note">${t('presentKeys')}</p></div>`
}

/** True if the focused element does not use arrow keys. @param {EventTarget | null} target */
const isFree = target => target === document.body || (target instanceof Element && target.closest('.present') !== null)

/** Returns a hash that also opens the presenter. Drops the checksum, which would no longer match. @param {string} hash */
const withPresent = hash => hash.replace(/^#(\d+)(?:~\w*)?&/, '#$1&present=1&')
