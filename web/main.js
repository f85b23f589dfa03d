// Wires the page: state -> settings -> trace -> views. Every change goes round this loop once.

import { render } from 'lit'
import { load } from 'qkv'
import { explain, sourcesOf } from './explain.js'
import { languageFor, translator } from './i18n/index.js'
import { matricesOf, nearestCell } from './matrices.js'
import { check, initialState } from './state.js'
import { createTracer } from './trace.js'
import { page } from './views/page.js'

/** @typedef {import('./views/context.js').Actions} Actions */
/** @typedef {import('./views/context.js').Scene} Scene */
/** @typedef {import('./matrices.js').Cell} Cell */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Settings} Settings */
/** @typedef {import('./trace.js').Result} Result */

const darkness = matchMedia('(prefers-color-scheme: dark)')
let state = initialState(languageFor(navigator.language))
/** @type {ReturnType<typeof createTracer> | undefined} */
let trace
/** @type {string | undefined} */
let failure
let isScheduled = false
/** The kept cell that was last brought into sight. @type {Cell | undefined} */
let seenPin

/** @param {Partial<State>} change */
function update(change) {
  state = { ...state, ...change }
  if (isScheduled) return
  isScheduled = true
  requestAnimationFrame(() => {
    isScheduled = false
    draw()
    if (state.pinned && state.pinned !== seenPin)
      document.querySelector('.is-shown, .map-shown')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    seenPin = state.pinned
  })
}

/** @type {Actions} */
const actions = {
  change: (field, value) => update({ inputs: { ...state.inputs, [field]: value } }),
  choose: inputs => update({ inputs, head: 0, pinned: undefined }),
  selectHead: head => update({ head }),
  cursor: () => state.cursor,
  point: cursor => update({ cursor }),
  pin: ({ head = state.head, ...cell }) => {
    const isAgain = head === state.head && state.pinned !== undefined && isSameCell(state.pinned, cell)
    update({ head, cursor: cell, pinned: isAgain ? undefined : cell })
  },
  unpin: () => update({ pinned: undefined }),
  speak: language => update({ language }),
}

/** @param {Cell} a @param {Cell} b */
const isSameCell = (a, b) => a.matrix === b.matrix && a.row === b.row && a.column === b.column

/**
 * Calls `compute` again only when its arguments change.
 * @template {unknown[]} A, R
 * @param {(...args: A) => R} compute
 * @returns {(...args: A) => R}
 */
function remember(compute) {
  /** @type {{ args: A, value: R } | undefined} */
  let last
  return (...args) => {
    if (!last?.args.every((arg, i) => arg === args[i])) last = { args, value: compute(...args) }
    return last.value
  }
}

const checked = remember(check)
const matrices = remember(matricesOf)
/** The result of the last settings that made sense. */
const result = remember((/** @type {Settings} */ settings) => trace?.(settings))
/** @type {Settings | undefined} */
let settings

/**
 * The trace as seen through the reader's choices.
 * @returns {Scene | undefined} undefined before the core has loaded
 */
function scene() {
  if (!trace || !settings) return undefined
  const current = /** @type {Result} */ (result(settings))
  const head = Math.min(state.head, current.heads.length - 1)
  const all = matrices(current, head)
  const cell = nearestCell(all, state.pinned ?? state.cursor)
  const explanation = explain(current, head, cell)
  /** @type {Map<string, Set<number>>} */
  const sources = new Map()
  for (const { matrix, row, column, head: other = head } of sourcesOf(explanation)) {
    if (other !== head) continue
    const columns = /** @type {import('./matrices.js').Matrix} */ (all.get(matrix)).tensor.dims[1]
    sources.set(matrix, (sources.get(matrix) ?? new Set()).add(row * columns + column))
  }
  // The grids keep their place for the keyboard, so the cursor must be a cell that exists.
  state = { ...state, cursor: nearestCell(all, state.cursor) }
  return { result: current, head, matrices: all, cell, explanation, sources }
}

function draw() {
  const { settings: fresh, problems } = checked(state.inputs)
  settings = fresh ?? settings
  const t = translator(state.language)
  document.documentElement.lang = state.language
  document.title = `qkv: ${t('title')}`
  const seen = scene()
  render(page({ t, state, actions, isDark: darkness.matches, problems, scene: seen, failure }), document.body)
}

addEventListener('keydown', event => {
  if (event.key === 'Escape') actions.unpin()
})
darkness.addEventListener('change', () => update({}))

draw()
try {
  trace = createTracer(await load())
} catch (error) {
  failure = error instanceof Error ? error.message : String(error)
}
draw()
