// The browser's part for the shell: frames, the address, scrolling, storage, and the reader's events.

import { render } from 'lit'
import { copy, save } from '../files/clipboard.js'
import { filesOf } from '../files/dropped-files.js'
import { languageFor } from '../i18n/index.js'
import { page } from './page.js'

/** @typedef {import('./shell.js').Shell} Shell */
/** @typedef {import('./shell.js').State} State */

const darkness = matchMedia('(prefers-color-scheme: dark)')
const stillness = matchMedia('(prefers-reduced-motion: reduce)')
/** One column: see web/style. */
const narrowness = matchMedia('(max-width: 899px)')
const behavior = () => (stillness.matches ? 'auto' : 'smooth')

/** The reader's language and theme, which links do not hold. @returns {Pick<State, 'language' | 'theme'>} */
export function remembered() {
  /** @type {Partial<State>} */
  let stored = {}
  try {
    stored = JSON.parse(localStorage.getItem('qkv') ?? '{}')
  } catch {
    // Without storage, the browser's language and theme.
  }
  const { language, theme } = stored
  return {
    language: languageFor(language ?? navigator.language),
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
  }
}

/** The first of the elements that is drawn. @param {string} selector */
const seen = selector =>
  Array.from(document.querySelectorAll(selector)).find(element => element.getClientRects().length > 0)

let marking = 0
/**
 * Marks what a guide speaks of with numbers from 1. What is still being loaded is marked when it is there.
 * @param {readonly string[]} selectors
 * @param {number} [frames] to wait for it
 * @param {number} [call] a later one ends this one
 */
function mark(selectors, frames = MOST_FRAMES, call = ++marking) {
  if (call !== marking) return
  const badges = new Map(selectors.map((selector, i) => [seen(selector), String(i + 1)]))
  for (const marked of document.querySelectorAll('[data-tour]'))
    if (!badges.has(marked)) marked.removeAttribute('data-tour')
  for (const [element, badge] of badges) element?.setAttribute('data-tour', badge)
  if (frames && badges.has(undefined)) requestAnimationFrame(() => mark(selectors, frames - 1, call))
}

/** Runs it once the next picture is on the page; a map may then still take its place. @param {() => void} run */
const onceDrawn = run => requestAnimationFrame(() => requestAnimationFrame(run))

/** Frames until an element that a room wants to show is given up: the room may still be loading. */
const MOST_FRAMES = 300

/** Runs it once an element is on the page. @param {string} selector @param {() => void} run @param {number} [frames] */
function onceThere(selector, run, frames = MOST_FRAMES) {
  if (frames === 0 || document.querySelector(selector)) onceDrawn(run)
  else requestAnimationFrame(() => onceThere(selector, run, frames - 1))
}

/** While the page itself scrolls to a part, the scroll is not the reader's. */
let isRevealing = false
const REVEAL_TIME = 1000
/** @type {ReturnType<typeof setTimeout> | undefined} */
let revealed

/** So long after the last scroll of its own. */
function beRevealing() {
  isRevealing = true
  clearTimeout(revealed)
  revealed = setTimeout(() => {
    isRevealing = false
  }, REVEAL_TIME)
}

/** Pixels above what is scrolled to. */
const MARGIN = 64

/** Milliseconds for which what is loaded later may still move what is scrolled to. */
const GROWING = 3000
/** Ends the repeated scrolling of the reveal before. */
let stopGrowing = () => {}

/** Scrolls an element into sight, away from the bars that cover the page. @param {Element} part */
function bringIntoSight(part) {
  const body = part.closest('.panel-body')
  // The inspector is in sight: a target inside it scrolls the inspector, not the page.
  if (body) body.scrollTop += part.getBoundingClientRect().top - body.getBoundingClientRect().top - 16
  if (part.closest('.side')) return
  const { top, bottom } = part.getBoundingClientRect()
  const bars = document.querySelectorAll(narrowness.matches ? '.dock, .panel.is-open' : '.dock')
  const tops = Array.from(bars, bar => bar.getBoundingClientRect().top).filter(top => top > innerHeight / 3)
  const end = Math.min(innerHeight, ...tops)
  if (!part.closest('.screen')) part.scrollIntoView({ behavior: behavior(), block: 'start' })
  // On the first screen no further than it has to, and above the dock or the sheet.
  else if (top < 0 || bottom > end)
    scrollBy({ top: Math.min(top - MARGIN, Math.max(bottom - end, 0)), behavior: behavior() })
}

/** Scrolls to an element that is out of sight, again while the page around it still grows, until the reader acts. @param {string} selector */
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
    const sizes = new ResizeObserver(place) // it also reports the first sizes
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

/** The room is drawn in a later frame, and its numbers may still be computed: the page grows. @param {number} top @param {number} [frames] */
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
    // Writes differences only: maps read their colours again when these attributes change.
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
      // Without storage the choice lasts as long as the page.
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

/** Is somebody typing there? @param {EventTarget | null} target */
const isTyping = target => target instanceof HTMLElement && target.matches('input, textarea, select')

/**
 * Keys, the address, files that are dropped or pasted, and uncaught errors.
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
  addEventListener('popstate', shell.travelled) // before the change of the hash is heard of
  addEventListener('hashchange', shell.follow)
  addEventListener('keydown', event => press(shell, event))
  listenToScroll(shell)
  listenToFiles(shell)
  // Maps are as high as the window has room for: they look at its new size.
  addEventListener('resize', () => {
    for (const map of document.querySelectorAll('qkv-heatmap')) redraw(map)
  })
  // Elements draw after the page; their errors are shown like all others.
  addEventListener('error', ({ error }) => error && shell.fail(error))
  addEventListener('unhandledrejection', ({ reason }) => shell.fail(reason))
}

/** @param {any} element one of ours */
const redraw = element => element.requestUpdate()

/** @param {Shell} shell @param {KeyboardEvent} event */
function press(shell, event) {
  const { rooms, state } = shell
  const isCommand = event.ctrlKey || event.metaKey
  const key = event.key.toLowerCase()
  if (isCommand && (key === 'z' || key === 'y')) {
    // A box that is no setting has an Undo of the browser's own.
    if (isTyping(event.target) && event.target instanceof Element && event.target.closest('[data-own-undo]')) return
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

/** The part of a walk whose top was passed last; below the dock and the margin that it keeps when it is scrolled to. */
const PASSED = 160

/** What is scrolled past is told to the room; the dock goes to the top. @param {Shell} shell */
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

/** Files may be dropped anywhere, and JSON pasted where nobody is typing. @param {Shell} shell */
function listenToFiles({ give }) {
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop'])
    addEventListener(type, async event => {
      const { dataTransfer, relatedTarget } = /** @type {DragEvent} */ (event)
      if (!dataTransfer?.types.includes('Files')) return
      event.preventDefault() // the browser would leave the page for the file
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
