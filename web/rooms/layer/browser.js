// The browser's part for the store: frames, the address, scrolling, storage, and the reader's events.

import { render } from 'lit'
import { languageFor } from '../../i18n/index.js'
import { stopOf } from './explain/tour.js'
import { page } from './views/page.js'

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./app.js').Drawing} Drawing */
/** @typedef {import('./app.js').State} State */

/**
 * What the store needs of the place it runs in.
 * @typedef {object} Host
 * @property {(drawing: Drawing) => void} draw may throw
 * @property {(message: string) => void} drawPlainly when even a page without numbers cannot be drawn
 * @property {(run: () => void) => void} frame runs it before the next paint
 * @property {() => string} address the hash
 * @property {(hash: string) => void} setAddress
 * @property {() => string} href the whole address
 * @property {(taste: Pick<State, 'language' | 'theme'>) => void} remember
 * @property {(selector: string) => void} reveal scrolls to an element
 * @property {(selector: string) => void} focus moves the focus to an element, once it is drawn
 * @property {() => import('../../shell/room.js').Surroundings} around
 * @property {() => boolean} isStill does the reader ask for less motion?
 * @property {(id: string) => void} show scrolls to a part of the page and focuses it
 * @property {() => void} toTop
 */

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

/** Marks the target of the tour's stop, and where its thing is to be done, with their badges. @param {number | null} tour @param {readonly string[]} [marks] those of another room */
function markTargets(tour, marks = []) {
  const { target, does } = tour === null ? {} : stopOf(tour)
  const badges = new Map(
    [target, does, ...marks].map((selector, i) => [
      selector === undefined ? undefined : seen(selector),
      String(i < 2 ? i + 1 : i - 1),
    ]),
  )
  for (const marked of document.querySelectorAll('[data-tour]'))
    if (!badges.has(marked)) marked.removeAttribute('data-tour')
  for (const [element, badge] of badges) element?.setAttribute('data-tour', badge)
}

/** The first of the elements that is drawn. @param {string} selector */
const seen = selector =>
  Array.from(document.querySelectorAll(selector)).find(element => element.getClientRects().length > 0)

/** While the page itself scrolls to a part, the marker of the walk does not follow. */
let isRevealing = false
const REVEAL_TIME = 1000

/** @type {Host} */
export const host = {
  draw(drawing) {
    const { t, theme } = drawing
    const root = document.documentElement
    // Writes differences only: maps read their colours again when these attributes change.
    if (root.lang !== t('htmlLang')) root.lang = t('htmlLang')
    if (root.dataset.theme !== theme) root.dataset.theme = theme
    document.title = `qkv: ${t('title')}`
    const isDark = theme === 'system' ? darkness.matches : theme === 'dark'
    render(page({ ...drawing, isDark }), document.body)
    const { room } = drawing.settings
    if (room === 'layer') markTargets(drawing.tour)
    else markTargets(null, drawing.stores.marks(room))
  },
  drawPlainly(message) {
    document.body.textContent = message
  },
  frame: run => requestAnimationFrame(run),
  address: () => location.hash,
  setAddress: hash => window.history.replaceState(null, '', hash || location.pathname + location.search),
  href: () => location.href,
  remember({ language, theme }) {
    try {
      localStorage.setItem('qkv', JSON.stringify({ language, theme }))
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  },
  isStill: () => stillness.matches,
  around: () => ({ isHidden: document.hidden, isStill: stillness.matches, isNarrow: narrowness.matches, sentence: '' }),
  focus(selector) {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const part = document.querySelector(selector)
        if (part instanceof HTMLElement) part.focus({ preventScroll: true })
      }),
    )
  },
  reveal(selector) {
    isRevealing = true
    setTimeout(() => {
      isRevealing = false
    }, REVEAL_TIME)
    // Once it is drawn; a map may then still take its place.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const part = document.querySelector(selector)
        const body = part?.closest('.panel-body')
        // The inspector is in sight: a target inside it scrolls the inspector, not the page.
        if (body && part) body.scrollTop += part.getBoundingClientRect().top - body.getBoundingClientRect().top - 16
        if (part?.closest('.side')) return
        const { top = 0, bottom = 0 } = part?.getBoundingClientRect() ?? {}
        const dock = document.querySelector('.dock')?.getBoundingClientRect()
        const isSeen = top >= 0 && bottom <= (dock && dock.top > innerHeight / 2 ? dock.top : innerHeight)
        const block = part?.closest('.screen') ? 'center' : 'start'
        if (!isSeen || block === 'start') part?.scrollIntoView({ behavior: behavior(), block })
      }),
    )
  },
  show(id) {
    const part = document.getElementById(id)
    part?.scrollIntoView({ behavior: behavior(), block: 'start' })
    part?.focus({ preventScroll: true })
  },
  toTop: () => scrollTo({ top: 0, behavior: behavior() }),
}

/**
 * Keys, the address, files that are dropped or pasted, and uncaught errors.
 * @param {App} app
 */
export function listen({ state, actions, rooms, schedule, fail, follow }) {
  for (const [target, type] of /** @type {[EventTarget, string][]} */ ([
    [document, 'visibilitychange'],
    [stillness, 'change'],
    [narrowness, 'change'],
  ]))
    target.addEventListener(type, () => {
      const { sentence: _, ...around } = host.around()
      rooms.surround(around)
    })
  addEventListener('keydown', event => {
    const { room } = state.history.present
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    const key = event.key.toLowerCase()
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (rooms.has(room) && isPlain && (!isTyping || event.key === 'Escape') && rooms.press(room, event.key)) {
      event.preventDefault()
      return
    }
    if (event.key === 'Escape') actions.clear()
    else if ((event.ctrlKey || event.metaKey) && (key === 'z' || key === 'y')) {
      if (key === 'y' || event.shiftKey) actions.redo()
      else actions.undo()
    } else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    else if (key === 'n' || (event.key === 'PageDown' && event.shiftKey)) actions.walk(1)
    else if (key === 'p') actions.walk(-1)
    else if (key === ' ' && state.playing) actions.play()
    else return
    if (event.key !== 'Escape') event.preventDefault()
  })
  addEventListener('hashchange', follow)
  // The marker of the walk follows the scroll: the step whose top was passed last.
  const PASSED = 160 // below the dock and the margin that a step keeps when it is scrolled to
  let isLooking = false
  addEventListener('scroll', () => {
    if (isLooking) return
    isLooking = true
    requestAnimationFrame(() => {
      isLooking = false
      const dock = document.querySelector('.dock')?.getBoundingClientRect()
      const isPast = dock !== undefined && dock.top < innerHeight / 4
      document.documentElement.classList.toggle('is-past', isPast)
      if (isRevealing) return
      const steps = Array.from(document.querySelectorAll('[data-step-id]'))
      const passed = steps.reverse().find(step => step.getBoundingClientRect().top < PASSED)
      if (passed instanceof HTMLElement && passed.dataset.stepId) actions.pass(passed.dataset.stepId)
    })
  })
  // Files may be dropped anywhere.
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop'])
    addEventListener(type, event => {
      const { dataTransfer, relatedTarget } = /** @type {DragEvent} */ (event)
      if (!dataTransfer?.types.includes('Files')) return
      event.preventDefault() // the browser would leave the page for the file
      const isOut = type === 'drop' || (type === 'dragleave' && !relatedTarget)
      document.documentElement.classList.toggle('is-dropping', !isOut)
      if (type === 'drop') actions.bring(Array.from(dataTransfer.files))
    })
  // So may be JSON pasted, where nobody is typing.
  addEventListener('paste', event => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    const text = event.clipboardData?.getData('text/plain') ?? ''
    const files = Array.from(event.clipboardData?.files ?? [])
    if (isTyping || (!files.length && !/^\s*[[{]/.test(text))) return
    event.preventDefault()
    actions.bring(files.length ? files : text)
  })
  darkness.addEventListener('change', schedule)
  // Maps are as high as the window has room for: they look at its new size.
  addEventListener('resize', () => {
    for (const map of /** @type {NodeListOf<import('../../elements/heatmap.js').QkvHeatmap>} */ (
      document.querySelectorAll('qkv-heatmap')
    ))
      map.requestUpdate()
  })
  // Elements draw after the page; their errors are shown like all others.
  addEventListener('error', ({ error }) => error && fail(error))
  addEventListener('unhandledrejection', ({ reason }) => fail(reason))
}
