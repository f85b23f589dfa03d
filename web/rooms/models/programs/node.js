// Writes the Node program that reproduces the page with qkv. No DOM.

import { attentionOf, groups, placeOf } from '../run/hooks.js'

/** @import { Change } from '../../../attention-head/head.js' */

/**
 * Input of the program templates.
 * @typedef {object} Task
 * @property {string} type model_type
 * @property {string} folder path of a folder, or a name on the hub
 * @property {string} [revision] revision of a hub model
 * @property {string} [text] input of the tokenizer
 * @property {readonly number[]} [ids] used instead of the text if there is no tokenizer or tokens were generated
 * @property {readonly number[]} [decoderIds] input of the decoder, for an encoder-decoder
 * @property {readonly number[]} [decoderIdsAfter] decoderIds with the changes, if they lead to another translation
 * @property {{ text: string, ids?: readonly number[], decoderIds?: readonly number[] }} second the text, or its ids, that patches are taken
 *   from
 * @property {readonly Change[]} changes the changes that are switched on
 * @property {number} row index of the token whose prediction is printed
 */

const json = JSON.stringify

/** @template {Change['kind']} K @param {Task} task @param {K} kind @returns {Extract<Change, { kind: K }>[]} */
export const changesOf = ({ changes }, kind) => {
  /** @param {Change} change @returns {change is Extract<Change, { kind: K }>} */
  const isOf = change => change.kind === kind
  return changes.filter(isOf)
}

/** Returns the hook name of attention scores or weights. @param {Change} change @param {'scores' | 'weights'} what */
const attentionPlace = ({ stack, layer }, what) => attentionOf(stack, layer) + what

const SET_WEIGHTS = `
// A weight set by hand keeps its value, the others of its row share the rest in their old proportions.
function setWeights({ data, dims: [, , L, S] }, cells) {
  const rows = {}
  for (const [head, query, key, value] of cells) (rows[head * L + query] ??= []).push([key, value])
  for (const [n, held] of Object.entries(rows)) {
    const row = data.subarray(n * S, (Number(n) + 1) * S)
    const own = new Map(held)
    const taken = [...own.values()].reduce((a, b) => a + b)
    const rest = row.reduce((sum, value, key) => sum + (own.has(key) ? 0 : value), 0)
    const isFull = taken >= 1 || rest === 0
    row.forEach((value, key) => {
      const given = own.get(key)
      row[key] = isFull ? (taken ? (given ?? 0) / taken : 0) : (given ?? (value * (1 - taken)) / rest)
    })
  }
}
`

/** @param {Task['second']} second */
const secondRun = ({ text, ids, decoderIds }) => `\
const other = ${ids ? `{ ids: ${json(ids)} }` : `model.tokenize(${json(text)})`}
const second = await model.forward(
  { ids: other.ids${decoderIds ? `, decoderIds: ${json(decoderIds)}` : ''} },
  { keep: ['hiddenStates', 'encoderHiddenStates'], logits: 'none' },
)
`

/** @param {string} place @param {Extract<Change, { kind: 'hide' }>[]} cells */
const hideHook = (place, cells) => `\
  '${place}': ({ data, dims: [, , L, S] }) => {
    for (const [head, query, key] of ${json(cells.map(({ head, query, key }) => [head, query, key]))}) data[(head * L + query) * S + key] = -Infinity
  },
`

/** Writes the hook that patches a layer. @param {string} place @param {Extract<Change, { kind: 'patch' }>[]} patches of one layer */
function patchHook(place, patches) {
  const [{ layer, stack }] = patches
  const rows = patches.some(({ position }) => position === null)
    ? 'Array(Math.min(L, from.dims[1])).keys()'
    : `${json(patches.map(({ position }) => position))}.filter(row => row < L && row < from.dims[1])`
  return `\
  '${place}': ({ data, dims: [, L, d] }) => {
    const from = second.${stack === 'encoder' ? 'encoderHiddenStates' : 'hiddenStates'}[${layer + 1}]
    for (const row of ${rows})
      data.set(from.data.subarray(row * d, (row + 1) * d), row * d)
  },
`
}

/** @param {Task} task */
export function nodeProgram(task) {
  const { folder, text, ids, decoderIds, decoderIdsAfter = decoderIds, second, row } = task
  const hidden = groups(changesOf(task, 'hide'), change => attentionPlace(change, 'scores'))
  const set = groups(changesOf(task, 'weight'), change => attentionPlace(change, 'weights'))
  const patches = groups(changesOf(task, 'patch'), change => `${placeOf(change).at}output`)
  const hooks = [
    ...changesOf(task, 'head').map(
      change => `  '${placeOf(change).at}${placeOf(change).heads}.${change.head}': ${json(change.how)},\n`,
    ),
    ...Array.from(hidden, ([place, cells]) => hideHook(place, cells)),
    ...Array.from(set, ([place, cells]) => {
      const held = json(cells.map(({ head, query, key, value }) => [head, query, key, value]))
      return `  '${place}': weights => setWeights(weights, ${held}),\n`
    }),
    ...Array.from(patches, ([place, list]) => patchHook(place, list)),
  ]
  return `\
// npm install qkv @huggingface/tokenizers; node program.mjs ${/\.gguf$/i.test(folder) ? 'FILE' : 'FOLDER'}
import { load } from 'qkv'
import { loadModel } from 'qkv/models'

const qkv = await load()
const model = await loadModel(qkv, process.argv[2] ?? ${json(folder)})
${ids ? `const ids = ${json(ids)}` : `const { ids } = model.tokenize(${json(text)})`}
${decoderIds ? `const decoderIds = { before: ${json(decoderIds)}, after: ${json(decoderIdsAfter)} }\n` : ''}\
${patches.size ? secondRun(second) : ''}\
${set.size ? SET_WEIGHTS : ''}
const hooks = {
${hooks.join('')}}

for (const [name, options] of Object.entries({ before: {}, after: { hooks } })) {
  const { logits } = await model.forward(${decoderIds ? '{ ids, decoderIds: decoderIds[name] }' : '{ ids }'}, options)
  const V = logits.dims[2]
  const row = { data: logits.data.slice(${row} * V, ${row + 1} * V), dims: [1, V] }
  const shares = Array.from(qkv.softmax(row).data, (share, id) => ({ id, share }))
  const top = shares.sort((a, b) => b.share - a.share).slice(0, 8)
  console.log(name)
  for (const { id, share } of top) console.log(id, share.toFixed(6)${text === undefined ? '' : ', JSON.stringify(model.decode([id]))'})
}
model.dispose()
`
}
