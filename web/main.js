// Wires the page: settings -> check -> trace -> views. Every change goes round this loop once a frame.

import { render } from 'lit'
import { load } from 'qkv'
import './elements/index.js'
import { createKept } from './compute/baseline.js'
import { isLarge } from './compute/large.js'
import { difference } from './compute/reference64.js'
import { createJobs } from './compute/scheduler.js'
import { createTracer } from './compute/trace.js'
import { headStatistics } from './elements/statistics.js'
import { explain } from './explain/cell.js'
import { comparedWith } from './explain/comparison.js'
import { sourcesOf, targetsOf } from './explain/dependencies.js'
import { matricesOf, nearestCell } from './explain/matrices.js'
import { stepsOf } from './explain/steps.js'
import { strongestLink } from './explain/strongest-link.js'
import { copy, everything, readFiles, save } from './formats/carry.js'
import { fromText } from './formats/given.js'
import { pytorchCode } from './formats/pytorch.js'
import { qkvCode } from './formats/qkvcode.js'
import { Trouble } from './formats/trouble.js'
import { languageFor, translator } from './i18n/index.js'
import { check, headsOfGiven } from './settings/check.js'
import { begin, record, redo, replace, undo } from './settings/history.js'
import { fromHash, isLinkable, toHash } from './settings/link.js'
import { presetOf, settingsOf } from './settings/presets.js'
import { change, DEFAULTS, edit, isSameCell, looksOf, paint, signature } from './settings/state.js'
import { page } from './views/page.js'

/** @typedef {import('./views/context.js').Actions} Actions */
/** @typedef {import('./views/context.js').Scene} Scene */
/** @typedef {import('./views/context.js').Theme} Theme */
/** @typedef {import('./views/context.js').Mode} Mode */
/** @typedef {import('./settings/state.js').Cell} Cell */
/** @typedef {import('./settings/state.js').Settings} Settings */
/** @typedef {import('./settings/check.js').Checked} Checked */
/** @typedef {import('./compute/trace.js').Result} Result */
/** @typedef {import('./i18n/index.js').Language} Language */
/** @typedef {import('./i18n/index.js').Key} Key */

const darkness = matchMedia('(prefers-color-scheme: dark)')
const stillness = matchMedia('(prefers-reduced-motion: reduce)')
/** Milliseconds a step is shown while playing. */
const PACE = 4000

/** The reader's own taste, which no link carries. @returns {{ language?: Language, theme?: Theme }} */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem('qkv') ?? '{}')
  } catch {
    return {}
  }
}
const taste = remembered()
let language = languageFor(taste.language ?? navigator.language)
/** @type {Theme} */
let theme = taste.theme === 'light' || taste.theme === 'dark' ? taste.theme : 'system'

const start = fromHash(location.hash)
let history = begin(start.settings)
/** What the reset goes back to. */
let origin = start.settings
/** @type {Key | undefined} */
let notice = start.trouble
/** What was done last, or why not. @type {import('./views/carry.js').Said | undefined} */
let said
/** @type {Cell | undefined} */
let cursor
/** @type {Mode} */
let mode = 'read'
/** @type {number | undefined} */
let player
/** @type {ReturnType<typeof createTracer> | undefined} */
let trace
/** @type {ReturnType<typeof createJobs> | undefined} */
let jobs
/** @type {ReturnType<typeof createKept> | undefined} */
let kept
/** How far a large trace is, from 0 to 1. @type {number | undefined} */
let progress
/** @type {string | undefined} */
let failure

/** The default settings as a link, which else is empty. */
const PLAIN = '1&'

let isScheduled = false
function schedule() {
  if (isScheduled) return
  isScheduled = true
  requestAnimationFrame(() => {
    isScheduled = false
    draw()
  })
}

/** @param {Key} key @param {Record<string, string | number>} [params] @param {boolean} [isBad] */
function say(key, params = {}, isBad = false) {
  said = { key, params, isBad }
  schedule()
}

/** @param {Settings} settings @param {string} [mark] */
function set(settings, mark = '') {
  notice = undefined
  said = undefined
  history = record(history, settings, mark, mark ? performance.now() : Number.NEGATIVE_INFINITY)
  schedule()
}

/** @param {Partial<Settings>} patch */
function look(patch) {
  history = replace(history, { ...history.present, ...patch })
  schedule()
}

/** @param {typeof history} next */
function travel(next) {
  history = replace(next, { ...next.present, ...looksOf(history.present) })
  schedule()
}

/** @type {Actions} */
const actions = {
  change: (patch, mark) => set(change(history.present, patch), mark),
  look: patch => {
    look(patch)
    if (patch.step) stop()
    if (patch.step) reveal(patch.step)
  },
  edit: (cell, value, mark) => set(edit(history.present, cell, value), mark),
  paint: (row, column, isVisible) => set(paint(history.present, row, column, isVisible), 'paint'),
  choose: preset => {
    origin = settingsOf(preset)
    cursor = undefined
    const { view, minus, other, kept } = history.present
    set({ ...origin, view, minus, other, kept })
  },
  undo: () => travel(undo(history)),
  redo: () => travel(redo(history)),
  reset: () => {
    const { step, view, minus, other, kept } = history.present
    set({ ...origin, step, view, minus, other, kept })
  },
  keep: () => look({ kept: toHash({ ...history.present, ...looksOf(DEFAULTS) }).slice(1) || PLAIN, minus: 'settings' }),
  point: cell => {
    if (cursor && isSameCell(cursor, cell)) return
    cursor = cell
    schedule()
  },
  pin: cell => {
    const { pinned } = history.present
    const isAgain = pinned !== null && isSameCell(pinned, cell)
    cursor = cell
    const isPerHead = result?.tensors[cell.matrix]?.dims.length === 3
    look({ pinned: isAgain ? null : cell, ...(isPerHead && { head: cell.head }) })
    if (!isAgain) requestAnimationFrame(() => requestAnimationFrame(seePinned))
  },
  unpin: () => look({ pinned: null }),
  walk: by => {
    stop()
    step(by)
  },
  play: () => {
    if (player === undefined) {
      player = window.setInterval(() => step(1) || stop(), PACE)
      if (!step(1)) step(Number.NEGATIVE_INFINITY)
    } else stop()
    schedule()
  },
  use: next => {
    mode = next
    schedule()
  },
  copy: async what => {
    if (!result) return
    if (what === 'link' && !isLinkable(history.present)) return say('linkLarge', {}, true)
    if (what === 'link') flush()
    const codes = { link: () => location.href, pytorch: pytorchCode, qkv: qkvCode }
    say((await copy(codes[what](result))) ? `copied.${what}` : 'copyFailed')
  },
  saveAll: () => {
    if (result) save('qkv.json', everything(result, history.present), 'application/json')
  },
  bring: async source => {
    try {
      const settings = typeof source === 'string' ? fromText(source) : await readFiles(source)
      origin = settings
      cursor = undefined
      set(settings)
      say('brought', { count: settings.given ? headsOfGiven(settings.given) : settings.heads })
      scrollTo({ top: 0, behavior: stillness.matches ? 'auto' : 'smooth' })
    } catch (error) {
      if (error instanceof Trouble) say(error.key, error.params, true)
      else say('bringFailed', { message: String(error) }, true)
    }
  },
  show: id => {
    const part = document.getElementById(id)
    part?.scrollIntoView({ behavior: stillness.matches ? 'auto' : 'smooth', block: 'start' })
    part?.focus({ preventScroll: true })
  },
  hush: () => {
    said = undefined
    schedule()
  },
  speak: next => {
    language = next
    remember()
  },
  light: next => {
    theme = next
    remember()
  },
}

function remember() {
  try {
    localStorage.setItem('qkv', JSON.stringify({ language, theme }))
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  schedule()
}

function stop() {
  window.clearInterval(player)
  player = undefined
  schedule()
}

/** Goes on or back. @param {number} by @returns {boolean} was there a step to go to? */
function step(by) {
  if (!result) return false
  const steps = stepsOf(result)
  const at = Math.max(
    0,
    steps.findIndex(({ id }) => id === history.present.step),
  )
  const next = steps[Math.max(0, at + by)]
  if (!next) return false
  look({ step: next.id })
  reveal(next.id)
  return true
}

/** @param {string} id */
function reveal(id) {
  const behavior = stillness.matches ? 'auto' : 'smooth'
  requestAnimationFrame(() => document.getElementById(`step-${id}`)?.scrollIntoView({ behavior, block: 'start' }))
}

/** On a narrow screen the arithmetic rises over the page: its cell must not lie below it. */
function seePinned() {
  document.querySelector('.mark-own.is-kept')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

/** @type {Checked | undefined} */
let checked
/** The trace of the last settings that made sense. @type {Result | undefined} */
let result
/** What the trace was made from. */
let traced = ''
/** The head whose steps a large trace keeps. @type {number | undefined} */
let wanted
/** @type {Scene['difference']} */
let apart
/** @type {Scene['batch']} */
let batch
/** @type {number | undefined} */
let comparing

/** @returns {import('./settings/check.js').Problems} */
function compute() {
  const name = signature(history.present)
  const { head } = history.present
  if (name === traced && (wanted === undefined || wanted === head)) return {}
  const { checked: fresh, problems } = check(history.present)
  checked = fresh ?? checked ?? check(DEFAULTS).checked // a link with problems has something to show beside them
  if (!trace || !checked || (result && !fresh)) return problems
  if (isLarge(checked)) {
    traced = fresh ? name : ''
    wanted = head
    window.clearTimeout(comparing) // the processors are for the new numbers
    jobs?.run(checked, head)
    return problems
  }
  jobs?.cancel()
  progress = undefined
  wanted = undefined
  show(trace(checked), fresh ? name : '')
  return problems
}

/** Milliseconds without a change until the numbers are compared with float64 (and a batch is run), and what that may take at a time. */
const [REST, SLICE] = [300, 8]

/** @param {Result} fresh @param {string} name of the settings it was made from */
function show(fresh, name) {
  result = fresh
  traced = name
  apart = undefined
  batch = undefined
  window.clearTimeout(comparing)
  const comparison = difference(fresh)
  const go = () => {
    const end = performance.now() + SLICE
    let step = comparison.next()
    while (!step.done && performance.now() < end) step = comparison.next()
    if (!step.done) {
      comparing = window.setTimeout(go)
      return
    }
    apart = step.value
    batch = trace?.batch(fresh)
    schedule()
  }
  comparing = window.setTimeout(go, REST)
}

/** What comes of a large trace. @param {Omit<import('./compute/scheduler.js').Message, 'id'>} message */
function hear({ progress: done, result: fresh, failure: message }) {
  progress = done
  if (fresh) show(fresh, traced)
  if (message !== undefined) failure = message
  schedule()
}

/** @type {Pick<Scene, 'result' | 'head' | 'matrices' | 'mask' | 'link' | 'statistics' | 'compared'> | undefined} */
let seen

/** @returns {Scene | undefined} undefined before the core has loaded */
function scene() {
  if (!result) return undefined
  const head = result.kept ?? Math.min(history.present.head, result.heads - 1)
  if (seen?.result !== result || seen.head !== head) {
    const { visible, settings } = result
    const dims = [settings.queries.tokens.length, settings.keys.tokens.length]
    const mask = visible && { mask: { data: visible, dims } }
    seen = { result, head, matrices: matricesOf(result, head), link: strongestLink(result, head), ...mask }
  }
  const { matrices, link } = seen
  const { pinned, view, minus, kept: keptLink } = history.present
  const wanted = pinned ?? cursor ?? { matrix: 'weights', head, row: link?.row ?? 0, column: link?.column ?? 0 }
  const cell = nearestCell(matrices, wanted)
  const { weights } = result.tensors
  if (view === 'numbers' && weights) seen.statistics ??= result.statistics ?? headStatistics(weights)
  const other = view === 'difference' && minus === 'settings' && keptLink ? kept?.(keptLink, head) : undefined
  if (view === 'difference') seen.compared = comparedWith(result, head, history.present, other)
  return {
    ...{ ...seen, cell, difference: apart, batch },
    ...{ explanation: explain(result, cell), sources: sourcesOf(result, cell), targets: targetsOf(result, cell) },
  }
}

/** @type {number | undefined} */
let writing

/** The address follows, with a pause: browsers allow few changes a second. */
function write() {
  window.clearTimeout(writing)
  writing = window.setTimeout(flush, 200)
}

/** The address as it should be, now. */
function flush() {
  const hash = isLinkable(history.present) ? toHash(history.present) : ''
  if (hash !== location.hash) window.history.replaceState(null, '', hash || location.pathname + location.search)
}

function draw() {
  const problems = compute()
  const t = translator(language)
  const isDark = theme === 'system' ? darkness.matches : theme === 'dark'
  const root = document.documentElement
  // Only what differs: the maps look at their colours again when these change.
  if (root.lang !== t('htmlLang')) root.lang = t('htmlLang')
  if (root.dataset.theme !== theme) root.dataset.theme = theme
  document.title = `qkv: ${t('title')}`
  const settings = history.present
  const context = { t, language, theme, isDark, mode, history, settings, problems, actions, failure, notice, progress }
  render(
    page({ ...context, said, isPlaying: player !== undefined, preset: presetOf(settings), scene: scene() }),
    document.body,
  )
  if (result && !notice) write()
}

addEventListener('keydown', event => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  const key = event.key.toLowerCase()
  if (event.key === 'Escape') actions.unpin()
  else if ((event.ctrlKey || event.metaKey) && (key === 'z' || key === 'y')) {
    if (key === 'y' || event.shiftKey) actions.redo()
    else actions.undo()
  } else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  else if (key === 'n' || (event.key === 'PageDown' && event.shiftKey)) actions.walk(1)
  else if (key === 'p') actions.walk(-1)
  else return
  if (event.key !== 'Escape') event.preventDefault()
})
addEventListener('hashchange', () => {
  const { settings, trouble } = fromHash(location.hash)
  if (toHash(settings) === toHash(history.present) && !trouble) return
  origin = settings
  history = record(history, settings, '', Number.NEGATIVE_INFINITY)
  notice = trouble
  schedule()
})
// Files may be dropped anywhere.
for (const type of ['dragenter', 'dragover', 'dragleave', 'drop'])
  addEventListener(type, event => {
    const { dataTransfer } = /** @type {DragEvent} */ (event)
    if (!dataTransfer?.types.includes('Files')) return
    event.preventDefault() // the browser would leave the page for the file
    const isOut = type === 'drop' || (type === 'dragleave' && !(/** @type {DragEvent} */ (event).relatedTarget))
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

draw()
try {
  const core = await load()
  trace = createTracer(core)
  kept = createKept(core, schedule)
  jobs = createJobs(trace, hear)
} catch (error) {
  failure = error instanceof Error ? error.message : String(error)
}
draw()
