// Makes valid GGUF files that differ from what today's converters write, each with a usual file that must give the same numbers.

import { randomOf } from '../tokenizers/random-files.js'
import { contentsOf, MADE } from './made.js'
import { writeGguf } from './write-gguf.js'

/** @import { Value, WrittenTensor } from './write-gguf.js' */
/** @typedef {(keys: Map<string, Value>, tensors: WrittenTensor[]) => unknown} Edit changes `keys` in place; returns the new tensors, or undefined to keep them */

const float = (/** @type {number} */ value) => /** @type {Value} */ ({ type: 'float32', value })
const SCALING = 'llama.rope.scaling.'

/** @param {readonly string[]} names @returns {Edit} */
const without = names => keys => {
  for (const name of names) keys.delete(name)
}
/** @param {Record<string, Value>} more @returns {Edit} */
const having = more => keys => {
  for (const [name, value] of Object.entries(more)) keys.set(name, value)
}
/** Adds outer axes to the tensors whose names match. @param {RegExp} names @param {readonly number[]} outer @returns {Edit} */
const deeper = (names, outer) => (_, tensors) =>
  tensors.map(tensor => (names.test(tensor.name) ? { ...tensor, dims: [...outer, ...tensor.dims] } : tensor))

/** The odd files. `edit` makes one from the file of model `of`; `like` makes the usual file, which by default is unedited. @type {{ title: string, of: string, edit: Edit, like?: Edit }[]} */
export const ODD = [
  { title: 'a table of four dimensions', of: 'llama', edit: deeper(/^token_embd/, [1, 1]) },
  { title: 'matrices of three dimensions', of: 'llama', edit: deeper(/attn_q|ffn_up/, [1]) },
  { title: 'norms of two dimensions', of: 'llama', edit: deeper(/norm/, [1]) },
  { title: 'biases of four dimensions', of: 'gpt2', edit: deeper(/bias$/, [1, 1, 1]) },
  { title: 'tensors from the last to the first', of: 'llama', edit: (_, tensors) => [...tensors].reverse() },
  { title: 'alignment 8', of: 'llama', edit: having({ 'general.alignment': 8 }) },
  { title: 'alignment 4096', of: 'llama', edit: having({ 'general.alignment': 4096 }) },
  {
    title: 'a list of heads, one number for each layer',
    of: 'llama',
    edit: having({ 'llama.attention.head_count': { type: 'int32', value: [4, 4] } }),
  },
  {
    title: 'integers beyond 2^53',
    of: 'llama',
    edit: having({
      'general.hash': 2n ** 63n + 1n,
      'general.least': { type: 'int64', value: -(2n ** 63n) },
      'general.hashes': { type: 'uint64', value: [1n, 2n ** 64n - 1n] },
    }),
  },
  { title: 'linear scaling without a factor', of: 'llama', edit: having({ [`${SCALING}type`]: 'linear' }) },
  {
    title: 'linear scaling by 0',
    of: 'llama',
    edit: having({ [`${SCALING}type`]: 'linear', [`${SCALING}factor`]: float(0) }),
  },
  {
    title: 'scaling by the old key',
    of: 'llama',
    edit: having({ 'llama.rope.scale_linear': float(2) }),
    like: having({ [`${SCALING}type`]: 'linear', [`${SCALING}factor`]: float(2) }),
  },
  {
    title: 'Gemma 2 as its first converter wrote it',
    of: 'gemma2',
    edit: without([
      'gemma2.attention.sliding_window',
      'gemma2.attn_logit_softcapping',
      'gemma2.final_logit_softcapping',
    ]),
    like: having({
      'gemma2.attention.sliding_window': 4096,
      'gemma2.attn_logit_softcapping': float(50),
      'gemma2.final_logit_softcapping': float(30),
    }),
  },
  {
    title: 'Granite with scales of 0',
    of: 'granite',
    edit: having({
      'granite.attention.scale': float(0),
      'granite.embedding_scale': float(0),
      'granite.residual_scale': float(0),
    }),
    like: having({
      'granite.attention.scale': float(1 / 8),
      'granite.embedding_scale': float(1),
      'granite.residual_scale': float(1),
    }),
  },
  {
    title: 'ModernBERT without a base for windows',
    of: 'modern-bert',
    edit: without(['modern-bert.rope.freq_base_swa']),
    like: having({ 'modern-bert.rope.freq_base_swa': float(10_000) }),
  },
  {
    title: 'Command R without a scale of its logits',
    of: 'command-r',
    edit: without(['command-r.logit_scale']),
    like: having({ 'command-r.logit_scale': float(1) }),
  },
  {
    title: 'Command R with a scale of its logits of 0',
    of: 'command-r',
    edit: having({ 'command-r.logit_scale': float(0) }),
    like: having({ 'command-r.logit_scale': float(1) }),
  },
  {
    title: 'Gemma 3 with a cap of 0',
    of: 'gemma3',
    edit: having({ 'gemma3.final_logit_softcapping': float(0) }),
    like: without(['gemma3.final_logit_softcapping']),
  },
  {
    title: 'StableLM with two norms, without the key of parallel parts',
    of: 'stablelm',
    edit: without(['stablelm.use_parallel_residual']),
    like: having({ 'stablelm.use_parallel_residual': false }),
  },
  {
    title: 'StableLM with one norm, without the key of parallel parts',
    of: 'stablelm',
    edit: (keys, tensors) => {
      keys.delete('stablelm.use_parallel_residual')
      return tensors.filter(({ name }) => !name.includes('ffn_norm'))
    },
    like: (keys, tensors) => {
      keys.set('stablelm.use_parallel_residual', true)
      return tensors.filter(({ name }) => !name.includes('ffn_norm'))
    },
  },
]

/** Makes the float32 file of a model, edited. @param {string} of title of the model @param {Edit} [edit] @returns {Uint8Array<ArrayBuffer>} */
export function edited(of, edit = () => {}) {
  const made = /** @type {import('./made.js').Made} */ (MADE.find(({ title }) => title === of))
  const { metadata, written } = contentsOf(made, 'F32', randomOf(3))
  const keys = new Map(metadata)
  const tensors = /** @type {WrittenTensor[] | undefined} */ (edit(keys, written))
  return writeGguf([...keys], tensors ?? written)
}
