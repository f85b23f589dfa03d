// Checks a checkpoint against the expected outputs in its folder: expected.json and expected.safetensors.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { loadModel } from '../../src/entries/models.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @import { ModelOutput } from '../../src/models/model.js' */
/** @typedef {{ abs: number, rel: number }} Tolerance */
/** @typedef {'hidden' | 'attention' | 'logits' | 'class_logits' | 'embedding'} Kind */
/**
 * @typedef {object} GoldenInput
 * @property {string} name
 * @property {(string | [string, string])[]} [texts]
 * @property {number[][]} input_ids
 * @property {number[][]} attention_mask
 * @property {number[][]} [token_type_ids]
 * @property {number[][]} [global_attention_mask]
 * @property {number[][]} [decoder_input_ids]
 * @property {number[][]} [greedy]
 * @property {{ row: number, position: number, id: number }[]} [fill_mask]
 * @property {number[] | number[][]} [classes]
 *
 * @typedef {object} Expected
 * @property {Record<Kind, Tolerance>} tolerance
 * @property {string[]} [labels]
 * @property {GoldenInput[]} inputs
 * @property {{ text: string, pair?: string, ids: number[] }[]} [tokenization]
 */

/** @param {string} folder */
export async function readGolden(folder) {
  const expected = /** @type {Expected} */ (JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8')))
  const bytes = readFileSync(`${folder}/expected.safetensors`)
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
  }
  /** @type {Map<string, { data: Float32Array, dims: readonly number[] }>} */
  const tensors = new Map()
  for (const tensor of await readHeader(source, 'expected.safetensors'))
    tensors.set(tensor.name, { data: await readFloats(tensor), dims: tensor.dims })
  return { expected, tensors }
}

/**
 * Compares the rows that are not padding. Returns the largest error as a share of the tolerance, and the largest difference.
 * @param {FloatTensor | undefined} got (B, L, d) or (B, H, L, S)
 * @param {{ data: Float32Array, dims: readonly number[] }} want
 * @param {Tolerance} tolerance
 * @param {number[][]} mask (B, L), 0 for rows of padding
 * @param {string} name
 */
export function compare(got, want, { abs, rel }, mask, name) {
  assert.ok(got, `${name} is missing`)
  assert.deepEqual([...got.dims], [...want.dims], name)
  const [B] = want.dims
  const rows = want.dims.length > 2 ? want.dims[want.dims.length - 2] : 1
  const width = want.dims[want.dims.length - 1]
  const perBatch = want.data.length / B
  let [share, difference] = [0, 0]
  for (let n = 0; n < want.data.length; n++) {
    const row = Math.floor(n / width) % rows
    if (want.dims.length > 2 && !mask[Math.floor(n / perBatch)][row]) continue
    const used = Math.abs(got.data[n] - want.data[n]) / (abs + rel * Math.abs(want.data[n]))
    if (!(used <= 1)) assert.fail(`${name}[${n}]: ${got.data[n]} for ${want.data[n]}, ${used} tolerances`)
    share = Math.max(share, used)
    difference = Math.max(difference, Math.abs(got.data[n] - want.data[n]))
  }
  return { share, difference }
}

/**
 * Checks all inputs of a golden folder. Returns for each kind of tensor its largest error, as a share of the tolerance of that kind, and
 * the largest absolute error of an attention weight.
 * @param {import('../../src/qkv.js').Qkv} qkv
 * @param {string} folder
 * @param {{ tokenizer: import('../../src/models/tokenizers/tokenizer.js').TokenizerClass | false }} options
 */
export async function checkGolden(qkv, folder, options) {
  const { expected, tensors } = await readGolden(folder)
  const model = await loadModel(qkv, folder, options)
  const { tolerance } = expected
  const shares = { hidden: 0, attention: 0, logits: 0, class_logits: 0, embedding: 0 }
  let difference = 0
  for (const input of expected.inputs) {
    const r = model.forwardSync(
      {
        ids: input.input_ids,
        attentionMask: input.attention_mask,
        ...(input.token_type_ids && { tokenTypeIds: input.token_type_ids }),
        globalAttentionMask: input.global_attention_mask,
        ...(input.decoder_input_ids && { decoderIds: input.decoder_input_ids }),
      },
      { keep: ['attentions', 'hiddenStates', 'crossAttentions', 'encoderAttentions', 'encoderHiddenStates'] },
    )
    const all = (input.decoder_input_ids ?? input.input_ids).map(row => row.map(() => 1))
    const masks = { source: input.attention_mask, target: input.decoder_input_ids ? all : input.attention_mask }
    let compared = 0
    for (const [name, want] of tensors) {
      if (!name.startsWith(`${input.name}/`) || name.endsWith('/embedding')) continue
      const { got, kind, rows } = find(r, name.slice(input.name.length + 1))
      const found = compare(got, want, tolerance[kind], masks[rows], name)
      shares[kind] = Math.max(shares[kind], found.share)
      if (kind === 'attention') difference = Math.max(difference, found.difference)
      compared++
    }
    assert.ok(compared > 3, `${compared} tensors of ${input.name}`)
    for (const { row, position, id } of input.fill_mask ?? []) {
      const logits = /** @type {FloatTensor} */ (r.logits).row(row).row(position).data
      assert.equal(logits.indexOf(Math.max(...logits)), id, `mask at ${position}`)
    }
    if (input.classes) {
      const { logits, labels } = await model.classify({ ids: input.input_ids, attentionMask: input.attention_mask })
      assert.deepEqual(labels, expected.labels)
      const best = (/** @type {FloatTensor} */ { data }) => data.indexOf(Math.max(...data))
      for (const [b, want] of input.classes.entries()) {
        const own = logits.row(b)
        if (!Array.isArray(want)) assert.equal(best(own), want, `class of ${input.name}, row ${b}`)
        else {
          const found = input.attention_mask[b].flatMap((one, i) => (one ? best(own.row(i)) : []))
          assert.deepEqual(found, want, `classes of ${input.name}, row ${b}`)
        }
      }
    }
    for (const [b, ids] of (input.greedy ?? []).entries()) {
      const prompt = input.input_ids[b].filter((_, i) => input.attention_mask[b][i])
      const given = []
      // An encoder-decoder may generate one more id, because forced_eos_token_id replaces the last one.
      const forced = model.stacks.encoder && model.stacks.decoder ? 1 : 0
      for await (const { id } of model.generate(prompt, {
        maxNewTokens: ids.length + forced,
        stopIds: [],
        numBeams: 1,
      }))
        given.push(id)
      if (forced) given.pop()
      assert.deepEqual(given, ids, `greedy ids of ${input.name}, row ${b}`)
    }
    const embedding = tensors.get(`${input.name}/embedding`)
    if (embedding) {
      const got = await model.embed(/** @type {string[]} */ (input.texts))
      shares.embedding = Math.max(shares.embedding, compare(got, embedding, tolerance.embedding, [], 'embedding').share)
    }
    if (options.tokenizer)
      input.texts?.forEach((text, b) => {
        const [first, second] = Array.isArray(text) ? text : [text]
        const ids = input.input_ids[b].filter((_, i) => input.attention_mask[b][i])
        const cut = embedding ? { maxLength: input.input_ids[0].length } : {}
        assert.deepEqual(model.tokenize(first, { pair: second, ...cut }).ids, ids, first)
      })
  }
  if (options.tokenizer)
    for (const { text, ids } of expected.tokenization ?? []) assert.deepEqual(model.tokenize(text).ids, ids, text)
  model.dispose()
  return { shares, difference }
}

/**
 * @param {ModelOutput} r
 * @param {string} name as in the golden file
 * @returns {{ got: FloatTensor | undefined, kind: Kind, rows: 'source' | 'target' }}
 */
function find(r, name) {
  const match = /^(encoder\.|decoder\.|cross\.)?(hidden|attention|final|logits|pooled|class_logits)(?:\.(\d+))?$/.exec(
    name,
  )
  assert.ok(match, `a tensor of another kind: ${name}`)
  const [, stack, what, number] = match
  const layer = Number(number)
  const isEncoder = stack === 'encoder.'
  const rows = isEncoder ? 'source' : 'target'
  if (what === 'logits') return { got: r.logits, kind: 'logits', rows }
  if (what === 'class_logits') return { got: r.classLogits, kind: what, rows }
  if (what === 'pooled') return { got: r.pooled, kind: 'hidden', rows }
  if (what === 'final') return { got: isEncoder ? r.encoderLastHiddenState : r.lastHiddenState, kind: 'hidden', rows }
  if (what === 'hidden')
    return { got: (isEncoder ? r.encoderHiddenStates : r.hiddenStates)[layer], kind: 'hidden', rows }
  const attentions = stack === 'cross.' ? r.crossAttentions : isEncoder ? r.encoderAttentions : r.attentions
  return { got: attentions[layer], kind: 'attention', rows }
}
