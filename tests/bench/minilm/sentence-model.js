// Makes a BERT of all-MiniLM-L6-v2's size with random weights and a smaller vocabulary, and sentences of about 19 tokens.

import { makeWeights } from '../gpt2/checkpoint.js'

export const SIZES = { layers: 6, heads: 12, d: 384, inner: 1536, vocab: 4096, positions: 512 }

/** @returns {[string, number[]][]} names and dims of all tensors */
function tensors() {
  const { layers, d, inner, vocab, positions } = SIZES
  /** @type {[string, number[]][]} */
  const names = [
    ['embeddings.word_embeddings.weight', [vocab, d]],
    ['embeddings.position_embeddings.weight', [positions, d]],
    ['embeddings.token_type_embeddings.weight', [2, d]],
  ]
  const norm = (/** @type {string} */ name) => names.push([`${name}.weight`, [d]], [`${name}.bias`, [d]])
  const linear = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) =>
    names.push([`${name}.weight`, [to, from]], [`${name}.bias`, [to]])
  norm('embeddings.LayerNorm')
  for (let i = 0; i < layers; i++) {
    const at = `encoder.layer.${i}.`
    for (const name of ['query', 'key', 'value']) linear(`${at}attention.self.${name}`, d, d)
    linear(`${at}attention.output.dense`, d, d)
    norm(`${at}attention.output.LayerNorm`)
    linear(`${at}intermediate.dense`, d, inner)
    linear(`${at}output.dense`, inner, d)
    norm(`${at}output.LayerNorm`)
  }
  return names
}

/** @param {import('../../../src/ops/random/generator.js').Generator} generator */
export function makeMiniLM(generator) {
  const { layers, heads, d, inner, vocab, positions } = SIZES
  const config = {
    model_type: 'bert',
    vocab_size: vocab,
    hidden_size: d,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: inner,
    max_position_embeddings: positions,
    type_vocab_size: 2,
    hidden_act: 'gelu',
    layer_norm_eps: 1e-12,
  }
  const weights = makeWeights(generator, undefined, { config, names: tensors() })
  for (const [name, { from, length }] of weights.places)
    if (name.endsWith('LayerNorm.weight')) for (let i = from; i < from + length; i++) weights.data[i] += 1
  return weights
}

/** Returns the length of each of n sentences: 8 to 30 tokens, 19 on average. @param {number} n */
export const lengthsOf = n => Array.from({ length: n }, (_, b) => 8 + ((b * 7) % 23))

/** Makes the ids of sentences by a fixed formula. @param {number[]} lengths */
export const sentences = lengths =>
  lengths.map((length, b) => Array.from({ length }, (_, i) => 5 + ((b * 7919 + i * 104729) % (SIZES.vocab - 5))))

/** Counts the multiplications and additions of a run of the model. @param {number[]} lengths */
export function flops(lengths) {
  const { layers, d, inner } = SIZES
  return lengths.reduce((sum, L) => sum + layers * (2 * L * (4 * d * d + 2 * d * inner) + 4 * L * L * d), 0)
}

/** A tokenizer for texts that are lists of ids. */
export class Ids {
  /** @param {string} text */
  encode(text) {
    const ids = text.split(' ').map(Number)
    return { ids, tokens: ids.map(String) }
  }
}
