// Describes decoders that predict the next token: an embedding, layers of attention and MLP, a head.

import { anyOf, headDimOf, layersOf, slices, times } from './parts.js'

/** @import { Config } from '../config/config.js' */
/** @import { ActivationName, AttentionSpec, EmbeddingSpec, HeadSpec, LinearSpec, NormSpec, StackSpec } from './parts.js' */

/**
 * Describes a decoder that predicts the next token, with norms before attention and MLP, and in some families also after them.
 * @param {Config} c
 * @param {object} f
 * @param {string} f.prefix
 * @param {number} f.d width
 * @param {{ numHeads: number, numKvHeads: number, headDim: number }} f.heads
 * @param {string} f.tokens table of embeddings
 * @param {Partial<EmbeddingSpec>} [f.embedding] further fields of the embedding
 * @param {Partial<StackSpec>} [f.stack] further fields of the stack
 * @param {string} f.layers config key of the number of layers
 * @param {string} f.at prefix of a layer's names; N stands for its index
 * @param {(at: string, i: number) => AttentionSpec} f.attention
 * @param {readonly string[]} f.mlp names of up, down and, if present, gate
 * @param {number} f.inner
 * @param {ActivationName} f.activation
 * @param {(name: string, out: number, size: number) => LinearSpec} f.linear makes linear layers of the MLP
 * @param {(name: string, size?: number) => NormSpec} f.norm
 * @param {string} [f.fusedMlp] name of the weight that contains gate, then up
 * @param {NormSpec} [f.after] applied to the output of attention and of the MLP where f.norms has no norm
 * @param {readonly (string | undefined)[]} f.norms names of the norms before and after attention, before and after the MLP; '' or
 *   undefined for none
 * @param {string} f.last name of the norm after all layers
 * @param {string} f.head
 * @param {boolean} f.tied True if the table of embeddings is the head
 * @param {Partial<HeadSpec>} [f.logits]
 * @param {boolean} [f.headBias]
 * @param {readonly string[]} [f.ignored]
 * @returns {import('./parts.js').Description}
 */
export function decoderOnly(c, f) {
  const { d, heads, norm, linear, mlp, inner, activation, norms, head, ignored = [] } = f
  const vocab = c.size('vocab_size')
  const normed = (/** @type {string} */ at, /** @type {number} */ n) => ({
    ...(norms[n] && { before: norm(at + norms[n]) }),
    ...(norms[n + 1] ? { after: norm(at + norms[n + 1]) } : f.after && { after: f.after }),
  })
  return {
    width: d,
    vocab,
    prefix: f.prefix,
    embedding: { tokens: { name: f.tokens, rows: vocab, columns: d }, ...f.embedding },
    decoder: {
      causal: true,
      heads: { ...heads, scale: heads.headDim ** -0.5, softcap: 0 },
      norm: norm(f.last),
      ...f.stack,
      layers: times(layersOf(c, f.layers), i => {
        const at = f.at.replace('N', String(i))
        const plain = mlp.map((name, n) => linear(at + name, n === 1 ? d : inner, n === 1 ? inner : d))
        const down = plain[1]
        const [gate, up] = f.fusedMlp ? slices(at + f.fusedMlp, [inner, inner], d, down.bias) : [plain[2], plain[0]]
        return [
          { kind: 'attention', attention: f.attention(at, i), ...normed(at, 0) },
          { kind: 'mlp', mlp: { up, down, gate, activation }, ...normed(at, 2) },
        ]
      }),
    },
    head: {
      ...(f.tied ? { tied: f.tokens, own: head } : { project: { name: head, out: vocab, in: d, bias: f.headBias } }),
      ...f.logits,
    },
    ignored: anyOf(...ignored, 'rotary_emb\\.inv_freq$', ...(f.tied ? [`^${head}\\.weight$`] : [])),
  }
}

/** @param {number} width @param {number} heads @param {number} [numKvHeads] */
export const equalHeads = (width, heads, numKvHeads = heads) => ({
  numHeads: heads,
  numKvHeads,
  headDim: headDimOf(width, heads),
})
