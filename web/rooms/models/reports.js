// Puts the reports of the session into the room.

import { grown } from './atlas-maps.js'
import { SHIPPED } from './sources.js'
import { askNumber } from './visits.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {import('./hooks.js').Stack} Stack */

/** @param {Room} room @param {Report} report */
export function take(room, report) {
  const { id } = report
  if (report.failure !== undefined) {
    if (id === room.asked.open) room.plan = room.progress = undefined // and it stays `wanted`: it is not tried again unasked
    room.failure = report.failure
    room.isLost = report.isLost === true
    room.isRefused = id === room.asked.open
    room.isGenerating = false
    room.running = undefined
  }
  if (id === room.asked.show) {
    if (report.running) room.running = report.running
    if (report.wasCancelled) {
      room.running = undefined
      room.wasCancelled = true
    }
  }
  if (id === room.asked.open) {
    if (report.plan) room.plan = report.plan
    if (report.progress) room.progress = report.progress
    if (report.wasCancelled) room.plan = room.progress = undefined
    if (report.opened) opened(room, report.opened)
  }
  if (report.shown && id >= room.asked.show) {
    room.running = undefined
    room.runBefore = report.shown.before
    room.runAfter = report.shown.after
    room.donor = report.shown.donor
    room.failure = undefined
    room.exact.clear()
    if (!room.runBefore.maps[room.stack]) room.stack = /** @type {Stack} */ (Object.keys(room.runBefore.maps)[0])
    if (!room.runAfter) room.showing = 'after'
    room.why = undefined
    room.asked.why = room.session?.ask({ why: { isChanged: room.showing !== 'before' } }) ?? 0
    room.look()
  }
  if (report.pairs) room.pairs = report.pairs
  if (report.matrices && id === room.asked.matrices) room.openInLayer(report.matrices)
  if (report.why && id === room.asked.why) room.why = report.why
  if (report.head) {
    const { stack, layer, head, isChanged, text, matrix } = report.head
    room.exact.set(`${text === undefined ? isChanged : text} ${room.nameOf({ layer, head }, stack)}`, matrix)
    room.requestUpdate()
  }
  if (report.cell && id === room.asked.cell) {
    room.traced = report.cell
    askNumber(room)
  }
  if (report.number && id === room.asked.number) room.weightRow = report.number
  if (id === room.asked.generate) {
    if (report.step) grow(room, report.step)
    if (report.hasEnded) ended(room)
  }
}

/** @param {Room} room @param {import('./session.js').Told} told */
function opened(room, told) {
  room.told = told
  room.ran = '' // also for the same text: what was asked for while the model was opened was not run
  room.plan = room.progress = room.running = undefined
  room.runBefore = room.runAfter = room.cell = room.traced = room.why = undefined
  room.query = room.keyWord = room.row = room.term = room.number = room.first = undefined
  room.stop = undefined
  room.steps = []
  room.visits = { past: [], future: [] }
  room.chosen = []
  room.past = room.future = []
  room.stack = told.stacks.encoder && told.stacks.decoder ? 'cross' : ''
  room.wanted = told.name
  const isFirst = told.name === '?model' || told.name === SHIPPED[0]?.name
  const isSame = room.linked.checkpoint === told.name || (isFirst && !room.linked.checkpoint)
  if (!isSame)
    room.set({ checkpoint: isFirst ? '' : told.name, prompt: '', generated: '', changes: '', donor: '', at: '' })
}

/** Each step shows where the token before it looked, then adds its own. @param {Room} room @param {import('./generate.js').Step} step */
function grow(room, step) {
  const run = room.runAfter ?? room.runBefore
  const maps = run?.maps['']
  if (run && maps) {
    const isKnown = step.rows.length === maps.layers * maps.heads * maps.columns
    const next = isKnown || maps.cells ? maps : grown(maps, step.rows)
    const more = { ...run, maps: { '': next }, ids: [...run.ids, step.id], tokens: [...run.tokens, step.token] }
    if (room.runAfter) room.runAfter = more
    else room.runBefore = more
  }
  room.steps = [...room.steps, step]
  room.fresh = [...room.fresh, step.id]
}

/** @param {Room} room */
function ended(room) {
  room.isGenerating = false
  room.set({ generated: [...room.more, ...room.fresh].join('.') })
  room.fresh = []
}
