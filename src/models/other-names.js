// Translates names of TransformerLens and transformers for error messages: places, options and results.

import { describe } from '../base/errors.js'

/** Hook places by the part of a TransformerLens name after the layer index. @type {Record<string, string>} */
const LENS = {
  hook_resid_pre: 'input',
  hook_in: 'input',
  hook_resid_mid: 'middle',
  hook_resid_post: 'output',
  hook_out: 'output',
  hook_normalized_resid_post: 'output',
  hook_attn_in: 'attention.input',
  'ln1.hook_normalized': 'attention.input',
  'attn.hook_q': 'attention.qBare',
  'attn.hook_k': 'attention.kBare',
  'attn.hook_v': 'attention.v',
  'attn.hook_rot_q': 'attention.q',
  'attn.hook_rot_k': 'attention.k',
  'attn.hook_attn_scores': 'attention.scores',
  'attn.hook_pattern': 'attention.weights',
  'attn.hook_z': 'heads',
  'attn.hook_result': 'heads',
  hook_attn_out: 'attention.output',
  'mlp.hook_post': 'mlp.hidden',
  hook_mlp_out: 'mlp.output',
}

/** Hook places of other libraries' names outside of layers. @type {[RegExp, string][]} */
const WHOLE = [
  [/^(hook_(pos_)?embed|(pos_)?embed|embed\.hook_out)$/, 'embedding'],
  [/^((\w+\.)*(wte|wpe|embed_tokens|embed_positions|embed_in)|(\w+\.)+embeddings)$/, 'embedding'],
  [/^(ln_final\.hook_normalized|(\w+\.)*(ln_f|final_layer_?norm)|model\.(\w+\.)*norm)$/, 'norm'],
  [/^(unembed|unembed\.hook_out|(\w+\.)*(lm_head|embed_out))$/, 'logits'],
]

/** Matches short names in TransformerLens's cache, such as `pattern` in `cache['pattern', 3]`. */
const SHORT =
  /^(?:(q|k|v|z|rot_q|rot_k|attn_scores|pattern|result)|(post)|(resid_pre|resid_mid|resid_post|attn_out|mlp_out))$/

/** Hook places of transformers modules. A pattern matches the part of a module's name after the layer index. @type {[RegExp, string][]} */
const MODULES = [
  [
    /^(self_attn|attn|attention\.self|self_attention|attention|SelfAttention)\.(q_proj|query|q|q_lin|Wq)$/,
    'attention.qBare', // the output of these modules has no rotary positions yet
  ],
  [/^(self_attn|attn|attention\.self|attention|SelfAttention)\.(k_proj|key|k|k_lin)$/, 'attention.kBare'],
  [/^(self_attn|attn|attention\.self|attention|SelfAttention)\.(v_proj|value|v|v_lin)$/, 'attention.v'],
  [
    /^(self_attn|attn|attention|attention\.self|attention\.output|SelfAttention)\.(o_proj|c_proj|out_proj|dense|out_lin|o)$/,
    'attention.output',
  ],
  [/^attention\.self$/, 'heads'],
  [/^(self_attn|attn|attention|attention\.output|SelfAttention)$/, 'attention.output'],
  [/^intermediate$/, 'mlp.hidden'],
  [/^DenseReluDense(\.wo)?$/, 'mlp.output'],
  [/^(mlp|feed_forward|ffn)\.(act|act_fn|activation)$/, 'mlp.hidden'],
  [/^(output\.dense|(mlp|feed_forward|ffn)(\.(down_proj|c_proj|fc2|lin2|dense_4h_to_h))?)$/, 'mlp.output'],
  [/^(encoder_attn|EncDecAttention)(\.(out_proj|o))?$/, 'cross.output'],
  [/^(encoder_attn|EncDecAttention)\.q(_proj)?$/, 'cross.q'],
  [/^(encoder_attn|EncDecAttention)\.k(_proj)?$/, 'cross.k'],
  [/^(encoder_attn|EncDecAttention)\.v(_proj)?$/, 'cross.v'],
  [/^(input_layernorm|ln_1)$/, 'attention.input'],
  [/^(output)?$/, 'output'],
]

/**
 * Returns the place that corresponds to a hook of TransformerLens, to a module of transformers, or to a place written with or without its
 * stack; undefined if unknown.
 * @param {string} name
 * @param {readonly string[]} [places] places of the model, without single heads
 * @returns {string | undefined}
 */
export function placeOf(name, places) {
  const found = translated(name) ?? name
  if (!places) return found === name ? undefined : found
  const [head] = /(?<=heads|scores|weights)\.\d+$/.exec(found) ?? ['']
  const bare = found.slice(0, found.length - head.length).replace(/^(encoder|decoder)\./, '')
  const has = (/** @type {string} */ place) =>
    places.includes(place) || places.includes(place.replace(/(?<=layers\.)(\d+|\*|N)/, '0'))
  const stacks = ['', 'decoder.', 'encoder.'].filter(stack => has(stack + bare))
  const named = stacks.filter(stack => stack && name.includes(stack))
  return (named.length ? named : stacks).map(stack => stack + bare + head).join('" or "') || undefined
}

/** @param {string} name */
function translated(name) {
  const whole = WHOLE.find(([pattern]) => pattern.test(name))
  if (whole) return whole[1]
  const lens = /^(?:blocks|(encoder|decoder))\.(\d+|\*)\.(cross_attn\.)?(.+)$/.exec(name)
  if (lens) {
    const [, stack, layer, cross, rest] = lens
    const key = cross ? `attn.${rest}` : rest
    if (!Object.hasOwn(LENS, key)) return undefined
    const place = cross ? LENS[key].replace(/^attention|^(?=heads)/, found => (found ? 'cross' : 'cross.')) : LENS[key]
    return `${stack ? `${stack}.` : ''}layers.${layer}.${place}`
  }
  const [, ofHeads, ofMlp, ofLayer] = SHORT.exec(name) ?? []
  const short = ofHeads ? `attn.hook_${ofHeads}` : ofMlp ? `mlp.hook_${ofMlp}` : ofLayer && `hook_${ofLayer}`
  if (short) return `layers.N.${LENS[short]}`
  // t5 has a layer.M within its block.N
  const [, layer, rest = ''] =
    /^(?:[a-z]\w*\.)*?(?:layers?|h|block)\.(\d+|\*)(?:\.layer\.\d)?(?:\.(.+))?$/.exec(name) ?? []
  const found = layer && MODULES.find(([pattern]) => pattern.test(rest))
  return found ? `layers.${layer}.${found[1]}` : undefined
}

/** Options or results of qkv by their names in other libraries. @type {Record<string, string>} */
const OPTIONS = {
  output_attentions: "keep: ['attentions']",
  output_hidden_states: "keep: ['hiddenStates']",
  attentions: "keep: ['attentions']",
  decoder_attentions: "keep: ['attentions']",
  decoder_hidden_states: "keep: ['hiddenStates']",
  hidden_states: "keep: ['hiddenStates']",
  past_key_values: 'cache: model.cache()',
  past_kv_cache: 'cache: model.cache()',
  use_cache: 'cache: model.cache() of forward, useCache of generate',
  head_mask: "hooks: { 'layers.3.heads.5': 0 }",
  fwd_hooks: "hooks: { 'layers.3.heads.5': 0 }",
  names_filter: "keep: ['layers.*.heads'], the places to keep",
  stop_at_layer: 'until, the last layer that runs: stop_at_layer - 1',
  start_at_layer: 'hooks: a tensor at layers.N.input',
  return_type: "logits: 'all', 'last' or 'none'",
  return_dict: 'there is no need: results have names always',
  labels: "backward(model, input, { of: 'loss', targets }) of qkv/interpret",
  prepend_bos: 'tokenize(text, { addSpecialTokens: false })',
  input_ids: 'ids, of the input: forward({ ids })',
  inputs_embeds: 'embeddings, of the input: forward({ embeddings })',
  attention_mask: 'attentionMask, of the input: forward({ ids, attentionMask })',
  token_type_ids: 'tokenTypeIds, of the input',
  global_attention_mask: 'globalAttentionMask, of the input',
  position_ids: 'positions, of the input',
  decoder_input_ids: 'decoderIds, of the input',
  max_length: 'maxNewTokens of generate, maxLength of tokenize',
  maxTokens: 'maxNewTokens',
  do_sample: 'temperature: above 0 samples, 0 takes the largest logit',
  num_beams: 'numBeams',
  beam_size: 'numBeams',
  num_beam_groups: 'there is one group of beams: numBeams',
  forced_bos_token_id: 'firstToken',
  tgt_lang: "firstToken, such as 'jpn_Jpan' of NLLB",
  src_lang: 'ids, which begin with it: docs/models.md, Translating',
  n_predict: 'maxNewTokens',
  temp: 'temperature',
  n_ctx: 'there is no need: a cache grows as far as the positions of the model',
  context_size: 'there is no need: a cache grows as far as the positions of the model',
  n_gpu_layers: 'there is no need: everything runs in WebAssembly, on the threads of load({ threads })',
  gpu_layers: 'there is no need: everything runs in WebAssembly, on the threads of load({ threads })',
  n_threads: 'load({ threads })',
  threads: 'load({ threads })',
  num_threads: 'load({ threads })',
  length_penalty: 'lengthPenalty',
  early_stopping: 'earlyStopping',
  num_return_sequences: 'a list with the prompt so many times',
  eos_token_id: 'stopIds',
  streamer: 'for await (const { text } of model.generate(prompt))',
  callback_function: 'for await (const { text } of model.generate(prompt))',
  pad_token_id: 'there is no need: padding is read from the config',
  learning_rate: 'lr, of fitLens rate',
  lr: 'lr of optimisers, rate of fitLens',
  axis: 'dim',
  on_progress: 'onLayer of forward; generate yields its steps',
  theta: 'base',
  rope_theta: 'base',
  return_all_scores: 'scores, of the result: those of all labels',
  return_documents: 'index, of each result: texts[index]',
  text_pair: 'a list of pairs: classify([[text, pair]]), or model.padded([[text, pair]])',
  add_generation_prompt: 'chat: { addGenerationPrompt }',
  revision: "the name: 'hf:owner/name@revision'",
  subfolder: "the name: 'hf:owner/name/sub/folder'",
  cache_dir: 'the variable HF_HUB_CACHE',
  local_files_only: 'the variable HF_HUB_OFFLINE',
  use_auth_token: 'token',
  progress_callback: 'onProgress',
  torch_dtype: "dtype: 'float32', 'float16', 'bfloat16', 'int8' or 'int4'",
  quantized: "dtype: 'int8'",
  load_in_8bit: "dtype: 'int8'",
  load_in_4bit: "dtype: 'int4'",
  device: 'there is no need: everything runs in WebAssembly, on the threads of load({ threads })',
  device_map: 'there is no need: everything runs in WebAssembly, on the threads of load({ threads })',
  trust_remote_code: 'there is no such thing: no code of a folder is run',
  attn_implementation: "keep: ['attentions'], which computes weights for the layers kept",
  add_special_tokens: 'addSpecialTokens',
  return_tensors: 'there is no need: forward takes what tokenize returns',
  padding: 'model.padded(texts)',
  stop_strings: "stop: ['\\n'], before which the text ends",
  stop_sequences: "stop: ['\\n'], before which the text ends",
  stopping_criteria: 'break, in for await (const { text } of model.generate(prompt))',
  stream: 'for await (const { text } of model.generate(prompt))',
  on_token: 'for await (const { text } of model.generate(prompt))',
  callback: 'for await (const { text } of model.generate(prompt))',
  frequency_penalty: 'repetitionPenalty, or logits: (logits, ids) => {}',
  presence_penalty: 'repetitionPenalty, or logits: (logits, ids) => {}',
  logits_processor: 'logits: (logits, ids) => {}',
  no_repeat_ngram_size: 'a key of generation_config.json, or logits: (logits, ids) => {}',
  typical_p: 'logits: (logits, ids) => {}',
  batch_size: 'there is no need: texts share batches by their lengths',
  convert_to_tensor: 'there is no need: results are tensors',
  convert_to_numpy: 'there is no need: results are tensors, whose data are typed arrays',
  show_progress_bar: 'onProgress',
  prompt_name: "prompt: 'query', a name of the folder, or { text }",
  normalize_embeddings: 'normalize',
  matryoshka_dim: 'truncateDim',
  execution_providers: 'there is no need: everything runs in WebAssembly, on the threads of load({ threads })',
  num_workers: 'workers',
  heads: "what: 'heads', all of them; one is switched off by forward(text, { hooks: { 'layers.0.heads.1': 0 } })",
  metric: 'of',
  loss_fn: 'of',
  clean_cache: 'clean, a text',
  clean_tokens: 'clean',
  corrupted_tokens: 'corrupted',
  skip_first_positions: 'first',
  max_seq_len: 'maxLength',
  dim_batch: 'there is no need: rows are batched by size',
  source_layers: 'layers',
  epochs: 'passes',
  num_epochs: 'passes',
  use_jacobian: "the lens: readout(model, 'logit', text)",
  return_full_logits: 'logits: true',
  alpha: 'strength, of steer',
  k: 'topK',
  pos: 'position',
  token_id: 'token',
  wrt: 'at',
  epsilon: 'eps',
}

/**
 * Returns the tokens of a text that is not a single token, and a suggestion: the same text with or without a leading space, if that is one
 * token.
 * @param {import('./model.js').Model} model
 * @param {string} text
 */
export function tokensOf(model, text) {
  const read = (/** @type {string} */ given) => model.tokenize(given, { addSpecialTokens: false }).tokens
  const other = [text.trimStart(), ` ${text.trimStart()}`].find(given => given !== text && read(given).length === 1)
  const like = other === undefined ? '' : `; did you mean ${describe(other)}?`
  return ` (${read(text).map(describe).join(', ')})${like}`
}

/** Returns the equivalent of an option of another library; undefined if unknown. @param {string} name @returns {string | undefined} */
export const optionOf = name => {
  const snake = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
  return [name, snake].flatMap(each => (Object.hasOwn(OPTIONS, each) ? [OPTIONS[each]] : []))[0]
}
