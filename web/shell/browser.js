// Implements the shell's host in a browser: frames, the address, scrolling, storage, and events.

import { render } from 'lit'
import { copy, save } from '../files/clipboard.js'
import { languageFor } from '../i18n/index.js'
import { page } from './page.js'

/** @import { Shell, State } from './shell.js' */

const darkness = matchMedia('(prefers-color-scheme: dark)')
const stillness = matchMedia('(prefers-reduced-motion: reduce)')
/** Matches a layout with one column: see web/style. */
const narrowness = matchMedia('(max-width: 899px)')
const behavior = () => (stillness.matches ? 'auto' : 'smooth')

/** Returns the stored language and theme, which are not part of links. @returns {Pick<State, 'language' | 'theme'>} */
export function remembered() {
  /** @type {Partial<State>} */
  let stored = {}
  try {
    stored = JSON.parse(localStorage.getItem('qkv') ?? '{}')
  } catch {
    // Without storage, use the language and theme of the browser.
  }
  const { language, theme } = stored
  return {
    language: languageFor(language ?? navigator.language),
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
  }
}

/** Returns the first of the matching elements that is rendered. @param {string} selector */
const seen = selector =>
  Array.from(document.querySelectorAll(selector)).find(element => element.getClientRects().length > 0)

let marking = 0
/**
 * Numbers the elements that a guide refers to, from 1, as soon as they exist.
 * @param {readonly string[]} selectors
 * @param {number} [frames] number of frames to wait
 * @param {number} [call] id of this call, which a later call cancels
 */
function mark(selectors, frames = MOST_FRAMES, call = ++marking) {
  if (call !== marking) return
  const badges = new Map(selectors.map((selector, i) => [seen(selector), String(i + 1)]))
  for (const marked of document.querySelectorAll('[data-tour]'))
    if (!badges.has(marked)) marked.removeAttribute('data-tour')
  for (const [element, badge] of badges) element?.setAttribute('data-tour', badge)
  if (frames && badges.has(undefined)) requestAnimationFrame(() => mark(selectors, frames - 1, call))
}

/** Runs a callback after the next paint, so that a map has time to replace its placeholder. @param {() => void} run */
const onceDrawn = run => requestAnimationFrame(() => requestAnimationFrame(run))

/** Maximum number of frames to wait for an element, since the room may still be loading. */
const MOST_FRAMES = 300

/** Runs a callback once an element is drawn, or after a number of frames without it. @param {string} selector @param {() => void} run @param {number} [frames] */
function onceThere(selector, run, frames = MOST_FRAMES) {
  if (frames === 0 || document.querySelector(selector)) onceDrawn(run)
  else requestAnimationFrame(() => onceThere(selector, run, frames - 1))
}

/** True while the page scrolls automatically. */
let isRevealing = false
const REVEAL_TIME = 1000
/** @type {ReturnType<typeof setTimeout> | undefined} */
let revealed

/** Sets `isRevealing` until shortly after the last automatic scroll. */
function beRevealing() {
  isRevealing = true
  clearTimeout(revealed)
  revealed = setTimeout(() => {
    isRevealing = false
  }, REVEAL_TIME)
}

/** Pixels kept free above the scroll target. */
const MARGIN = 64

/** Milliseconds during which lazy content may still move the scroll target. */
const GROWING = 3000
/** Stops the repeated scrolling that the previous `reveal` started. */
let stopGrowing = () => {}

/** Scrolls an element into view, clear of the bars that cover the page. @param {Element} part */
function bringIntoSight(part) {
  const body = part.closest('.panel-body')
  // The inspector is always visible. To reach a target inside, scroll the inspector, not the page.
  if (body) body.scrollTop += part.getBoundingClientRect().top - body.getBoundingClientRect().top - 16
  if (part.closest('.side')) return
  const { top, bottom } = part.getBoundingClientRect()
  const bars = document.querySelectorAll(narrowness.matches ? '.dock, .panel.is-open' : '.dock')
  const tops = Array.from(bars, bar => bar.getBoundingClientRect().top).filter(top => top > innerHeight / 3)
  const end = Math.min(innerHeight, ...tops)
  if (!part.closest('.screen')) part.scrollIntoView({ behavior: behavior(), block: 'start' })
  // If the target is out of view, scroll only as far as needed, clear of the dock or the sheet.
  else if (top < 0 || bottom > end)
    scrollBy({ top: Math.min(top - MARGIN, Math.max(bottom - end, 0)), behavior: behavior() })
}

/** Scrolls to an element, and again while lazy content changes the page height, until the reader acts. @param {string} selector */
function reveal(selector) {
  stopGrowing()
  beRevealing()
  onceThere(selector, () => {
    const part = document.querySelector(selector)
    if (!part) return
    const end = new AbortController()
    const place = () => {
      beRevealing()
      bringIntoSight(part)
    }
    const sizes = new ResizeObserver(place) // fires for the initial sizes too
    for (const each of [document.body, part, ...document.querySelectorAll('.dock')]) sizes.observe(each)
    stopGrowing = () => {
      sizes.disconnect()
      end.abort()
    }
    setTimeout(stopGrowing, GROWING)
    for (const type of ['pointerdown', 'wheel', 'keydown', 'touchstart'])
      addEventListener(type, stopGrowing, { signal: end.signal, passive: true })
  })
}

/** @param {string} hash */
const addressOf = hash => hash || location.pathname + location.search

/**
 * Restores a scroll position once the page is high enough, since the room is drawn in a later frame and may still be computing.
 * @param {number} top
 * @param {number} [frames]
 */
function scrollWhenHigh(top, frames = 60) {
  requestAnimationFrame(() => {
    if (isRevealing) return
    const most = document.documentElement.scrollHeight - innerHeight
    scrollTo({ top, behavior: 'instant' })
    if (most < top && frames) scrollWhenHigh(top, frames - 1)
  })
}

/** @type {import('./shell.js').Host} */
export const host = {
  draw(drawing) {
    const { t, theme, room, shell } = drawing
    const root = document.documentElement
    // Write only differences, since maps re-read their colours when these attributes change.
    if (root.lang !== t('htmlLang')) root.lang = t('htmlLang')
    if (root.dataset.theme !== theme) root.dataset.theme = theme
    document.title = `qkv: ${t('title')}`
    const isDark = theme === 'system' ? darkness.matches : theme === 'dark'
    render(page({ ...drawing, isDark }), document.body)
    mark(shell.rooms.get(room)?.marks() ?? [])
  },
  drawPlainly(message) {
    document.body.textContent = message
  },
  frame: run => requestAnimationFrame(run),
  address: () => location.hash,
  setAddress: (hash, entry = history.state) => history.replaceState(entry, '', addressOf(hash)),
  addEntry: (hash, entry) => history.pushState(entry, '', addressOf(hash)),
  entry: () => history.state ?? undefined,
  scrolled: () => scrollY,
  scrollTo: scrollWhenHigh,
  href: () => location.href,
  remember({ language, theme }) {
    try {
      localStorage.setItem('qkv', JSON.stringify({ language, theme }))
    } catch {
      // Without storage, the choice lasts until the page is closed.
    }
  },
  reveal,
  focus(selector, isLost = false) {
    onceThere(selector, () => {
      const part = document.querySelector(selector)
      if (isLost && document.activeElement !== document.body) return
      if (part instanceof HTMLElement) part.focus({ preventScroll: true })
    })
  },
  show(id) {
    const part = document.getElementById(id)
    if (part instanceof HTMLDetailsElement) part.open = true
    part?.scrollIntoView({ behavior: behavior(), block: 'start' })
    const target = part?.querySelector('summary') ?? part
    target?.focus({ preventScroll: true })
  },
  around: () => ({
    isHidden: document.hidden,
    isStill: stillness.matches,
    isNarrow: narrowness.matches,
    sentence: '',
  }),
  copy,
  save,
}

/** True if the target is a form field, which handles keys itself. @param {EventTarget | null} target */
const isTyping = target => target instanceof HTMLElement && target.matches('input, textarea, select')

/**
 * Listens to keys, the address, dropped or pasted files, and uncaught errors.
 * @param {Shell} shell
 */
export function listen(shell) {
  const { rooms } = shell
  const surround = () => {
    const { isHidden, isStill, isNarrow } = host.around()
    rooms.surround({ isHidden, isStill, isNarrow })
  }
  document.addEventListener('visibilitychange', surround)
  stillness.addEventListener('change', surround)
  narrowness.addEventListener('change', surround)
  darkness.addEventListener('change', shell.schedule)
  addEventListener('popstate', shell.travelled) // fires before hashchange
  addEventListener('hashchange', shell.follow)
  addEventListener('keydown', event => press(shell, event))
  listenToScroll(shell)
  listenToFiles(shell)
  // Redraw maps, whose height depends on the window.
  addEventListener('resize', () => {
    for (const map of document.querySelectorAll('qkv-heatmap')) redraw(map)
  })
  // Elements draw after the page, so drawing the page does not throw their errors. Report these here.
  addEventListener('error', ({ error }) => error && shell.fail(error))
  addEventListener('unhandledrejection', ({ reason }) => shell.fail(reason))
}

/** Redraws an element. @param {import('../elements/base.js').Reactive} element an element of this library */
const redraw = element => element.requestUpdate()

/** True if the browser's Undo applies to this field. Fields within data-undo="room" use the room's Undo instead. @param {EventTarget | null} target */
const hasOwnUndo = target =>
  target instanceof HTMLElement &&
  target.matches('textarea, input:not([type=range], [type=radio], [type=checkbox], [type=file])') &&
  target.closest('[data-undo]')?.getAttribute('data-undo') !== 'room'

/** @param {Shell} shell @param {KeyboardEvent} event */
function press(shell, event) {
  const { rooms, state } = shell
  const isCommand = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase()
  if (isCommand && (key === 'z' || key === 'y')) {
    if (hasOwnUndo(event.target)) return
    shell.travel('undo', key === 'y' || event.shiftKey ? 1 : 0)
    event.preventDefault()
  } else if (!isCommand && !event.altKey && !isTyping(event.target) && shell.companions.press(event))
    event.preventDefault()
  else if (event.key === 'P' && event.shiftKey && !isCommand && !isTyping(event.target)) shell.summon('present')
  else if (event.key === 'Escape') rooms.get(state.room)?.press('Escape')
  else if (!isTyping(event.target) && !isCommand && !event.altKey) {
    const name = event.key === 'PageDown' && event.shiftKey ? 'Shift+PageDown' : event.key
    if (rooms.get(state.room)?.press(name)) event.preventDefault()
  }
}

/** Pixels from the top of the window above which a step counts as passed: more than the dock and the scroll margin take. */
const PASSED = 160

/** Marks the page once the dock has reached the top of the window, and notifies the room which step the reader has scrolled past. @param {Shell} shell */
function listenToScroll({ rooms, state }) {
  let isWaiting = false
  addEventListener('scroll', () => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => {
      isWaiting = false
      const dock = document.querySelector('.dock')?.getBoundingClientRect()
      const isPast = dock !== undefined && dock.top < innerHeight / 4
      document.documentElement.classList.toggle('is-past', isPast)
      if (isPast) document.documentElement.style.setProperty('--dock-end', `${Math.ceil(dock.bottom)}px`)
      if (isRevealing) return beRevealing()
      const steps = Array.from(document.querySelectorAll('[data-step-id]'))
      const passed = steps.reverse().find(step => step.getBoundingClientRect().top < PASSED)
      if (passed instanceof HTMLElement && passed.dataset.stepId) rooms.get(state.room)?.pass(passed.dataset.stepId)
    })
  })
}

/** Returns the files of a drop, including those inside its folders. @param {DataTransfer} transfer @returns {Promise<readonly File[]>} */
async function filesOf({ items, files }) {
  const all = Array.from(files)
  const entries = Array.from(items, item => item.webkitGetAsEntry())
  return entries.some(entry => entry?.isDirectory)
    ? (await import('../files/dropped-folders.js')).filesIn(entries)
    : all
}

/** Accepts files dropped anywhere, and JSON pasted outside of text inputs. @param {Shell} shell */
function listenToFiles({ give }) {
  for (const type of /** @type {const} */ (['dragenter', 'dragover', 'dragleave', 'drop']))
    addEventListener(type, async event => {
      const { dataTransfer, relatedTarget } = event
      if (!dataTransfer?.types.includes('Files')) return
      event.preventDefault() // keeps the browser from opening the file
      const isOut = type === 'drop' || (type === 'dragleave' && !relatedTarget)
      document.documentElement.classList.toggle('is-dropping', !isOut)
      if (type === 'drop') give({ type: 'files', files: await filesOf(dataTransfer) })
    })
  addEventListener('paste', event => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const files = Array.from(event.clipboardData?.files ?? [])
    if (isTyping(event.target) || (!files.length && !/^\s*[[{]/.test(text))) return
    event.preventDefault()
    give(files.length ? { type: 'files', files } : { type: 'text', text })
  })
}
