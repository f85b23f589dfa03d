// Measures a small language model: bits per byte, and the words it predicts.

import { existsSync, readFileSync } from 'node:fs'
import { unpacked } from '../../../web/files/packed-weights.js'

/** Reads the files of a folder with its weights unpacked. @param {string} folder */
export function filesOf(folder) {
  const read = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${folder}/${name}`))
  const names = ['config.json', 'tokenizer.json', 'tokenizer_config.json'].filter(name =>
    existsSync(`${folder}/${name}`),
  )
  const packed = `${folder}/packed.safetensors`
  const weights = existsSync(packed)
    ? unpacked(Uint8Array.from(readFileSync(packed)).buffer)
    : read('model.safetensors')
  return { ...Object.fromEntries(names.map(name => [name, read(name)])), 'model.safetensors': weights }
}

/** Returns the log probabilities of a row of logits. @param {Float32Array} row */
export function logOf(row) {
  let most = Number.NEGATIVE_INFINITY
  for (const x of row) if (x > most) most = x
  let sum = 0
  for (const x of row) sum += Math.exp(x - most)
  const all = most + Math.log(sum)
  return (/** @type {number} */ id) => row[id] - all
}

/**
 * Returns the bits per byte of texts: the total cost of predicting each token from those before it, divided by the number of bytes.
 * @param {import('qkv/models').Model} model
 * @param {readonly string[]} texts
 * @param {Record<string, any>} [hooks]
 */
export function bitsOf(model, texts, hooks = {}) {
  const V = Number(model.config.vocab_size)
  let [bits, bytes] = [0, 0]
  for (const text of texts) {
    const { ids } = model.tokenize(text)
    const { logits } = model.forwardSync({ ids }, { hooks })
    const { data } = /** @type {import('qkv').FloatTensor} */ (logits)
    for (let i = 0; i < ids.length - 1; i++) bits -= logOf(data.subarray(i * V, (i + 1) * V))(ids[i + 1]) / Math.LN2
    bytes += Buffer.byteLength(text)
  }
  return bits / bytes
}

/** Returns, for each of the `count` most likely next tokens, the word that begins with it and the token's probability. @param {import('qkv/models').Model} model @param {string} text @param {number} count */
export function wordsAfter(model, text, count) {
  const { ids } = model.tokenize(text)
  const { logits } = model.forwardSync({ ids }, { logits: 'last' })
  const { data } = /** @type {import('qkv').FloatTensor} */ (logits)
  const log = logOf(data)
  const top = Array.from(data.keys())
    .sort((a, b) => data[b] - data[a])
    .slice(0, count)
  const said = model.decode(ids)
  // Completes words of several tokens greedily.
  return top.map(first => {
    const more = [...ids, first]
    for (let n = 0; n < 5; n++) {
      const next = /** @type {import('qkv').FloatTensor} */ (
        model.forwardSync({ ids: more }, { logits: 'last' }).logits
      ).data
      const id = next.reduce((/** @type {number} */ most, value, at) => (value > next[most] ? at : most), 0)
      const added = model.decode([...more, id]).slice(model.decode(more).length)
      if (!/^[\p{L}']/u.test(added)) break
      more.push(id)
    }
    return { word: model.decode(more).slice(said.length).trim(), probability: Math.exp(log(first)) }
  })
}
