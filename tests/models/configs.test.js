// Configs of every family, varied by the keys of its config class. A missing key has the default of the class, a key without effect is
// accepted, and a changed value changes the description of the network or is refused by name. CONFIG_SEEDS=1000 runs more.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Config } from '../../src/models/config/config.js'
import { FAMILIES, familyOf } from '../../src/models/families/index.js'
import { folders, goldens } from './checkpoints.js'
import { CLASSES } from './config-classes.js'

const SEEDS = Number(process.env.CONFIG_SEEDS ?? 20)

/** For each model_type, the config of a golden checkpoint that is not a classifier. @type {Map<string, Record<string, unknown>>} */
const CONFIGS = new Map()
for (const name of folders) {
  const config = JSON.parse(readFileSync(`${goldens}/${name}/config.json`, 'utf8'))
  if ('encoder_layers' in config) delete config.num_hidden_layers // another name of encoder_layers
  if (!/Classification/.test(String(config.architectures))) CONFIGS.set(config.model_type, config)
}

/** Matches keys that do not change the numbers of a run. */
const WITHOUT_EFFECT =
  /drop|^(initializer_|init_std|summary_|sparse_pred)|^(use_cache|reorder_and_upcast_attn|sinusoidal_pos_embds|deterministic_flash_attn|is_encoder_decoder|pretraining_tp|classifier_pooling|slow_but_exact|learned_pos_emb|verbose|embedding_fraction|(scale_)?attention_softmax_in_fp32|fused_\w+|use_flash_attn|use_xentropy|dense_seq_output|pad_vocab_size_multiple|unpad_inputs|use_memory_efficient_attention|logn_attention_clip1|n_ctx|init_device|pooler_hidden_act|onnx_export)$|token_id$/
/** True if a key of a class has no effect, for example because no module reads it. */
const isIdle = (/** @type {string} */ type, /** @type {string} */ key) =>
  WITHOUT_EFFECT.test(key) ||
  (key === 'is_decoder' && /gpt_neox|t5|marian|bart|pegasus|m2m/.test(type)) ||
  (key === 'logit_scale' && type === 'mpt') ||
  (key === 'tie_word_embeddings' && type === 'mt5') ||
  (/num_ln_in_parallel_attn|multi_query/.test(key) && type === 'falcon') ||
  (key === 'type_vocab_size' && type === 'distilbert')

/** Describes the network of a config as JSON. A function `row`, which orders rows, becomes its values at 0, 1, 2 and 7; any other function becomes its name. @param {Record<string, unknown>} config */
const described = async config =>
  JSON.stringify(await familyOf(new Config(config)), (key, value) =>
    typeof value === 'function'
      ? key === 'row'
        ? [0, 1, 2, 7].map(n => value(n))
        : value.name
      : ArrayBuffer.isView(value)
        ? [.../** @type {Float64Array} */ (value)]
        : value,
  )

/** Keys of published configs that are only notes, with values. @type {Record<string, unknown>} */
const NOTES = {
  sentence_transformers: { activation_fn: 'torch.nn.modules.linear.Identity', version: '4.1.0' },
  sbert_ce_default_activation_function: 'torch.nn.modules.linear.Identity',
  language: 'english',
  name: 'Bert',
  adapters: { adapters: {}, config_map: {}, fusion_config_map: {} },
  threshold: 0.3,
  custom_pipelines: { 'text-classification': { impl: 'a.B' } },
  matryoshka_dimensions: [64, 32],
  base_model_name: 'bert-base',
  license: 'mit',
  'transformers.js_config': { dtype: 'q4', use_external_data_format: true },
  id2label: { 0: 'a', 1: 'b' },
  label2id: { a: 0, b: 1 },
  problem_type: 'multi_label_classification',
  sliding_window_size: 4096,
  num_beams: 4,
  top_k: 20,
  do_sample: true,
  model_max_length: 512,
  attention_dropout: Number.NaN,
  mask_token: '[MASK]',
  xla_device: true,
  training_args: { lr: 1e-4 },
  dataset_size: 1000,
  _attn_implementation: 'sdpa',
  tokenizer_class: 'BertTokenizer',
  quality: 'high',
}

/** @param {number} seed @returns {(below: number) => number} */
const random = seed => below => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}
/** Returns a different value of the same kind. @param {unknown} value @param {(below: number) => number} next */
function other(value, next) {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return Number.isInteger(value) ? value + 2 * (1 + next(3)) : value * (2 + next(3))
  if (typeof value === 'string') return ['relu', 'tanh', 'gelu', 'mean'].filter(one => one !== value)[next(3)] // not gelu_new, which is the same as gelu_pytorch_tanh
  return [4, 2, true, 'x'][next(4)]
}

test('every family has the table of its config class, and every class a golden config', () => {
  assert.deepEqual(Object.keys(CLASSES).sort(), Object.keys(FAMILIES).sort())
  assert.deepEqual([...CONFIGS.keys()].sort(), Object.keys(CLASSES).sort())
})

for (const [type, config] of CONFIGS)
  test(`${type}: keys that are absent have the defaults of the class`, async () => {
    const plain = await described(config)
    for (const [key, usual] of Object.entries(CLASSES[type])) {
      if (usual === null) continue // the meaning of None depends on the family
      const without = { ...config, [key]: undefined }
      delete without[key]
      const isSame = !(key in config) || config[key] === usual
      const absent = await described(without).catch(error => String(error))
      const given = await described({ ...config, [key]: usual }).catch(error => String(error))
      assert.equal(absent.replace(/got \d+/, ''), given.replace(/got \d+/, ''), key)
      if (isSame) assert.equal(given, plain, key)
    }
  })

test('notes and settings of training pass, whatever they hold; a key with a word of networks is refused by name', async () => {
  const next = random(7)
  for (let n = 0; n < SEEDS; n++)
    for (const [type, config] of CONFIGS) {
      const notes = Object.entries(NOTES).filter(([key]) => next(2) && !(key in CLASSES[type]))
      assert.equal(await described({ ...Object.fromEntries(notes), ...config }), await described(config), type)
      const word = ['attention', 'rope', 'norm', 'experts', 'mlp', 'window', 'scale', 'heads'][next(8)]
      const key = [`use_${word}`, `${word}_variant`, `my_${word}_kind`][next(3)]
      await assert.rejects(
        described({ ...config, [key]: 1 + next(9) }),
        new RegExp(`config\\.json: not covered: ${key} = `),
        `${type} ${key}`,
      )
      assert.equal(await described({ ...config, [key]: [null, false][next(2)] }), await described(config))
    }
})

test('a changed value of a key of the class changes the description, or the key is refused by name', async () => {
  const next = random(21)
  const counts = { changed: 0, refused: 0, idle: 0 }
  for (let n = 0; n < SEEDS; n++)
    for (const [type, config] of CONFIGS) {
      const plain = await described(config)
      for (const [key, usual] of Object.entries(CLASSES[type])) {
        if (/^(rope_parameters|rope_scaling|layer_types|no_rope_layers|attention_types|attn_config)$/.test(key))
          continue // lists and objects have separate tests
        const before = key in config ? config[key] : usual
        const value = other(before, next)
        const changed = await described({ ...config, [key]: value }).catch(error => error)
        const note = `${type}: ${key} ${before} -> ${value}`
        if (isIdle(type, key)) {
          if (!(changed instanceof Error)) assert.ok(changed === plain || /token_id/.test(key), note)
          counts.idle++
        } else if (changed instanceof Error) {
          assert.match(changed.message, /^config\.json: /, note)
          counts.refused++
        } else {
          const { decoder, encoder } = JSON.parse(plain)
          const windows = (decoder ?? encoder).layers.flatMap(
            (/** @type {any} */ [part]) => part.attention.window ?? [],
          )
          const isOff =
            (/window/.test(key) && !windows.length) ||
            (key === 'no_rope_layer_interval' && config.no_rope_layers) ||
            (key === 'original_max_position_embeddings' && !config.rope_scaling)
          if (!isOff) assert.notEqual(changed, plain, note)
          counts.changed++
        }
      }
    }
  assert.ok(Math.min(...Object.values(counts)) > 50 * SEEDS, JSON.stringify(counts))
})

test('mT5 is never scaled before its head, and null in tie_word_embeddings of T5 is not False', async () => {
  const [t5, mt5] = ['t5', 'mt5'].map(type => /** @type {Record<string, unknown>} */ (CONFIGS.get(type)))
  for (const tie_word_embeddings of [true, false, null])
    assert.equal(await described({ ...mt5, tie_word_embeddings }), await described(mt5))
  const tied = await described({ ...t5, tie_word_embeddings: true })
  assert.equal(await described({ ...t5, tie_word_embeddings: null }), tied)
  assert.notEqual(await described({ ...t5, tie_word_embeddings: false }), tied)
})

test('num_hidden_layers is the other name of encoder_layers, where both are given they have to be the same', async () => {
  for (const type of ['bart', 'marian', 'mbart', 'pegasus', 'm2m_100']) {
    const config = /** @type {Record<string, unknown>} */ (CONFIGS.get(type))
    const { encoder_layers, ...rest } = config
    assert.equal(await described({ ...rest, num_hidden_layers: encoder_layers }), await described(config), type)
    await assert.rejects(described({ ...config, num_hidden_layers: 7 }), /num_hidden_layers 7 and encoder_layers/)
  }
})

test("a size under a class's other name is accepted; two that differ are refused", async () => {
  const gpt2 = /** @type {Record<string, unknown>} */ (CONFIGS.get('gpt2'))
  const { n_embd, n_layer, ...rest } = gpt2
  assert.equal(await described({ ...rest, hidden_size: n_embd, num_hidden_layers: n_layer }), await described(gpt2))
  await assert.rejects(described({ ...gpt2, hidden_size: 7 }), /hidden_size 7 and n_embd 48 mean the same/)
})

test('a cap of 0, by which transformers divides, is refused', async () => {
  const config = JSON.parse(readFileSync(new URL('../goldens/models/gemma2-tiny/config.json', import.meta.url), 'utf8'))
  for (const key of ['attn_logit_softcapping', 'final_logit_softcapping']) {
    await described({ ...config, [key]: null })
    await assert.rejects(
      described({ ...config, [key]: 0 }),
      new RegExp(`${key}: expected null or a number above 0, got 0`),
    )
  }
})
