// Compares the gradients of qkv/interpret with those of a golden folder, gradients.json and gradients.safetensors.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { backwardSync } from '../../src/entries/interpret.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */
/** @typedef {{ abs: number, rel: number }} Tolerance */

/** @param {string} folder */
export async function readGradients(folder) {
  const golden = JSON.parse(readFileSync(`${folder}/gradients.json`, 'utf8'))
  const { inputs } = JSON.parse(readFileSync(`${folder}/expected.json`, 'utf8'))
  const bytes = readFileSync(`${folder}/gradients.safetensors`)
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
  }
  /** @type {Map<string, { data: Float32Array, dims: readonly number[] }>} */
  const tensors = new Map()
  for (const tensor of await readHeader(source, 'gradients.safetensors'))
    tensors.set(tensor.name, { data: await readFloats(tensor), dims: tensor.dims })
  return { golden, inputs, tensors }
}

/** Converts an input of expected.json to one of forward. @param {any} input of expected.json */
export const inputOf = input => ({
  ids: input.input_ids,
  attentionMask: input.attention_mask,
  ...(input.token_type_ids && { tokenTypeIds: input.token_type_ids }),
  ...(input.decoder_input_ids && { decoderIds: input.decoder_input_ids }),
})

/** Returns our place for a tensor of the golden file. @param {string} name @param {number} layers of the decoder, or of the only stack */
export function placeOf(name, layers, encoderLayers = layers) {
  const [, stack = '', what, number] =
    /^(encoder\.|decoder\.|cross\.)?([a-z_]+)\.(\d+)$/.exec(name) ?? assert.fail(name)
  const layer = Number(number)
  const isCross = stack === 'cross.'
  const at = isCross ? 'decoder.' : stack
  const kind = isCross ? 'cross' : 'attention'
  const own = `${at}layers.${layer}.`
  if (what === 'hidden') {
    const most = stack === 'encoder.' ? encoderLayers : layers
    return layer === most ? `${at}layers.${layer - 1}.output` : `${own}input`
  }
  if (what === 'heads') return isCross ? `${own}cross.heads` : `${own}heads`
  if (what === 'attention') return `${own}${kind}.weights`
  if (what === 'attention_output') return `${own}${kind}.output`
  if (what === 'mlp_output') return `${own}mlp.output`
  assert.ok(/^[qkv]$/.test(what), name)
  return `${own}${kind}.${what}`
}

/** Converts (B, L, H * D) to (B, H, L, D). @param {FloatTensor} x @param {readonly number[]} dims */
function split(x, [B, H, L, D]) {
  return x.reshape([B, L, H, D]).permute([0, 2, 1, 3])
}

/**
 * @param {ArrayLike<number>} got
 * @param {ArrayLike<number>} want
 * @param {Tolerance} tolerance
 * @param {string} name
 * @param {(n: number) => boolean} [counts]
 */
export function compare(got, want, { abs, rel }, name, counts = () => true) {
  assert.equal(got.length, want.length, name)
  let share = 0
  for (let n = 0; n < want.length; n++) {
    if (!counts(n)) continue
    const used = Math.abs(got[n] - want[n]) / (abs + rel * Math.abs(want[n]))
    if (!(used <= 1)) assert.fail(`${name}[${n}]: ${got[n]} for ${want[n]}, ${used} tolerances`)
    share = Math.max(share, used)
  }
  return share
}

/**
 * Compares all gradients of a folder, and returns the largest error as a share of each tolerance.
 * @param {import('../../src/models/model.js').Model} model
 * @param {string} folder
 * @param {{ isNarrow?: boolean }} [options] isNarrow: true to skip gradients of weights
 */
export async function checkGradients(model, folder, { isNarrow = false } = {}) {
  const { golden, inputs, tensors } = await readGradients(folder)
  const { encoder, decoder } = model.stacks
  const layers = (decoder ?? encoder)?.layers ?? 0
  /** @type {Record<string, number>} */
  const shares = {}
  let compared = 0
  const note = (/** @type {string} */ key, /** @type {number} */ share) => {
    shares[key] = Math.max(shares[key] ?? 0, share)
    compared++
  }
  for (const { name, logit, loss, ablated } of golden.inputs) {
    const input = inputs.find((/** @type {{ name: string }} */ one) => one.name === name)
    const own = inputOf(input)
    for (const what of ['logit', 'loss', 'ablated']) {
      if (what === 'ablated' && !ablated) continue
      const prefix = `${name}/${what}/`
      const keys = [...tensors.keys()].filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length))
      const places = keys.filter(key => !/^(parameter|sum)\//.test(key))
      const rowsOf = (/** @type {string} */ key) => key.replace(/^(parameter|sum)\//, '')
      const named = keys.filter(key => /^(parameter|sum)\//.test(key))
      const at = places.map(key => placeOf(key, layers, encoder?.layers))
      const ran = backwardSync(model, own, {
        of: what === 'loss' ? 'loss' : { logits: logit.terms },
        ...(what === 'loss' && { targets: loss.labels }),
        at: /** @type {any} */ (at),
        parameters: isNarrow ? [] : [...new Set(named.map(rowsOf))],
        ...(what === 'ablated' && { hooks: { [ablated.hook]: 0 } }),
      })
      const value = { logit, loss, ablated }[what]?.value
      note(
        'objective',
        compare(
          [ran.value ?? NaN],
          [value],
          golden.tolerance.objective[what === 'loss' ? 'loss' : 'logit'],
          `${prefix}value`,
        ),
      )
      places.forEach((key, i) => {
        const want = tensors.get(prefix + key) ?? assert.fail()
        const found = ran.gradients[at[i]] ?? assert.fail(at[i])
        const kind = key.replace(/^(encoder|decoder|cross)\./, '').replace(/\.\d+$/, '')
        const got = /^[qkv]$/.test(kind) ? split(found, want.dims) : found
        assert.deepEqual([...got.dims], [...want.dims], key)
        // Compare only entries that are not 0 in the file. For a hidden pair the file may have 0, but qkv computes the gradient as if the pair were
        // visible and its weight a variable.
        const counts = kind === 'attention' ? (/** @type {number} */ n) => want.data[n] !== 0 : undefined
        const limits = golden.tolerance[what === 'loss' ? 'loss' : 'logit'][kind]
        note(`${what}.${kind}`, compare(got.data, want.data, limits, prefix + key, counts))
      })
      if (isNarrow) continue
      for (const key of named) {
        const want = tensors.get(prefix + key) ?? assert.fail()
        const { data, dims } = ran.parameters[rowsOf(key)] ?? assert.fail(key)
        const { abs, rel } = golden.tolerance.loss.parameter
        const rows = golden.rows[rowsOf(key)]
        const C = dims[1]
        if (key.startsWith('sum/')) {
          const sum = new Float64Array(C)
          for (let n = 0; n < data.length; n++) sum[n % C] += data[n]
          note('sum', compare(sum, want.data, { abs: 2 * abs, rel }, key))
        } else if (rows) {
          const got = rows.flatMap((/** @type {number} */ row) => [...data.subarray(row * C, (row + 1) * C)])
          note('parameter', compare(got, want.data, { abs, rel }, key))
        } else {
          assert.deepEqual([...dims], [...want.dims], key)
          note('parameter', compare(data, want.data, { abs, rel }, key))
        }
      }
    }
  }
  return { shares, compared }
}
