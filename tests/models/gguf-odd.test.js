// Valid GGUF files that differ from what today's converters write, compared with usual files of the same model, and with llama.cpp in
// gguf-oracle.test.js.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { edited, ODD } from './gguf/odd.js'

const qkv = await load()

/** Returns the logits, or the last state of an encoder. @param {Uint8Array} gguf */
async function answerOf(gguf) {
  const model = await loadModel(qkv, gguf, { tokenizer: false, dtype: 'float32' })
  const { logits, hiddenStates } = model.forwardSync(
    { ids: [[1, 270, 30, 261, 287, 5, 262, 263]] },
    { keep: ['hiddenStates'] },
  )
  model.dispose()
  return Float32Array.from((logits ?? hiddenStates?.slice(-1)[0])?.data ?? [])
}

for (const { title, of, edit, like } of ODD)
  test(`${title}: the numbers of a usual file`, async () => {
    const [got, want] = [await answerOf(edited(of, edit)), await answerOf(edited(of, like))]
    assert.ok(want.length && want.some(one => Math.abs(one) > 0.01))
    assert.deepEqual(got, want)
  })

/** Cuts a matrix to its first half of rows. @param {import('./gguf/write-gguf.js').WrittenTensor} tensor */
const half = ({ dims: [rows, ...rest], bytes, ...tensor }) => ({
  ...tensor,
  dims: [rows / 2, ...rest],
  bytes: bytes.subarray(0, bytes.length / 2),
})

/** @type {[string, string, import('./gguf/odd.js').Edit, RegExp][]} */
const REFUSED = [
  [
    "a cap of Gemma 3's scores, which llama.cpp ignores,",
    'gemma3',
    keys => void keys.set('gemma3.attn_logit_softcapping', { type: 'float32', value: 2 }),
    /model\.gguf: gemma3\.attn_logit_softcapping is 2, 0 is covered/,
  ],
  [
    "a cap of 0 of Gemma 2's scores, with which llama.cpp gives NaN,",
    'gemma2',
    keys => void keys.set('gemma2.attn_logit_softcapping', { type: 'float32', value: 0 }),
    /model\.gguf: gemma2\.attn_logit_softcapping: expected a number other than 0, got 0/,
  ],
  [
    "a scale of 0 of Granite's logits",
    'granite',
    keys => void keys.set('granite.logit_scale', { type: 'float32', value: 0 }),
    /model\.gguf: granite\.logit_scale: expected a number other than 0, got 0/,
  ],
  ...[
    ['stablelm', 'rope.dimension_count'],
    ['glm4', 'rope.dimension_count'],
    ['phi2', 'rope.dimension_count'],
    ['gptneox', 'rope.dimension_count'],
    ['falcon', 'attention.head_count_kv'],
    ['starcoder', 'attention.head_count_kv'],
    ['bert', 'attention.head_count'],
    ['mpt', 'feed_forward_length'],
  ].flatMap(([of, key]) =>
    [0, 0.5].map(
      value =>
        /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
          `${of}.${key} of ${value}`,
          of,
          keys => void keys.set(`${of}.${key}`, value),
          new RegExp(
            `model\\.gguf: ${of}\\.${key.replaceAll('.', '\\.')}: expected a whole number above 0, got ${value}`,
          ),
        ]),
    ),
  ),
  ...[
    ['falcon', 'rope.dimension_count', 0],
    ['falcon', 'attention.key_length', 4],
    ['phi3', 'attention.key_length', 4],
    ['phi2', 'attention.key_length', 4],
    ['gptneox', 'attention.key_length', 4],
    ['gptneox', 'attention.head_count_kv', 2],
    ['gpt2', 'attention.key_length', 0],
    ['bert', 'attention.key_length', 4],
    ['bloom', 'attention.head_count_kv', 0],
    ['mpt', 'attention.value_length', 4],
    ['llama', 'rope.dimension_count', 0],
    ['gemma2', 'attention.sliding_window_pattern', 0],
    ['gemma2', 'rope.freq_base_swa', 0],
    ['gpt2', 'context_length', 32],
    ['bert', 'context_length', 0],
    ['phi3', 'rope.scaling.original_context_length', 0.5],
    ['mpt', 'attention.causal', false],
    ['chatglm', 'attention.key_length', 32],
    ['nomic-bert', 'rope.scaling.attn_factor', 0],
    ['modern-bert', 'rope.scaling.attn_factor', 0],
    ['modern-bert', 'rope.dimension_count', 0],
    ['modern-bert', 'attention.sliding_window_pattern', 0],
    ['modern-bert', 'attention.key_length_swa', 0],
    ['gemma-embedding', 'dense_2_feat_in', 128],
  ].map(
    ([of, key, value]) =>
      /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
        `${of}.${key} of ${value}`,
        String(of),
        keys => void keys.set(`${of}.${key}`, value),
        new RegExp(`model\\.gguf: .*${of}\\.${String(key).replaceAll('.', '\\.')}`),
      ]),
  ),
  ...['mean', true, 5, -1, 0.5].flatMap(value =>
    ['bert', 'llama', 'modern-bert'].map(
      of =>
        /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
          `${of}.pooling_type of ${value}`,
          of,
          keys => void keys.set(`${of}.pooling_type`, value === -1 ? { type: 'int32', value } : value),
          new RegExp(
            `model\\.gguf: ${of}\\.pooling_type: expected 0 to 4, got ${typeof value === 'string' ? `"${value}"` : value}`,
          ),
        ]),
    ),
  ),
  ...['llama', 'modern-bert', 't5encoder'].map(
    of =>
      /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
        `${of} with three numbers of heads for two layers`,
        of,
        keys => void keys.set(`${of}.attention.head_count`, { type: 'uint32', value: [4, 4, 4] }),
        /model\.gguf: .*\.attention\.head_count: expected one value, or one for each layer, got a list of 3/,
      ]),
  ),
  [
    'a list of windows shorter than the layers',
    'modern-bert',
    keys => void keys.set('modern-bert.attention.sliding_window_pattern', { type: 'bool', value: [true] }),
    /model\.gguf: modern-bert\.attention\.sliding_window_pattern: expected one value, or one for each layer, got a list of 1/,
  ],
  [
    'a table with fewer rows than tokens',
    'mpt',
    (_, tensors) => tensors.map(tensor => (tensor.name === 'token_embd.weight' ? half(tensor) : tensor)),
    /model\.gguf: tensor "token_embd\.weight": expected 288 rows, one for each token, got 144/,
  ],
  ...['bert', 'nomic-bert', 'jina-bert-v2'].map(
    of =>
      /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
        `${of} with fewer token types than it names`,
        of,
        keys => void keys.set('tokenizer.ggml.token_type_count', 3),
        /model\.gguf: tensor "token_types\.weight": expected tokenizer\.ggml\.token_type_count = 3 rows, got 2/,
      ]),
  ),
  ...[
    ['mpt', 'rope_freqs.weight'],
    ['chatglm', 'rope_freqs.weight'],
    ['modern-bert', 'rope_factors_long.weight'],
    ['exaone', 'rope_factors_short.weight'],
    ['llama', 'rope_factors_short.weight'],
    ['phi3', 'rope_factors_short.weight'],
    ['phi3', 'rope_freqs.weight'],
    ['llama', 'blk.0.rope_freqs.weight'],
    ['llama', 'blk.0.attn_rot_embd.weight'],
    ['t5encoder', 'dec.blk.0.attn_q.weight'],
    ['t5encoder', 'dec.output_norm.weight'],
  ].map(
    ([of, name]) =>
      /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
        `${name}, which llama.cpp does not read for ${of},`,
        of,
        (_, tensors) => [
          ...tensors,
          { name, dims: [32], type: 'F32', bytes: new Uint8Array(new Float32Array(32).fill(1.5).buffer) },
        ],
        new RegExp(`unexpected: ${name.replaceAll('.', '\\.')}`),
      ]),
  ),
  [
    'a fused tensor with more rows than q, k and v have',
    'phi2',
    keys => void keys.set('phi2.attention.head_count_kv', 2),
    /model\.gguf: tensor "blk\.0\.attn_qkv\.weight": expected 512 rows of q, k and v, got 768/,
  ],
  [
    'a factor of rotated numbers without scaling',
    'llama',
    keys => void keys.set('llama.rope.scaling.attn_factor', { type: 'float32', value: 1.5 }),
    /model\.gguf: llama\.rope\.scaling\.attn_factor is 1\.5, 1 is covered/,
  ],
  [
    'MPT without ALiBi',
    'mpt',
    keys => void keys.delete('mpt.attention.max_alibi_bias'),
    /model\.gguf: the metadata key mpt\.attention\.max_alibi_bias is missing/,
  ],
  ...[
    'llama.rope.freq_base',
    'gemma2.attention.sliding_window',
    'gemma2.final_logit_softcapping',
    'granite.logit_scale',
  ]
    .flatMap(key => [NaN, Infinity].map(value => ({ key, value })))
    .map(
      ({ key, value }) =>
        /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
          `${key} of ${value}`,
          key.slice(0, key.indexOf('.')),
          keys => void keys.set(key, { type: 'float32', value }),
          new RegExp(`model\\.gguf: ${key.replaceAll('.', '\\.')}: expected a finite number, got ${value}`),
        ]),
    ),
  ...['llama', 'gemma3', 'modern-bert', 't5encoder'].map(
    of =>
      /** @type {[string, string, import('./gguf/odd.js').Edit, RegExp]} */ ([
        `${of} of 2^52 layers`,
        of,
        keys => void keys.set(`${of}.block_count`, { type: 'uint64', value: 2 ** 52 }),
        new RegExp(`model\\.gguf: ${of}\\.block_count is 4503599627370496, but there are only \\d+ tensors`),
      ]),
  ),
]
for (const [title, of, edit, message] of REFUSED)
  test(`${title} is refused by name`, () =>
    assert.rejects(loadModel(qkv, edited(of, edit), { tokenizer: false }), message))
