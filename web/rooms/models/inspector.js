// The inspector of the room: how the selected weight came about.

import { nothing } from 'lit'
import { inspector as drawInspector } from '../../head/inspector.js'
import { cellPage } from './cell-pages.js'
import { back, forward, visit } from './visits.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {import('../../head/head.js').Place} Place */

/** @param {Room} room */
export function inspector(room) {
  const { t, isDark, cell, traced, words, head, visits, term, number, weightRow, told } = room
  if (!cell || !head) return nothing
  const names = { query: words.queries[cell.query] ?? '', key: words.keys[cell.key] ?? '' }
  const title = t('modelsCellTitle', { name: room.nameOf(head), ...names })
  const detail = number ? [number.letter, number.i] : term === undefined ? undefined : ['term', term]
  const { encoder, decoder } = told?.stacks ?? {}
  const stack = head.stack === 'encoder' ? encoder : (decoder ?? encoder)
  return drawInspector({
    t,
    isDark,
    id: 'models-inspector',
    className: 'models-inspector',
    label: t('modelsInspector'),
    title,
    page: traced ? cellPage({ t, trace: traced, words, weightRow, stack: stack ?? {} }, title, detail) : 'waiting',
    hasBack: visits.past.length > 0,
    hasForward: visits.future.length > 0,
    act: {
      open: place => open(room, place),
      back: () => back(room),
      forward: () => forward(room),
      close: () => room.selectCell(undefined),
      redraw: () => room.requestUpdate(),
    },
  })
}

/** @param {Room} room @param {Place} place */
function open(room, { cell, detail }) {
  const [kind, i] = detail ?? []
  const to = cell && { query: cell.row, key: cell.column }
  if (kind === 'q' || kind === 'k') visit(room, { cell: to, term: Number(i), number: { letter: kind, i: Number(i) } })
  else visit(room, { cell: to, term: kind === 'term' ? Number(i) : undefined })
}
