// The inspector of the room: explains how the selected weight was computed.

import { nothing } from 'lit'
import { shown } from '../../../shell/slots.js'
import { inspector as drawInspector } from '../../../ui/inspector.js'
import { uncover } from '../../../ui/uncover.js'
import { nameOf } from '../shown.js'
import { cellPage } from './pages.js'
import { reasonsPart } from './reasons-part.js'

/** @param {import('../models.js').Room} room @param {import('./reasons-part.js').ReasonTexts} r */
export function inspector(room, r) {
  const { t, isDark, act, can, travel, cell, got, words, head, openModel, settings } = room
  if (!cell || !head) return nothing
  // While a new trace is pending, keep the old one if it is of the same cell.
  const found = shown(got.cell)
  const trace = found && found.query === cell.query && found.key === cell.key ? found : undefined
  const names = { query: words.queries[cell.query] ?? '', key: words.keys[cell.key] ?? '' }
  const title = t('modelsCellTitle', { name: nameOf(head), ...names })
  const { encoder, decoder } = openModel?.stacks ?? {}
  const whole = head.stack === 'encoder' ? encoder : (decoder ?? encoder)
  const stack = { qkNorm: whole?.qkNorm, rope: whole?.ropes[head.layer] }
  const { detail } = settings.at
  const isThere = trace && Number(detail?.[1]) < trace.q.length
  const ofCell = shown(got.reasons)
  const reasons = ofCell && ofCell.query === cell.query && ofCell.key === cell.key ? ofCell : undefined
  const encoded = room.run?.tokens ?? []
  const why = reasonsPart({ t, head, words, encoded, reasons, open: act.goToPlace }, r)
  uncover('models-inspector', '#models-map', { row: cell.query, column: cell.key })
  const weightRow = got.number?.is === 'here' ? got.number.value : undefined
  return drawInspector({
    t,
    isDark,
    id: 'models-inspector',
    className: 'models-inspector',
    label: t('modelsInspector'),
    title,
    page: trace ? cellPage({ t, trace, words, weightRow, stack, why }, title, isThere ? detail : undefined) : 'waiting',
    hasBack: can.back,
    hasForward: can.forward,
    act: {
      open: act.goToPlace,
      back: () => travel('place', 0),
      forward: () => travel('place', 1),
      close: () => act.selectCell(),
      redraw: () => act.show({}),
    },
  })
}
