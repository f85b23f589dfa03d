// Keys of published configs that do not change the network are accepted; those that could are refused.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Config } from '../../src/models/config/config.js'
import { familyOf } from '../../src/models/families/index.js'

/** @param {string} folder of a golden checkpoint @param {Record<string, unknown>} change */
const familyWith = (folder, change) => {
  const path = new URL(`../goldens/models/${folder}/config.json`, import.meta.url)
  const config = { ...JSON.parse(readFileSync(path, 'utf8')), ...change }
  return familyOf(new Config(JSON.parse(JSON.stringify(config)))) // undefined removes a key
}

const published = new URL('../goldens/published/', import.meta.url)
for (const name of readdirSync(published))
  test(`the published config of ${name.replace('--', '/').replace('.json', '')} is covered`, async () => {
    const { type } = await familyOf(new Config(JSON.parse(readFileSync(new URL(name, published), 'utf8'))))
    assert.ok(type)
  })

/**
 * Configs with the keys and values of published models, but small sizes. They were written from memory, because the hub could not be reached.
 * @type {Record<string, Record<string, unknown>>}
 */
const remembered = JSON.parse(readFileSync(new URL('../goldens/published-keys.json', import.meta.url), 'utf8'))
test(`the keys of ${Object.keys(remembered).length} published models of 33 families pass`, async () => {
  const types = new Set()
  for (const [name, config] of Object.entries(remembered)) {
    const { type } = await familyOf(new Config(config)).catch(error => assert.fail(`${name}: ${error.message}`))
    types.add(type)
  }
  assert.equal(types.size, 33)
})

test('keys of StarCoder 2 and Falcon that their classes ignore have to agree with those that are read', async () => {
  const [starcoder, falcon] = ['bigcode/starcoder2-3b', 'tiiuae/falcon-11B'].map(name => remembered[name])
  await assert.rejects(
    familyOf(new Config({ ...starcoder, layer_norm_epsilon: 1e-6 })),
    /layer_norm_epsilon 0\.000001 is not covered; covered: 0\.00001/,
  )
  await assert.rejects(familyOf(new Config({ ...falcon, ff_factor: 2 })), /ff_factor 2 is not covered; covered: 4/)
})

test('a first token that is forced by the older name alone is refused', async () => {
  const config = JSON.parse(readFileSync(new URL('facebook--bart-large-cnn.json', published), 'utf8'))
  config.forced_bos_token_id = undefined
  await assert.rejects(familyOf(new Config(config)), /not covered: force_bos_token_to_be_generated = true/)
})

test('keys that trained, wrapped or annotated a model pass: of SmolLM2, of unsloth, of remote code', async () => {
  const plain = await familyWith('llama-tiny-sharded', {})
  const { decoder } = await familyWith('llama-tiny-sharded', {
    is_llama_config: true,
    rope_interleaved: false,
    neftune_noise_alpha: 5,
    unsloth_fixed: true,
    unsloth_version: '2025.1.1',
    auto_map: { AutoModelForCausalLM: 'modeling.Model' },
    attn_implementation: 'eager',
    _attn_implementation_autoset: true,
  })
  assert.deepEqual(decoder?.rope, plain.decoder?.rope)
  await assert.rejects(
    familyWith('llama-tiny-sharded', { rope_interleaved: true }),
    /not covered: rope_interleaved = true/,
  )
})

test('the rotated share of a head may have its old and its new name, if both are equal', async () => {
  const { decoder } = await familyWith('gpt_neox-made', {})
  assert.ok(decoder?.rope)
  const { heads } = decoder
  const share = decoder.rope.dim / heads.headDim
  const both = await familyWith('gpt_neox-made', { rotary_pct: share, partial_rotary_factor: share })
  assert.deepEqual(both.decoder?.rope, decoder.rope)
  await assert.rejects(
    familyWith('gpt_neox-made', { rotary_pct: share, partial_rotary_factor: 1 }),
    /expected one rotated share of each head/,
  )
})

test('the layers of GPT-Neo are local or global by attention_types, which must fit', async () => {
  const { decoder } = await familyWith('gpt-neo-tiny', {
    attention_types: [
      [['local'], 1],
      [['global', 'local', 'global'], 1],
    ],
  })
  const windows = decoder?.layers.map(([{ attention }]) => attention?.window)
  assert.deepEqual(windows, [4, undefined, 4, undefined])
  for (const attention_types of [[[['global'], 3]], [[['global', 'sideways'], 2]], 'global', [[['global'], 1e9]]])
    await assert.rejects(familyWith('gpt-neo-tiny', { attention_types }), /attention_types: expected .* for 4 layers/)
})

test('a quantised checkpoint is refused with the reason', async () => {
  await assert.rejects(
    familyWith('gpt2-tiny', { quantization_config: { bits: 4 } }),
    /quantization_config: weights that were quantized \(an object with bits\) are not covered: open the model with/,
  )
})

test('the configs of ModernBERT-base and SmolLM3 pass with the keys that they are published with', async () => {
  const { encoder } = await familyWith('modernbert-made', {
    architectures: ['ModernBertForMaskedLM'],
    classifier_pooling: 'mean',
    classifier_dropout: 0,
    cls_token_id: 3,
    embedding_dropout: 0,
    mlp_dropout: 0,
    gradient_checkpointing: false,
    initializer_cutoff_factor: 2,
    deterministic_flash_attn: false,
    reference_compile: true,
    repad_logits_with_grad: false,
    sep_token_id: 4,
    local_rope_theta: null,
  })
  const [full, near] = encoder?.layers.map(([{ attention }]) => attention?.rope || encoder.rope) ?? []
  assert.deepEqual(near?.frequencies, full?.frequencies) // local_rope_theta null: the theta of the other layers
  const { decoder } = await familyWith('smollm3-made', {
    layer_types: ['full_attention', 'full_attention', 'full_attention'],
    max_window_layers: 28,
    sliding_window: null,
    pretraining_tp: 2,
    no_rope_layers: null,
  })
  assert.deepEqual(
    decoder?.layers.map(([{ attention }]) => attention?.rope),
    [undefined, false, undefined],
  )
})

test('newer configs hold the rotations of both kinds of layers in rope_parameters', async () => {
  const older = await familyWith('gemma3-tiny', {})
  const newer = await familyWith('gemma3-tiny', {
    rope_theta: undefined,
    rope_scaling: undefined,
    rope_local_base_freq: undefined,
    rope_parameters: {
      full_attention: { rope_type: 'linear', factor: 8, rope_theta: 1e6 },
      sliding_attention: { rope_type: 'default', rope_theta: 1e4 },
    },
  })
  assert.deepEqual(newer.decoder, older.decoder)
})

test('a key that transformers silently ignores or overrides is refused by name if the result would differ', async () => {
  /** @type {[string, Record<string, unknown>, RegExp][]} */
  const refused = [
    ['mpt-made', { expansion_ratio: 2 }, /expansion_ratio 2 is not covered; covered: 4/], // MPT's modules always use 4
    ['falcon-made', { n_layer: 2 }, /not covered: n_layer = 2/], // this class has no key of this name
    ['falcon-made', { n_head: 4 }, /not covered: n_head = 4/],
    ['falcon-made', { partial_rotary_factor: 0.5 }, /partial_rotary_factor 0.5 is not covered; covered: 1/],
    ['llama3-made', { partial_rotary_factor: 0.5 }, /partial_rotary_factor 0.5 is not covered; covered: 1/],
    ['llama3-made', { rotary_emb_base: 500 }, /not covered: rotary_emb_base = 500/],
    ['cohere2-made', { rotary_pct: 0.5 }, /rotary_pct 0.5 is not covered; covered: 1/],
    ['gpt_neox-made', { rope_theta: 20 }, /rope_theta 20 is not covered; covered: 500/],
    [
      'gpt_neox-made',
      { rotary_pct: undefined, partial_rotary_factor: 0.5 },
      /partial_rotary_factor 0.5 is not covered/,
    ],
    ['stablelm-made', { head_dim: 16 }, /head_dim 16 is not covered/], // transformers would rotate 16 numbers of heads of another size
    ['new-made', { rope_scaling: { type: 'ntk', factor: 0.5 } }, /factor/],
    [
      'bert-jina-made',
      { architectures: ['JinaBertForSequenceClassification'] },
      /a reranker of Jina\) are not covered/,
    ],
  ]
  for (const [folder, change, message] of refused) await assert.rejects(familyWith(folder, change), message, folder)
  const plain = await familyWith('llama3-made', {})
  assert.deepEqual((await familyWith('llama3-made', { partial_rotary_factor: 1 })).decoder?.rope, plain.decoder?.rope)
})

test("a config of Nomic's BERT has the keys of its own code, those of transformers' class, or both, as nomic-embed-text-v1.5 has", async () => {
  const both = { model_type: 'nomic_bert', vocab_size: 40, type_vocab_size: 2 }
  const older = {
    ...both,
    n_embd: 24,
    n_layer: 2,
    n_head: 4,
    n_inner: 36,
    n_positions: 64,
    activation_function: 'swiglu',
    layer_norm_epsilon: 1e-12,
    qkv_proj_bias: false,
    mlp_fc1_bias: false,
    mlp_fc2_bias: false,
    rotary_emb_fraction: 1,
    rotary_emb_base: 1000,
    rotary_scaling_factor: null,
    max_trained_positions: 2048,
  }
  const newer = {
    ...both,
    hidden_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    intermediate_size: 36,
    max_position_embeddings: 64,
    hidden_act: 'silu',
    layer_norm_eps: 1e-12,
    head_dim: 6,
    rope_parameters: { rope_theta: 1000, rope_type: 'default' },
  }
  const described = async (/** @type {object} */ config) => JSON.stringify(await familyOf(new Config(config)))
  const plain = await described(older)
  assert.equal(await described(newer), plain)
  assert.equal(await described({ ...older, ...newer, max_position_embeddings: 32 }), plain)
  const { hidden_act, layer_norm_eps, rope_parameters, head_dim, ...rest } = newer
  assert.equal(await described(rest), plain) // the values left out are the defaults
  await assert.rejects(
    described({ ...older, intermediate_size: 7 }),
    /intermediate_size 7 and n_inner 36 mean the same/,
  )
  await assert.rejects(described({ ...older, hidden_act: 'gelu' }), /hidden_act "gelu" is not covered; covered: silu/)
  await assert.rejects(described({ ...older, rope_parameters: { rope_theta: 500 } }), /rope_theta 500 is not covered/)
})

test('the keys of published configs of newer families pass', async () => {
  /** Golden folders, each with keys of a published config of its family. @type {[string, Record<string, unknown>][]} */
  const published = [
    ['gemma-made', { hidden_activation: 'gelu_pytorch_tanh', rope_scaling: null, attention_dropout: 0 }],
    [
      'phi3-made', // with the keys of Phi-4-mini-instruct
      {
        auto_map: {},
        attention_bias: false,
        full_attn_mod: 1,
        interpolate_factor: 1,
        lm_head_bias: false,
        mlp_bias: false,
      },
    ],
    ['phi3-longrope-made', { embd_pdrop: 0, resid_pdrop: 0, auto_map: {} }],
    ['granite-made', { attention_dropout: 0.1, rope_scaling: null }],
    ['cohere-made', { model_max_length: 131072, pretraining_tp: 1 }],
    [
      'cohere2-made', // with the keys of c4ai-command-r7b-12-2024
      {
        cache_implementation: 'hybrid',
        head_dim: 6,
        layer_switch: 4,
        order_of_interleaved_layers: 'local_attn_first',
        use_embedding_sharing: true,
        use_gated_activation: true,
        use_parallel_embedding: true,
      },
    ],
    ['starcoder2-made', { activation_function: 'gelu', attention_softmax_in_fp32: true, resid_pdrop: 0.1 }],
    ['deberta-v3-made', { legacy: true, pooler_dropout: 0, pooler_hidden_size: 24, z_steps: 0, padding_idx: 0 }],
    ['gptj-made', { gradient_checkpointing: false, summary_type: 'cls_index', task_specific_params: {} }],
    [
      'bloom-made', // bloom-560m
      {
        attention_softmax_in_fp32: true,
        bias_dropout_fusion: true,
        hidden_dropout: 0,
        masked_softmax_fusion: true,
        n_inner: null,
        offset_alibi: 100,
        pretraining_tp: 1,
        seq_length: 2048,
        skip_bias_add: true,
        skip_bias_add_qkv: false,
        slow_but_exact: false,
        unk_token_id: 0,
      },
    ],
    [
      'mpt-made', // mpt-7b
      {
        auto_map: {},
        emb_pdrop: 0,
        embedding_fraction: 1,
        init_config: { emb_init_std: null, fan_mode: 'fan_in', init_std: 0.02, name: 'kaiming_normal_', verbose: 0 },
        resid_pdrop: 0,
        tokenizer_name: 'EleutherAI/gpt-neox-20b',
        use_cache: false,
        verbose: 0,
      },
    ],
    [
      'codegen-made',
      {
        n_ctx: 64,
        summary_first_dropout: 0.1,
        summary_type: 'cls_index',
        summary_use_proj: true,
        tokenizer_class: 'GPT2Tokenizer',
      },
    ],
    [
      'mbart-made', // with the keys of mbart-large-cc25
      {
        _num_labels: 3,
        add_bias_logits: false,
        forced_eos_token_id: 2,
        init_std: 0.02,
        num_hidden_layers: 2,
        output_past: true,
        static_position_embeddings: false,
        task_specific_params: { translation_en_to_ro: { decoder_start_token_id: 250020 } },
      },
    ],
    [
      'gpt_bigcode-made',
      { inference_runner: 0, max_batch_size: null, pad_key_length: true, validate_runner_input: true },
    ],
    ['nomic_bert-made', { use_xentropy: true, dense_seq_output: true, summary_use_proj: true, attn_pdrop: 0 }],
    ['m2m_100-made', { num_hidden_layers: 2, tokenizer_class: 'NllbTokenizer', max_length: 200 }],
    [
      'pegasus-made', // with the keys of pegasus-large
      {
        add_final_layer_norm: true,
        extra_pos_embeddings: 1,
        force_bos_token_to_be_generated: false,
        forced_eos_token_id: 1,
        gradient_checkpointing: false,
        length_penalty: 0.8,
        normalize_embedding: false,
        num_beams: 8,
        num_hidden_layers: 2,
      },
    ],
    ['exaone4-made', { cache_implementation: 'hybrid', attention_dropout: 0 }],
    [
      // with the keys of EXAONE-3.0-7.8B-Instruct
      'exaone-made',
      {
        architectures: ['ExaoneForCausalLM'],
        auto_map: { AutoConfig: 'configuration_exaone.ExaoneConfig' },
        bos_token_id: 1,
        eos_token_id: 361,
        initializer_range: 0.02,
        torch_dtype: 'bfloat16',
        transformers_version: '4.45.2',
        use_cache: true,
      },
    ],
    [
      // with the keys of longformer-base-4096
      'longformer-made',
      {
        attention_probs_dropout_prob: 0.1,
        bos_token_id: 0,
        eos_token_id: 2,
        hidden_dropout_prob: 0.1,
        initializer_range: 0.02,
      },
    ],
  ]
  for (const [folder, change] of published) {
    const [plain, other] = [await familyWith(folder, {}), await familyWith(folder, change)]
    assert.equal(JSON.stringify(other), JSON.stringify(plain), folder)
  }
})
