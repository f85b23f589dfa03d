// Bad files, truncated, contradictory or of other kinds, give an error that names the fault, never a wrong model.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { inspectModel, loadModel } from '../../src/entries/models.js'
import { Config } from '../../src/models/config/config.js'
import { familyOf } from '../../src/models/families/index.js'
import { readFloats, readHeader } from '../../src/models/weights/safetensors.js'
import { ENGINE } from '../strange.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const bytesOf = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${folder}/${name}`))
const textBytes = (/** @type {string} */ text) => new TextEncoder().encode(text)

/** Makes a safetensors file. @param {string} header @param {number} [data] bytes of zeros after the header @param {number} [length] stated length of the header */
function file(header, data = 0, length = header.length) {
  const bytes = new Uint8Array(8 + header.length + data)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true)
  bytes.set(textBytes(header), 8)
  return bytes
}

/** @param {Uint8Array} bytes */
const sourceOf = bytes => ({
  size: bytes.length,
  read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
})
const read = (/** @type {Uint8Array} */ bytes) => readHeader(sourceOf(bytes), 'f')
const entry = (/** @type {string} */ dtype, /** @type {string} */ shape, /** @type {string} */ offsets) =>
  `{"dtype":"${dtype}","shape":${shape},"data_offsets":${offsets}}`
const one = entry('F32', '[2]', '[0,8]')

test('numbers of all three kinds are read, at any alignment', async () => {
  const header = `{"__metadata__":{"a":"b"},"x":${entry('F16', '[3]', '[0,6]')},"y":${entry('BF16', '[1,1]', '[6,8]')},"z":${entry('F32', '[2]', '[8,16]')},"none":${entry('F32', '[0,5]', '[16,16]')}}`
  for (let pad = 0; pad < 5; pad++) {
    const text = header + ' '.repeat(pad)
    const bytes = file(text, 16)
    const view = new DataView(bytes.buffer, 8 + text.length)
    for (const [at, bits] of [
      [0, 0x3c00],
      [2, 0xfbff],
      [4, 1],
      [6, 0xc020],
    ])
      view.setUint16(at, bits, true)
    view.setFloat32(8, 1.5, true)
    view.setFloat32(12, -Infinity, true)
    const tensors = await read(bytes)
    assert.deepEqual(
      tensors.map(({ name, dims }) => [name, ...dims]),
      [
        ['x', 3],
        ['y', 1, 1],
        ['z', 2],
        ['none', 0, 5],
      ],
    )
    const values = await Promise.all(tensors.map(async tensor => [...(await readFloats(tensor))]))
    assert.deepEqual(values, [[1, -65504, 2 ** -24], [-2.5], [1.5, -Infinity], []])
  }
})

for (const [title, bytes, message] of /** @type {[string, Uint8Array, RegExp][]} */ ([
  ['an empty file', new Uint8Array(0), /expected bytes 0 to 8, got 0 of them: the file is cut off/],
  ['a file of 7 bytes', new Uint8Array(7), /got 7 of them/],
  ['a header of 10^9 bytes', file('{}', 0, 1e9), /header would be 1000000000 bytes long, the file has 10 bytes/],
  ['a header of 2^63 bytes', file('{}', 0, 2 ** 63), /header would be 9223372036854776000 bytes/],
  ['a header of no bytes', file('{}', 0, 0), /header would be 0 bytes long/],
  ['a header that is no JSON', file('{"x":'), /its header is no JSON/],
  ['a header that is a list', file('[1,2]'), /its header: expected an object of tensors, got an array of 2/],
  ['an entry that is a number', file('{"x":3}'), /tensor "x": expected an object in the header, got 3/],
  ['an unknown dtype', file(`{"x":${entry('F3', '[1]', '[0,4]')}}`, 4), /dtype "F3" is not known/],
  [
    'a dtype from the prototype',
    file(`{"x":${entry('constructor', '[1]', '[0,4]')}}`, 4),
    /dtype "constructor" is not known/,
  ],
  ['a negative size', file(`{"x":${entry('F32', '[-2]', '[0,8]')}}`, 8), /shape an array of 1 is no list of sizes/],
  ['a fraction as a size', file(`{"x":${entry('F32', '[1.5]', '[0,6]')}}`, 6), /no list of sizes/],
  ['offsets backwards', file(`{"x":${entry('F32', '[2]', '[8,0]')}}`, 8), /data_offsets \[8,0\] are no range/],
  ['one offset', file(`{"x":${entry('F32', '[2]', '[8]')}}`, 8), /are no range/],
  ['no offsets', file('{"x":{"dtype":"F32","shape":[2]}}', 8), /data_offsets undefined are no range/],
  [
    'dims whose product overflows',
    file(`{"x":${entry('F32', '[4294967296,4294967296]', '[0,8]')}}`, 8),
    /8 bytes, but F32 \(4294967296, 4294967296\) are 73786976294838210000/,
  ],
  ['dims that do not fit the bytes', file(`{"x":${entry('F32', '[3]', '[0,8]')}}`, 8), /8 bytes, but F32 \(3\) are 12/],
  ['overlapping tensors', file(`{"x":${one},"y":${entry('F32', '[2]', '[4,12]')}}`, 12), /tensor "y" overlaps/],
  ['the same bytes twice', file(`{"x":${one},"y":${one}}`, 8), /tensor "y" overlaps/],
  [
    'bytes that belong to no tensor',
    file(`{"x":${entry('F32', '[2]', '[4,12]')}}`, 12),
    /4 bytes before tensor "x" belong to no tensor/,
  ],
  ['bytes at the end', file(`{"x":${one}}`, 9), /1 bytes at its end belong to no tensor/],
  ['missing bytes', file(`{"x":${one}}`, 7), /need \d+ bytes, the file has \d+: it is cut off/],
  [
    'offsets beyond the end',
    file(`{"x":${entry('F32', '[2]', '[9007199254740000,9007199254740008]')}}`, 8),
    /belong to no tensor/,
  ],
  ['a name twice', file(`{"x":${one},"x":${entry('F16', '[4]', '[0,8]')}}`, 8), /a name occurs twice in its header/],
  ['a GGUF file', textBytes('GGUF\x03\0\0\0 and so on'), /a GGUF file: give it a name that ends in \.gguf/],
  [
    'a zip of pickles',
    textBytes('PK\x03\x04 and so on, and so on'),
    /a file of torch\.save or another pickle: a state_dict is read if its name is pytorch_model\.bin/,
  ],
  ['a page of an error', textBytes('<!doctype html><html>'), /this is text/],
  ['a Git LFS pointer', textBytes('version https://git-lfs.github.com/spec/v1'), /a Git LFS pointer/],
]))
  test(`${title} is refused`, async () => {
    await assert.rejects(read(bytes), message)
  })

test('__proto__ is a name like others', async () => {
  const [tensor] = await read(file(`{"__proto__":${one}}`, 8))
  assert.equal(tensor.name, '__proto__')
  assert.equal(/** @type {any} */ ({}).dtype, undefined)
})

test('a name with escapes and brackets is not counted twice', async () => {
  const tensors = await read(file(`{"a\\":{\\"b":${one},"c[:":${entry('F32', '[1]', '[8,12]')}}`, 12))
  assert.deepEqual(
    tensors.map(({ name }) => name),
    ['a":{"b', 'c[:'],
  )
})

const gpt2 = {
  'config.json': bytesOf('gpt2-tiny/config.json'),
  'model.safetensors': bytesOf('gpt2-tiny/model.safetensors'),
}
const config = JSON.parse(new TextDecoder().decode(gpt2['config.json']))
const logitsOf = (/** @type {import('../../src/models/model.js').Model} */ model) =>
  model.forwardSync({ ids: [1, 2, 3] }).logits?.data
const right = await loadModel(qkv, gpt2, { tokenizer: false })
const expected = logitsOf(right)
right.dispose()
const resident = qkv.memory.resident

/** Returns a function that draws a whole number below its argument n. @param {number} seed */
function numbersFrom(seed) {
  return (/** @type {number} */ n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return Math.floor((seed / 2 ** 32) * n)
  }
}

test('10,000 mutations of a file: an error, or the same tensors; none opens as another model', async () => {
  const bytes = gpt2['model.safetensors']
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true))
  const small = bytes.slice(0, 8 + length)
  const random = numbersFrom(12345)
  const line = (/** @type {any} */ { name, dtype, dims, from, to }) => `${name} ${dtype} ${dims} ${from} ${to}`
  const original = (await read(bytes)).map(line).join()
  const counts = { refused: 0, same: 0, byTheModel: 0 }
  for (let n = 0; n < 10_000; n++) {
    const changed = small.slice(0, random(10) ? small.length : random(small.length))
    const edits = 1 + random(3)
    for (let e = 0; e < edits; e++)
      changed[random(4) ? random(changed.length) : random(8)] = random(2) ? random(256) : 48 + random(10)
    const source = {
      size: bytes.length - small.length + changed.length,
      read: async (/** @type {number} */ from, /** @type {number} */ to) => changed.subarray(from, to),
    }
    try {
      const tensors = await readHeader(source, 'f')
      for (const { dims, from, to, dtype } of tensors)
        assert.ok(from <= to && to <= source.size && dims.every(Number.isSafeInteger) && dtype)
      if (tensors.map(line).join() === original) counts.same++
      else if (counts.byTheModel < 300) {
        const whole = bytes.slice()
        whole.set(changed)
        const files = { ...gpt2, 'model.safetensors': whole }
        counts.byTheModel++
        const model = await loadModel(qkv, files, { tokenizer: false }).catch(({ message }) => {
          assert.match(message, /loadModel: the tensors do not fit|expected/)
        })
        if (!model) continue
        assert.deepEqual(logitsOf(model), expected) // only the name of an ignored tensor was changed
        model.dispose()
      }
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error))
      counts.refused++
    }
  }
  assert.ok(counts.refused > 5000 && counts.byTheModel > 100, JSON.stringify(counts))
  assert.equal(qkv.memory.resident, resident)
})

test('10,000 mutations of configs: an error, or a description; that of GPT-2 fits the tensors or is refused', async () => {
  /** @type {unknown[]} */
  const strange = [
    null,
    -1,
    0,
    1,
    2,
    1.5,
    1e300,
    Number.NaN,
    Infinity,
    2 ** 53,
    '',
    'x',
    '__proto__',
    true,
    false,
    [],
    {},
    [1],
    { type: 'linear', factor: 2 },
    { rope_type: 'yarn', factor: 2 },
    { full_attention: {}, sliding_attention: {} },
    Array(1e4).fill(0),
    { toString: 1, valueOf: 1 },
  ]
  const names = [
    'gpt2-tiny',
    'llama-tiny-sharded',
    't5-tiny',
    'bert-tiny',
    'gemma2-tiny',
    'marian-tiny',
    'gemma3-tiny',
    'bart-tiny',
    'modernbert-made',
    'smollm3-made',
    'olmo2-made',
    'opt-made',
    'mpnet-made',
  ]
  const configs = names.map(name => JSON.parse(readFileSync(`${folder}/${name}/config.json`, 'utf8')))
  const { parameters } = await inspectModel(gpt2)
  const random = numbersFrom(54321)
  const counts = { refused: 0, described: 0, fitting: 0 }
  for (let n = 0; n < 10_000; n++) {
    const given = configs[n % configs.length]
    const changed = { ...given }
    const keys = [
      ...Object.keys(given),
      'rope_scaling',
      'rope_parameters',
      'layer_types',
      'quantization_config',
      'head_dim',
    ]
    for (let e = 0; e <= random(2); e++) changed[keys[random(keys.length)]] = strange[random(strange.length)]
    try {
      const { width, vocab } = await familyOf(new Config(changed))
      assert.ok(Number.isInteger(width) && Number.isInteger(vocab))
      counts.described++
    } catch (error) {
      assert.ok(error instanceof RangeError || error instanceof TypeError, `${JSON.stringify(changed)}: ${error}`)
      assert.match(error.message, /config\.json/)
      counts.refused++
      continue
    }
    if (given !== configs[0] || counts.fitting > 200) continue
    const files = { ...gpt2, 'config.json': textBytes(JSON.stringify(changed)) }
    const found = await inspectModel(files).catch(error => {
      assert.match(error.message, /config\.json|model_type/)
    })
    if (found) assert.equal(found.parameters, parameters)
    counts.fitting++
  }
  assert.ok(counts.refused > 3000 && counts.described > 1000 && counts.fitting > 50, JSON.stringify(counts))
})

test('a head size in the config need not be the width divided by the heads', async () => {
  const given = JSON.parse(readFileSync(`${folder}/llama-tiny-sharded/config.json`, 'utf8'))
  const { decoder } = await familyOf(
    new Config({ ...given, hidden_size: 64, num_attention_heads: 3, num_key_value_heads: 3, head_dim: 32 }),
  )
  assert.equal(decoder?.heads.headDim, 32)
  const without = { ...given, hidden_size: 64, num_attention_heads: 3, num_key_value_heads: 3, head_dim: undefined }
  await assert.rejects(async () => familyOf(new Config(without)), /3 heads do not divide the width 64/)
})

for (const [title, change, message] of /** @type {[string, Record<string, unknown>, RegExp][]} */ ([
  ['an unknown family', { model_type: 'gemma3' }, /model_type "gemma3" is not covered; covered: gpt2,/],
  ['a family from the prototype', { model_type: 'constructor' }, /model_type "constructor" is not covered/],
  ['an unknown key', { use_fancy_attention: true }, /not covered: use_fancy_attention = true/],
  [
    'a quantised model',
    { quantization_config: { bits: 4 } },
    /quantization_config: weights that were quantized \(an object with bits\) are not covered/,
  ],
  ['an activation', { activation_function: 'quick_gelu' }, /activation_function "quick_gelu" is not covered/],
  [
    'inverse layer scales',
    { scale_attn_by_inverse_layer_idx: true },
    /scale_attn_by_inverse_layer_idx true is not covered/,
  ],
  [
    'a first id that is none',
    { forced_bos_token_id: 384 },
    /forced_bos_token_id: expected a whole number from 0 to 383.*got 384/,
  ],
  ['an absurd size', { n_embd: 1e12 }, /n_embd: expected a whole number from 1 to.*got 1000000000000/],
  ['heads that do not divide', { n_head: 5 }, /5 heads do not divide the width 48/],
  ['other sizes than the tensors', { n_inner: 100 }, /h\.0\.mlp\.c_fc\.weight: expected \(48, 100\), got \(48, 192\)/],
  ['more layers than there are', { n_layer: 4 }, /missing: h\.3\.ln_1\.weight, .* and \d+ more|missing: h\.3/],
  ['fewer layers than there are', { n_layer: 2 }, /unexpected: h\.2\./],
  ['an end that is no id', { eos_token_id: 'end' }, /eos_token_id: expected a number, got "end"/],
  ['a fraction among its ends', { eos_token_id: [1, 0.5] }, /eos_token_id: expected a whole number, got 0\.5/],
  [
    'a bad word that has no id',
    { bad_words_ids: [[3], [384]] },
    /bad_words_ids: expected a list of lists of ids.*got an array of 2/,
  ],
]))
  test(`a config with ${title} is refused by name`, async () => {
    const changed = { ...gpt2, 'config.json': textBytes(JSON.stringify({ ...config, ...change })) }
    await assert.rejects(loadModel(qkv, changed, { tokenizer: false }), message)
    assert.equal(qkv.memory.resident, resident)
  })

for (const [type, change, message] of /** @type {[string, Record<string, unknown>, RegExp][]} */ ([
  [
    'llama-tiny-sharded',
    { rope_scaling: { rope_type: 'longrope', factor: 2 } },
    /short_factor: expected 8 positive numbers.*got undefined/,
  ],
  [
    'phi3-longrope-made',
    { rope_scaling: { type: 'longrope', short_factor: [1, 0], long_factor: [1, 2] } },
    /short_factor: expected .*got an array of 2/,
  ],
  ['phi3-made', { rope_scaling: { type: 'yarn', factor: 2 } }, /rope_scaling: type "yarn" is not covered/],
  ['gemma-made', { hidden_activation: 'gelu' }, /hidden_activation "gelu" is not covered; covered: gelu_pytorch_tanh/],
  ['olmo-made', { clip_qkv: 8 }, /clip_qkv 8 is not covered; covered: none/],
  ['stablelm-made', { qk_layernorm: true }, /qk_layernorm true is not covered/],
  ['cohere-made', { use_qk_norm: true }, /use_qk_norm true is not covered/],
  ['cohere2-made', { head_dim: 8 }, /head_dim 8 is not covered; covered: 6/],
  ['cohere2-made', { use_parallel_block: false }, /use_parallel_block false is not covered/],
  ['cohere2-made', { sliding_window: null }, /sliding_window is missing/],
  ['falcon-made', { alibi: true }, /alibi true is not covered/],
  ['falcon-made', { num_kv_heads: 2, multi_query: false }, /num_kv_heads 2 is not covered; covered: 4/],
  ['falcon-new-made', { num_kv_heads: 3 }, /3 key heads do not divide 4 heads/],
  ['mpt-made', { attn_config: { clip_qkv: 6 } }, /attn_config: clip_qkv 6 is not covered/],
  ['mpt-made', { attn_config: { alibi: false } }, /attn_config: alibi false is not covered/],
  ['mpt-made', { attn_config: 7 }, /attn_config: expected an object, got 7/],
  [
    'bloom-made',
    { apply_residual_connection_post_layernorm: true },
    /apply_residual_connection_post_layernorm true is not/,
  ],
  ['gptj-made', { rotary_dim: null }, /rotary_dim/],
  ['gptj-made', { rotary_dim: 3 }, /rotary_dim: expected an even number, got 3/],
  ['codegen-made', { n_head: 2, n_embd: 32 }, /n_head: expected a multiple of 4, got 2/],
  ['gpt_bigcode-made', { scale_attn_weights: false }, /scale_attn_weights false is not covered/],
  [
    'bert-jina-made',
    { auto_map: { AutoModel: 'jinaai/jina-bert-v2-qk-post-norm--modeling_bert.JinaBertModel' } },
    /qk-post-norm/,
  ],
  ['bert-jina-made', { feed_forward_type: 'original' }, /feed_forward_type "original" is not covered/],
  ['nomic_bert-made', { num_experts: 8 }, /num_experts 8 is not covered/],
  ['nomic_bert-made', { rotary_emb_fraction: 0.5 }, /rotary_emb_fraction 0.5 is not covered/],
  [
    'new-made',
    { rope_scaling: { type: 'linear', factor: 2 } },
    /rope_scaling: type "linear" is not covered; covered: ntk/,
  ],
  ['new-made', { rope_scaling: { type: 'ntk', factor: 2, mixed_b: 0.5 } }, /not covered: mixed_b/],
  ['new-made', { logn_attention_scale: true }, /logn_attention_scale true is not covered/],
  ['deberta-v3-made', { conv_kernel_size: 3 }, /conv_kernel_size 3 is not covered/],
  ['deberta-v3-made', { relative_attention: false }, /relative_attention false is not covered/],
  ['deberta-v3-made', { share_att_key: false }, /share_att_key false is not covered/],
  ['deberta-v3-made', { pos_att_type: 'c2p' }, /pos_att_type c2p is not covered; covered: c2p and p2c/],
  ['deberta-v3-made', { pos_att_type: null }, /pos_att_type {2}is not covered/],
  ['deberta-v3-made', { position_buckets: 2 }, /position_buckets: .*got 2/],
  ['deberta-v3-made', { embedding_size: 12 }, /embedding_size 12 is not covered; covered: 24/],
  ['mbart-made', { normalize_before: false }, /normalize_before false is not covered/],
  ['exaone4-made', { layer_types: null }, /sliding_window_pattern: .*got "LLLG"/],
  ['llama-tiny-sharded', { rope_scaling: { rope_type: 'constructor' } }, /rope_type "constructor" is not covered/],
  ['llama-tiny-sharded', { rope_scaling: { rope_type: 'yarn', factor: 0 } }, /factor: .*got 0/],
  ['llama-tiny-sharded', { rope_scaling: { rope_type: 'yarn', factor: 2, gamma: 1 } }, /not covered: gamma = 1/],
  ['llama-tiny-sharded', { rope_scaling: { rope_type: 'dynamic', factor: 0.5 } }, /factor: .*got 0\.5/],
  ['llama-tiny-sharded', { rope_scaling: { rope_type: 'dynamic' } }, /factor is missing/],
  ['gemma2-tiny', { use_bidirectional_attention: true }, /use_bidirectional_attention true is not covered/],
  ['gemma3-tiny', { sliding_window_pattern: 0 }, /sliding_window_pattern: .*got 0/],
  [
    'gemma3-tiny',
    { rope_scaling: null, rope_parameters: { full_attention: {} } },
    /rope_parameters: sliding_attention is missing/,
  ],
  [
    'gemma3-tiny',
    { rope_scaling: null, rope_parameters: { full_attention: {}, sliding_attention: {}, other: {} } },
    /not covered: other/,
  ],
  ['opt-made', { do_layer_norm_before: false }, /do_layer_norm_before false is not covered/],
  ['opt-made', { word_embed_proj_dim: 12 }, /word_embed_proj_dim 12 is not covered; covered: 24/],
  ['opt-made', { _remove_final_layer_norm: true }, /_remove_final_layer_norm true is not covered/],
  ['mpnet-made', { relative_attention_num_buckets: 16 }, /relative_attention_num_buckets 16 is not covered/],
  ['modernbert-made', { layer_types: ['full_attention'] }, /layer_types: .*got an array of 1/],
  ['modernbert-made', { local_attention: 0 }, /local_attention: .*got 0/],
  ['smollm3-made', { no_rope_layers: [1, 2, 1] }, /no_rope_layers: .*got an array of 3/],
  ['smollm3-made', { use_sliding_window: true }, /use_sliding_window true is not covered/],
  ['bart-tiny', { normalize_before: true }, /normalize_before true is not covered/],
  ['bart-tiny', { normalize_embedding: false }, /normalize_embedding false is not covered/],
  ['llama-tiny-sharded', { rope_scaling: { rope_type: 'linear', factor: 2, beta: 3 } }, /not covered: beta = 3/],
  [
    'llama-tiny-sharded',
    { rope_parameters: { rope_type: 'default', rope_theta: 1e4 }, rope_scaling: { rope_type: 'linear', factor: 2 } },
    /expected either rope_scaling or rope_parameters, got both; leave rope_scaling out/,
  ],
  ['llama-tiny-sharded', { sliding_window: 4 }, /sliding_window 4 is not covered/],
  ['bert-tiny', { position_embedding_type: 'relative_key' }, /position_embedding_type "relative_key" is not covered/],
  ['marian-tiny', { normalize_before: true }, /normalize_before true is not covered/],
  ['phi-made', { qk_layernorm: true }, /qk_layernorm true is not covered/],
]))
  test(`${type} with ${JSON.stringify(change)} is refused`, async () => {
    const given = JSON.parse(readFileSync(`${folder}/${type}/config.json`, 'utf8'))
    await assert.rejects(familyOf(new Config({ ...given, ...change })), message)
  })

for (const [title, files, message] of /** @type {[string, object, RegExp][]} */ ([
  ['nothing', {}, /neither model\.safetensors nor model\.safetensors\.index\.json is there/],
  [
    'a pickle under another name',
    { 'config.json': gpt2['config.json'], 'model.pt': new Uint8Array(9) },
    /there is model\.pt, but no model\.safetensors: a state_dict of torch\.save is read if its name is pytorch_model\.bin/,
  ],
  [
    'zeros in the place of a pickle',
    { 'config.json': gpt2['config.json'], 'pytorch_model.bin': new Uint8Array(9) },
    /pytorch_model\.bin: it is no file of torch\.save/,
  ],
  [
    'an index of a shard of torch.save that is missing',
    {
      'config.json': gpt2['config.json'],
      'pytorch_model.bin.index.json': textBytes('{"weight_map":{"x":"pytorch_model-00001-of-00001.bin"}}'),
    },
    /pytorch_model\.bin\.index\.json: the shard "pytorch_model-00001-of-00001\.bin" is missing/,
  ],
  [
    'an index of torch.save that names other files',
    {
      'config.json': gpt2['config.json'],
      'pytorch_model.bin.index.json': textBytes('{"weight_map":{"x":"../x.bin"}}'),
    },
    /"\.\.\/x\.bin" is no name of a bin file in this folder/,
  ],
  ['a GGUF file only', { 'tiny.gguf': new Uint8Array(9) }, /tiny\.gguf: it begins with .*, a GGUF file with "GGUF"/],
  ['no config', { 'model.safetensors': gpt2['model.safetensors'] }, /config\.json is missing/],
  ['a config that is no JSON', { ...gpt2, 'config.json': textBytes('{') }, /config\.json is no JSON/],
  ['a config that is a list', { ...gpt2, 'config.json': textBytes('[]') }, /config\.json: .*got an array of 0/],
  ['a config of 10^5 brackets', { ...gpt2, 'config.json': textBytes('['.repeat(1e5)) }, /config\.json/],
  [
    'a content of another kind',
    { ...gpt2, 'config.json': 'text' },
    /config\.json: expected bytes, a Blob or.*got "text"/,
  ],
  [
    'a shard that is missing',
    {
      'config.json': bytesOf('llama-tiny-sharded/config.json'),
      'model.safetensors.index.json': bytesOf('llama-tiny-sharded/model.safetensors.index.json'),
      'model-00001-of-00002.safetensors': bytesOf('llama-tiny-sharded/model-00001-of-00002.safetensors'),
    },
    /the shard "model-00002-of-00002\.safetensors" is missing/,
  ],
  [
    'a shard elsewhere',
    {
      ...gpt2,
      'model.safetensors': undefined,
      'x.safetensors': gpt2['model.safetensors'],
      'y.safetensors': gpt2['model.safetensors'],
      'model.safetensors.index.json': textBytes('{"weight_map":{"a":"../x.safetensors"}}'),
    },
    /expected bytes, a Blob.*got undefined|"\.\.\/x\.safetensors" is no name/,
  ],
  [
    'an index without a map',
    { 'config.json': gpt2['config.json'], 'model.safetensors.index.json': textBytes('{}') },
    /weight_map: expected an object of file names, got undefined/,
  ],
  ['a truncated file', { ...gpt2, 'model.safetensors': gpt2['model.safetensors'].slice(0, -10) }, /it is cut off/],
  [
    'a tokenizer of another kind',
    { ...gpt2, 'tokenizer.json': textBytes('{"model":{"type":"Fancy"}}') },
    /tokenizer\.json: model\.type: "Fancy" is not covered/,
  ],
  ['a tokenizer that is a number', { ...gpt2, 'tokenizer.json': textBytes('3') }, /tokenizer\.json: .*got 3/],
]))
  test(`a folder with ${title} is refused, and leaves no memory in use`, async () => {
    await assert.rejects(loadModel(qkv, /** @type {any} */ (files), { tokenizer: Tokenizer }), message)
    assert.equal(qkv.memory.resident, resident)
  })

/** Returns the files of the sharded golden Llama, with its index changed. @param {(map: Record<string, string>) => void} change */
function sharded(change) {
  const name = 'llama-tiny-sharded'
  const index = JSON.parse(readFileSync(`${folder}/${name}/model.safetensors.index.json`, 'utf8'))
  change(index.weight_map)
  return {
    'config.json': bytesOf(`${name}/config.json`),
    'model.safetensors.index.json': textBytes(JSON.stringify(index)),
    'model-00001-of-00002.safetensors': bytesOf(`${name}/model-00001-of-00002.safetensors`),
    'model-00002-of-00002.safetensors': bytesOf(`${name}/model-00002-of-00002.safetensors`),
  }
}

test('an index that names another shard for a tensor, or a tensor that no shard has, is refused', async () => {
  const wrong = sharded(map => {
    map['model.norm.weight'] =
      map['model.norm.weight'] === 'model-00001-of-00002.safetensors'
        ? 'model-00002-of-00002.safetensors'
        : 'model-00001-of-00002.safetensors'
  })
  const message = /tensor "model\.norm\.weight" should be in model-0000.-of-00002\.safetensors, but it is in model-0000/
  await assert.rejects(loadModel(qkv, wrong, { tokenizer: false }), message)
  const more = sharded(map => {
    map.more = 'model-00001-of-00002.safetensors'
  })
  await assert.rejects(loadModel(qkv, more, { tokenizer: false }), /tensor "more" should be in .* none of the shards/)
  assert.equal(qkv.memory.resident, resident)
})

test('an error of the engine within a tokenizer is not repeated: the message has the way out', async () => {
  class Strange {
    encode() {
      return undefined
    }
    decode() {
      const [first] = /** @type {any} */ (undefined)
      return first
    }
  }
  const model = await loadModel(qkv, gpt2, { tokenizer: /** @type {any} */ (new Strange()) })
  assert.throws(
    () => model.tokenize('a'),
    /^TypeError: tokenize: expected \{ ids, tokens \} with two arrays from the tokenizer, got undefined/,
  )
  assert.throws(() => model.decode([1]), /^Error: the tokenizer that was given fails$/)
  model.dispose()
})

test('300 mutations of tokenizer.json: an error for people, or ids of the model', async () => {
  const given = JSON.parse(readFileSync(`${folder}/gpt2-tiny/tokenizer.json`, 'utf8'))
  const strange = [null, -1, 0, 1e300, '', 'x', true, [], {}, [1], [[]], { type: 'Fancy' }, '('.repeat(9), '(a+)+$']
  /** @param {any} object @param {number} [depth] @returns {[any, string][]} */
  const placesIn = (object, depth = 4) =>
    Object(object) === object && depth
      ? Object.keys(object)
          .slice(0, 12)
          .flatMap(key => [[object, key], ...placesIn(object[key], depth - 1)])
      : []
  const random = numbersFrom(777)
  const counts = { refused: 0, read: 0 }
  for (let n = 0; n < 300; n++) {
    const changed = structuredClone(given)
    const places = placesIn(changed)
    const [object, key] = places[random(places.length)]
    if (random(6)) object[key] = structuredClone(strange[random(strange.length)])
    else delete object[key]
    const files = { ...gpt2, 'tokenizer.json': textBytes(JSON.stringify(changed)) }
    try {
      const model = await loadModel(qkv, files, { tokenizer: Tokenizer })
      try {
        const { ids } = model.tokenize('The cat sat, 12 times. 五')
        assert.ok(ids.every(id => Number.isInteger(id) && id >= 0 && id < config.vocab_size))
        model.decode(ids)
        counts.read++
      } finally {
        model.dispose()
      }
    } catch (error) {
      assert.match(/** @type {Error} */ (error).message, /tokenizer\.json|the tokenizer gives/)
      assert.doesNotMatch(/** @type {Error} */ (error).message, ENGINE)
      counts.refused++
    }
  }
  assert.equal(qkv.memory.resident, resident)
  assert.ok(counts.refused > 20 && counts.read > 20, JSON.stringify(counts))
})

test('dtypes that are not covered are listed', async () => {
  const header = `{"wte.weight":${entry('I32', '[384,48]', '[0,73728]')}}`
  const files = { ...gpt2, 'model.safetensors': file(header, 73728) }
  await assert.rejects(
    loadModel(qkv, files, { tokenizer: false }),
    /wte\.weight: expected one of F32, F16, BF16, F64, got I32/,
  )
})

test('an aborted load leaves nothing behind, whenever it is aborted', async () => {
  for (const after of [0, 1, 7, 30]) {
    const controller = new AbortController()
    let seen = 0
    const onProgress = () => {
      if (++seen > after) controller.abort()
    }
    if (after === 0) controller.abort()
    await assert.rejects(loadModel(qkv, gpt2, { tokenizer: false, signal: controller.signal, onProgress }), {
      name: 'AbortError',
    })
    assert.equal(qkv.memory.resident, resident)
  }
  const model = await loadModel(qkv, gpt2, { tokenizer: false })
  assert.deepEqual(logitsOf(model), expected)
  model.dispose()
  assert.equal(qkv.memory.resident, resident)
})
