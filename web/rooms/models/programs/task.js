// Collects the input of the programs: the model, its input, and the changes.

import { isIn } from '../../../attention-head/changes.js'
import { bareName, idOf, isOfHub } from '../open/sources.js'

/** @import { Room } from '../models.js' */

/** True if the model has the head or layer of a change, and the text has its words. @param {import('../../../attention-head/head.js').Change} change @param {import('../run/model-run.js').Run} run */
function fits(change, run) {
  const maps = run.maps[change.stack]
  if (!maps || !isIn(change, run.maps)) return false
  return !('query' in change) || (change.query < maps.rows && change.key < maps.columns)
}

/**
 * @param {Room} room
 * @param {import('../models.js').OpenModel} openModel
 * @param {import('../run/model-run.js').Run} before
 * @returns {{ task: import('./node.js').Task, ofHub: { folder?: string, revision?: string } }} ofHub: for a hub model, the
 *   name and revision that transformers uses
 */
export function taskOf(room, openModel, before) {
  const { settings, source } = room
  const { ids, row, targetIds: decoderIds } = before
  const { type, hasTokenizer, name } = openModel
  const isRead = hasTokenizer && !room.generated.length // then the program tokenizes the text itself
  const task = {
    type,
    folder: bareName(name),
    text: hasTokenizer ? room.text : undefined,
    ids: isRead ? undefined : ids,
    decoderIds,
    decoderIdsAfter: room.runAfter?.targetIds,
    row,
    second: {
      text: settings.sourceText,
      ids: hasTokenizer ? undefined : source?.ids,
      decoderIds: source?.decoderIds,
    },
    changes: settings.changes.filter(change => change.isOn && fits(change, before)),
  }
  const [, revision] = /@(\w{40})/.exec(name) ?? []
  const [file] = /\/[^/~]+\.gguf/i.exec(name) ?? ['']
  return { task, ofHub: isOfHub(name) ? { folder: idOf(name) + file, revision } : {} } // transformers uses names without "hf:"
}
