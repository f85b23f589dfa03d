// Reads a layer of the shipped model: the inputs of its heads for a text, and their weights.

import { Tensor } from 'qkv'
import { loadModel } from 'qkv/models'
import { bytesOf } from '../../files/byte-tokens.js'
import { unpacked } from '../../files/packed-weights.js'
import { Trouble } from '../../files/trouble.js'
import { once } from '../../shell/once.js'
import { TRAINED } from './limits.js'
import { BASE } from './numbers/positions.js'
import { stack } from './numbers/tensors.js'

/** @import { Qkv } from 'qkv' */
/** @import { Model } from 'qkv/models' */
/** @import { Checked, Tensors } from './layer.js' */

const PACKED = 'packed.safetensors'

/** Loads the model. @param {Qkv} qkv @param {Record<string, string>} urls address of each file */
async function open(qkv, urls) {
  const files = Object.entries(urls).map(async ([name, url]) => {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
    return [name, await response.arrayBuffer()]
  })
  const { [PACKED]: packed, ...found } = Object.fromEntries(await Promise.all(files))
  const model = await loadModel(qkv, { ...found, 'model.safetensors': unpacked(packed) })
  const { rope_theta: base, rope_scaling: scaling } = model.config
  if (base !== BASE || scaling) throw new Error(`rope_theta: expected ${BASE} without rope_scaling; got ${base}`)
  return { model, weights: new Map() }
}

/**
 * Caches a function that loads the model, per core. After a failed load, the next call loads again.
 * @type {WeakMap<Qkv, () => Promise<{ model: Model, weights: Map<number, Tensors> }>>}
 */
const opened = new WeakMap()

/** Reads the weights of a layer, head by head. @param {Model} model @param {number} layer @returns {Promise<Tensors>} */
async function weightsOf(model, layer) {
  const heads = await Promise.all(Array.from({ length: TRAINED.heads }, (_, head) => model.headWeights(layer, head)))
  const own = (/** @type {'q' | 'k' | 'v'} */ name) => stack(heads.map(head => head[name].weight.T))
  const rows = stack(heads.map(({ o }) => o.weight.T))
  const [H, D, d] = rows.dims
  return { Wq: own('q'), Wk: own('k'), Wv: own('v'), Wo: rows.reshape([H * D, d]) }
}

/** Returns the readable text of a token. @param {Model} model @param {number} id @param {string} raw */
function tokenText(model, id, raw) {
  const text = model.decode([id])
  if (text.trim() && !text.includes('\ufffd')) return text.trim()
  if (text && !text.includes('\ufffd')) return text.replaceAll(' ', '␣').replaceAll('\n', '↵')
  return (text && bytesOf(raw)) || raw || `[${id}]`
}

/**
 * Runs the model up to the layer of the settings.
 * @param {Qkv} qkv
 * @param {Checked} settings
 * @param {Record<string, string> | undefined} urls addresses of the model's files
 * @returns {Promise<Checked>} the settings with the tokens of the model, the layer's input and its weights
 */
export async function trainedLayer(qkv, settings, urls) {
  if (!urls) throw new Trouble('trainedMissing')
  const load = opened.get(qkv) ?? once(() => open(qkv, urls))
  opened.set(qkv, load)
  const { model, weights } = await load()
  const { ids, tokens: raw } = model.tokenize(settings.sentence)
  const { most } = TRAINED
  if (ids.length === 0) throw new Trouble('problemEmpty')
  if (ids.length > most) throw new Trouble('trainedLong', { most, count: ids.length })
  const layer = settings.layer - 1
  /** @type {Tensors['X']} */
  let X
  const place = `layers.${layer}.attention.input`
  const read = (/** @type {{ data: Float32Array, dims: readonly number[] }} */ { data, dims: [, L, d] }) => {
    X = new Tensor(data.slice(), [L, d])
  }
  await model.forward({ ids }, { hooks: { [place]: read }, logits: 'none', until: layer })
  if (!weights.has(layer)) weights.set(layer, await weightsOf(model, layer))
  const tokens = ids.map((id, i) => tokenText(model, id, raw[i]))
  const words = { tokens, ids: Int32Array.from(ids), vocabulary: new Map(tokens.map((token, i) => [token, ids[i]])) }
  return { ...settings, queries: words, keys: words, given: { X, ...weights.get(layer) } }
}
