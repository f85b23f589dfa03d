// A loaded model: forward with kept values and hooks, generation, scores of heads. Letters: B batch, L ids, S keys, H heads, d width of the
// model, V vocabulary.

import { others, readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe, proxied, shape } from '../base/errors.js'
import { toFloats } from '../base/operand.js'
import { Tensor } from '../base/tensor.js'
import { kvCache } from '../ops/attention/kv-cache.js'
import { forward } from './run/forward.js'
import { SCORES, scoresByLength } from './run/head-scores.js'
import { checkSignal, RUN_OPTIONS, readIds } from './run/inputs.js'
import { ModelCache } from './run/model-cache.js'
import { finish, lastNorm, ModelOperations, makeLogits } from './run/network.js'
import { overTexts } from './run/over-texts.js'
import { dropPadding, padRows, restorePadding } from './run/padding.js'
import { lengthLimit } from './run/read-input.js'
import { firstStack, lastStack, ropeOf, stacksOf } from './run/stacks.js'
import { embeddingOf } from './weights/weights.js'

/** @import { FloatTensor, TensorLike } from '../base/tensor.js' */
/** @import { HeadScores } from './run/head-scores.js' */
/** @import { KVCache } from '../ops/attention/kv-cache.js' */
/** @import { Family } from './family-shapes/parts.js' */
/** @import { Call } from './run/network.js' */
/** @import { AttentionSummary } from './run/attention-summaries.js' */
/**
 * @template T
 * @typedef {import('./run/over-texts.js').OverTexts<T>} OverTexts
 */
/** @typedef {Partial<Pick<Call, 'record' | 'inParts' | 'within' | 'entered'>> & { texts?: readonly ModelInput[], checked?: import('./run/attention-summaries.js').CheckedSummary, operations?: (hooks: import('./run/network.js').CheckedHooks | undefined) => ModelOperations }} OwnOptions options for other modules of qkv */
/** @typedef {ModelOptions & OwnOptions} RunOptions */
/** @typedef {import('../base/tensor.js').TensorLike | import('../base/tensor.js').Nested<number> | ArrayLike<number>} Ids (L), or (B, L) */
/** A text, a pair of texts, or a result of tokenize. @typedef {string | readonly [string, string] | { ids: readonly number[], tokenTypeIds?: readonly number[] }} PaddedText */

/**
 * @typedef {object} ModelInput
 * @property {Ids} [ids] for an encoder-decoder, the input of the encoder
 * @property {FloatTensor} [embeddings] (B, L, width of the token table), replaces ids: rows as read from the table. Scale, positions,
 *   types and norm are applied to them
 * @property {Ids} [attentionMask] 1 for a token, 0 for padding; default all 1
 * @property {Ids} [tokenTypeIds] BERT's segments; default all 0
 * @property {Ids} [globalAttentionMask] for Longformer, 1 for a token that sees all others and is seen by them; default all 0, or 1 for the first token
 *   in a checkpoint with classes of texts
 * @property {Ids} [positions] default: counted from the first token that is not padding
 * @property {Ids} [decoderIds] for an encoder-decoder; default its start id
 */
/**
 * @typedef {object} ModelOptions
 * @property {readonly import('./run/inputs.js').Keep[]} [keep] results to return besides the logits, of all layers or of one: 'attentions.3'; also
 *   hook places such as 'layers.*.heads', returned in `kept`. In an encoder-decoder, names without `encoder` refer to the decoder
 * @property {import('./run/attention-summaries.js').ModelSummaryOptions} [summary] content of the kept summaries
 * @property {Hooks} [hooks] by place: 'layers.3.attention.weights', 'layers.3.heads.5', 'layers.*.mlp.output'
 * @property {ModelCache} [cache] keys and values of the previous ids; see model.cache
 * @property {'all' | 'last' | 'none'} [logits] rows whose logits are computed; default 'all'
 * @property {number} [until] stops after this layer (of the decoder, for an encoder-decoder): no logits are computed, and lastHiddenState
 *   is the output of the layer
 *
 * @typedef {object} TextOptions
 * @property {boolean} [truncation] cuts longer texts but keeps special tokens: at the end, or at the start if tokenizer_config.json has
 *   truncation_side left; default true if maxLength is given
 * @property {number} [maxLength] maximum number of ids, at most the number of positions
 * @property {boolean} [addSpecialTokens] default true
 * @property {boolean} [lowerCase] lowers the case of everything but special tokens, before the tokenizer's normalizers; default false
 *
 * @typedef {{ [place in import('./run/model-hooks.js').Place]?: import('./run/model-hooks.js').Hook }} Hooks
 *
 * @typedef {object} ModelOutput
 * @property {FloatTensor} [logits] (B, L, V); undefined if the model has no head
 * @property {FloatTensor} lastHiddenState (B, L, d), after the last norm; with logits: 'last', (B, 1, d)
 * @property {FloatTensor} [pooled] (B, d)
 * @property {FloatTensor} [classLogits] for a classification checkpoint: (B, classes), or (B, L, classes) if it classifies tokens
 * @property {FloatTensor} [classScores] classLogits as probabilities (softmax, or sigmoid for independent labels), or unchanged for a regression
 * @property {(FloatTensor | undefined)[]} attentions (B, H, L, S) of each kept layer
 * @property {(FloatTensor | undefined)[]} hiddenStates inputs of layers 0, 1, ... and output of the last, (B, L, d)
 * @property {(FloatTensor | undefined)[]} crossAttentions
 * @property {(FloatTensor | undefined)[]} encoderAttentions
 * @property {(FloatTensor | undefined)[]} encoderHiddenStates
 * @property {FloatTensor} [encoderLastHiddenState]
 * @property {(AttentionSummary | undefined)[]} attentionSummaries
 * @property {(AttentionSummary | undefined)[]} crossAttentionSummaries
 * @property {(AttentionSummary | undefined)[]} encoderAttentionSummaries
 * @property {{ [place in import('./run/model-hooks.js').Place]?: FloatTensor }} kept copies of the values at the places of `keep`, by name,
 *   made after the hooks of the place. They need no dispose
 *
 * @typedef {object} GenerateOptions
 * @property {boolean} [followConfig] false uses only the end ids of generation_config.json; default true
 * @property {number} [maxNewTokens] default: max_new_tokens or max_length of generation_config.json, or 40
 * @property {number} [numBeams] width of beam search, which yields the steps of the best sequence at the end. 1: no beam search;
 *   default: num_beams of generation_config.json, or 1
 * @property {number} [lengthPenalty] exponent: scores are sums of log probabilities divided by length ** lengthPenalty; default:
 *   length_penalty of generation_config.json, or 1
 * @property {number | string} [firstToken] of an encoder-decoder: the first new token, an id or a text that is one token, such as the language of
 *   NLLB, M2M-100 and mBART-50; default: forced_bos_token_id of generation_config.json
 * @property {boolean | 'never'} [earlyStopping] true ends the search once numBeams sequences have ended; false once no running beam, scored at
 *   its present length, beats the ended sequences; 'never' once none can, even at the maximum length; default: early_stopping of
 *   generation_config.json, or false
 * @property {number} [temperature] 0 takes the largest logit; the default unless generation_config.json has do_sample
 * @property {number} [topK] samples among the topK largest logits, and ties with the last of them
 * @property {number} [topP] samples among the largest logits whose probabilities sum to topP; default 1
 * @property {number} [minP] samples among ids with at least minP times the largest probability; default 0
 * @property {number} [repetitionPenalty] divides positive logits of ids that have occurred, and multiplies negative ones; default 1
 * @property {(logits: Float32Array, ids: number[], row: number) => void} [logits] reads or changes the logits (V) of the next id, after the
 *   penalty and the rules of generation_config.json; ids: the sequence so far; row: index of the prompt, or of the beam
 * @property {number} [seed] of the random numbers; default 0
 * @property {string | readonly string[]} [stop] the text ends before the first of these texts; an ending that may become one is held back
 * @property {readonly number[]} [stopIds] ids that end generation; default: eos_token_id of generation_config.json, or of config.json if that is missing
 * @property {ModelOptions['keep']} [keep] as in forward
 * @property {ModelOptions['hooks']} [hooks]
 * @property {import('./jinja/chat.js').ChatOptions} [chat] options of the chat template
 * @property {boolean} [useCache] false runs all ids at each step, so that hooks see the whole sequence; default true
 * @property {AbortSignal} [signal]
 */
/**
 * @typedef {object} GeneratedToken
 * @property {number} id the new id
 * @property {string} token the new id, decoded alone
 * @property {string} text text that the new id adds
 * @property {number} probability
 * @property {number[]} ids the whole sequence so far
 * @property {boolean} isDone True if generation has ended
 */
/**
 * A step of generation, with the values of the first prompt. `rows` has those of every prompt. Steps of beam search have no output of
 * forward, so lists such as hiddenStates are empty.
 * @typedef {Omit<ModelOutput, 'lastHiddenState'> & Partial<Pick<ModelOutput, 'lastHiddenState'>> & GeneratedToken & { rows: GeneratedToken[] }} GenerateStep
 */

const PADDED = ['truncation', 'maxLength', 'addSpecialTokens', 'lowerCase']
const TOKENIZE = [...PADDED, 'pair']

export class Model {
  #qkv
  #family
  #weights
  #tokenizer
  #reads
  /** @type {import('./run/forward.js').RunParts} */
  #runParts
  #isDisposed = false

  /**
   * @internal
   * @param {import('../qkv.js').Qkv} qkv
   * @param {Family} family
   * @param {import('./weights/weights.js').ModelWeights} weights
   * @param {Record<string, unknown>} config
   * @param {import('./tokenizers/tokenizer.js').TextTool | undefined} tokenizer
   * @param {typeof import('./classes/class-logits.js').classLogits} [classLogits] for a family with classes
   * @param {{ modules?: import('./sentences/sentence-modules.js').ReadModules, ranking?: import('./sentences/rank.js').ReadRanking, chat?:
   *   () => Promise<import('./config/text-files.js').ChatFiles>, settings?: () =>
   *   Promise<import('./generate/generation-settings.js').GenerationSettings>, TokenCalls?: typeof
   *   import('./run/token-calls.js').TokenCalls }} [reads] readers of rarely needed files (sentence-transformers modules, chat templates,
   *   generation_config.json), and the module for recorded calls
   */
  constructor(qkv, family, weights, config, tokenizer, classLogits, reads = {}) {
    this.#qkv = qkv
    this.#family = family
    this.#weights = weights
    this.#tokenizer = tokenizer
    this.#reads = reads
    const { TokenCalls } = reads
    this.#runParts = { qkv, family, weights, padding: config.pad_token_id, classLogits, TokenCalls }
    /** The content of config.json. */
    this.config = config
  }

  /** model_type of the config. */
  get type() {
    return this.#family.type
  }

  /** The encoder, the decoder, or both: layers, heads, and how scores are computed. */
  get stacks() {
    return stacksOf(this.#family)
  }

  /** True if the checkpoint has a head, which computes logits. */
  get hasHead() {
    return this.#weights.hasHead
  }

  /** The classes of the checkpoint, whether they are of a text or of each token, and the function from logits to scores. */
  get classes() {
    const { classes } = this.#family
    if (!classes) return undefined
    const { labels, scores, row } = classes
    return { of: row ? 'text' : 'token', labels: [...labels], scores }
  }

  get #isBoth() {
    return this.#family.encoder !== undefined && this.#family.decoder !== undefined
  }

  /**
   * Tokenizes a text.
   * @param {string} text
   * @param {TextOptions & { pair?: string }} [options] pair: a second segment
   * @returns {import('./tokenizers/tokenizer.js').Tokenized} an input for forward
   */
  tokenize(text, options = {}) {
    const tokenizer = Model.#own(this).#expectTokenizer()
    if (Array.isArray(text))
      throw new TypeError(
        `tokenize: expected a text, got ${describe(text)}; for several texts, call model.padded(texts)`,
      )
    // biome-ignore lint/complexity/noArguments: a rest parameter would become part of the types
    if (typeof options === 'string' || arguments.length > 2)
      throw new TypeError(
        'tokenize: expected a text and options; a pair is one input by { pair }, several texts by model.padded(texts)',
      )
    const { pair, addSpecialTokens = true, lowerCase = false, ...given } = readOptions(options, TOKENIZE, 'tokenize')
    const { maxLength, truncation = maxLength !== undefined } = given
    toBoolean(truncation, 'tokenize: truncation')
    toBoolean(addSpecialTokens, 'tokenize: addSpecialTokens')
    toBoolean(lowerCase, 'tokenize: lowerCase')
    if (maxLength !== undefined) toNumber(maxLength, 'tokenize: maxLength', { least: 1, whole: true })
    const most = truncation ? Math.min(maxLength ?? tokenizer.most, this.#most) : undefined
    const { tokenTypeIds, ...tokenized } = tokenizer.encode(
      text,
      pair,
      this.#family.vocab,
      most,
      addSpecialTokens,
      lowerCase,
    )
    return { ...tokenized, ...(tokenTypeIds && this.#hasTypes && { tokenTypeIds }) }
  }

  /** The maximum number of ids of a text. */
  get #most() {
    return lengthLimit(this.#family, firstStack(this.#family))
  }

  /** True if the model distinguishes the texts of a pair by token types. */
  get #hasTypes() {
    const { encoder, decoder } = this.#family
    return [encoder, decoder].some(stack => stack && Number(embeddingOf(this.#family, stack).types?.rows ?? 0) > 1)
  }

  /**
   * Pads texts of different lengths into one input for forward: on the left for a decoder, else on the right.
   * @param {readonly PaddedText[]} texts texts, pairs of texts, or results of tokenize
   * @param {TextOptions} [options]
   */
  padded(texts, options = {}) {
    const { encoder, vocab } = Model.#own(this).#family
    options = readOptions(options, PADDED, 'padded')
    if (!Array.isArray(texts) || !texts.length)
      throw new TypeError(`padded: expected a list of at least one text, got ${describe(texts)}`)
    const rows = texts.map(text => {
      if (typeof text === 'string') return this.tokenize(text, options)
      return Array.isArray(text) && text.length === 2 ? this.tokenize(text[0], { ...options, pair: text[1] }) : text
    })
    for (const [n, row] of rows.entries())
      if (!Array.isArray(row?.ids))
        throw new TypeError(`padded: texts[${n}]: expected a text, a pair of texts or { ids }, got ${describe(row)}`)
    const { pad_token_id: pad, eos_token_id: end } = this.config
    const id = [pad, end, 0].flat().find(id => Number.isInteger(id) && Number(id) >= 0 && Number(id) < vocab)
    const { padding_side: side = encoder ? 'right' : 'left' } = Object(this.#tokenizer?.config)
    return padRows(rows, Number(id), side === 'left')
  }

  /**
   * Decodes ids to text.
   * @param {ArrayLike<number>} ids
   * @param {{ skipSpecialTokens?: boolean }} [options] skipSpecialTokens: default true
   * @returns {string}
   */
  decode(ids, options = {}) {
    const tokenizer = Model.#own(this).#expectTokenizer()
    const { skipSpecialTokens: isBare = true } = readOptions(options, ['skipSpecialTokens'], 'decode')
    toBoolean(isBare, 'decode: skipSpecialTokens')
    if (ids?.length === 0) return ''
    if (typeof ids === 'string' || typeof ids === 'number')
      throw new TypeError(`decode: expected a list of ids, as of tokenize, got ${describe(ids)}`)
    return tokenizer.decode([...readIds(ids, 'ids', this.#family.vocab, undefined, 'decode').ids], isBare)
  }

  /** @param {Model} model */
  static #own(model) {
    if (!(#weights in model)) throw proxied('model')
    if (model.#isDisposed) throw new Error('this model was disposed: load it again')
    return model
  }

  #expectTokenizer() {
    if (this.#tokenizer) return this.#tokenizer
    throw new Error(
      'this model was loaded without a tokenizer: give ids, or tokenizer.json, which Python makes by AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)',
    )
  }

  /** Lists the stored tensors that are used, with the sums of their sizes. */
  describe() {
    const tensors = Model.#own(this).#weights.used.map(({ name, dtype, type, dims, from, to, bytes }) => ({
      name,
      dtype: type ?? dtype,
      dims: [...dims],
      bytes: bytes ?? to - from,
      parameters: dims.reduce((a, b) => a * b, 1),
    }))
    const sum = (/** @type {'bytes' | 'parameters'} */ key) => tensors.reduce((total, tensor) => total + tensor[key], 0)
    return {
      type: this.type,
      textPartOf: this.#family.textPartOf,
      tensors,
      parameters: sum('parameters'),
      bytes: sum('bytes'),
      ignored: [...this.#weights.ignored],
      memory: this.#qkv.memory.resident,
    }
  }

  /**
   * Makes a KV cache for forward and generate, with capacity for `capacity` ids; it doubles when it is full.
   * @param {{ capacity?: number, batch?: number, dtype?: 'float32' | 'int8' }} [options] dtype: default the cacheDtype of loadModel
   */
  cache(options = {}) {
    const { cacheDtype } = Model.#own(this).#weights.kept
    const { capacity = 64, batch, dtype = cacheDtype } = readOptions(options, ['capacity', 'batch', 'dtype'], 'cache')
    toNumber(capacity, 'cache: capacity', { least: 1, whole: true })
    const { decoder } = this.#family
    if (!decoder) throw new Error(`cache: ${this.type} is an encoder, which reads all at once`)
    const { numKvHeads, headDim } = decoder.heads
    /** @type {KVCache[]} */
    const layers = []
    try {
      for (const _ of decoder.layers)
        layers.push(
          kvCache(this.#qkv, { batch, numKvHeads, headDim, capacity, limit: Math.max(capacity, 2 ** 24), dtype }),
        )
    } catch (error) {
      for (const layer of layers) layer.dispose()
      throw error
    }
    return new ModelCache(this, layers)
  }

  /**
   * Runs the model. Other events can run between layers and within long ones; `signal` aborts the run.
   * @param {string | ModelInput} input a text, if the model has a tokenizer, or ids
   * @param {ModelOptions & import('./run/turns.js').AsyncOptions} [options]
   * @returns {Promise<ModelOutput>}
   */
  async forward(input, options = {}) {
    return Model.#own(this).#inTurns(input, options)
  }

  /**
   * Runs the model synchronously, with the same bits as forward; faster for short inputs and for single tokens with a cache.
   * @param {string | ModelInput} input
   * @param {ModelOptions} [options]
   * @returns {ModelOutput}
   */
  forwardSync(input, options = {}) {
    const own = Model.#own(this)
    return own.#qkv.scope(() => finish(own.#alive(own.#steps(input, options))))
  }

  /** @param {string | ModelInput} input @param {RunOptions & import('./run/turns.js').AsyncOptions} options @param {Pick<OwnOptions, 'record' | 'texts'>} [own] */
  async #inTurns(input, options, own) {
    const { runInTurns } = await import('./run/run-in-turns.js')
    const start = (/** @type {RunOptions} */ given, /** @type {Call['within']} */ within) =>
      this.#alive(this.#steps(input, given, { ...own, inParts: true, within }))
    return runInTurns(this.#qkv, start, this.stacks, options, own?.texts !== undefined)
  }

  /**
   * Runs texts as rows of one batch, without padding; each text gets the same bits as if it ran alone.
   * @param {readonly ModelInput[]} texts inputs of one text each, without padding
   * @param {import('./run/turns.js').AsyncOptions} options
   */
  #packed(texts, options) {
    return this.#inTurns({}, { ...options, logits: 'none' }, { texts })
  }

  /**
   * True if texts can be packed. They cannot with two stacks, with rotations that depend on the length of the text, and with disentangled
   * or global attention.
   */
  get #packs() {
    const stack = firstStack(this.#family)
    const isDynamic = stack.layers.some(([{ attention }]) => (ropeOf(stack, attention) || undefined)?.dynamic)
    return !this.#isBoth && !isDynamic && !stack.disentangled && !stack.global
  }

  /**
   * Classifies a text or, with a token classifier, each token. The result also contains everything that forward returns.
   * @param {string | ModelInput | readonly PaddedText[]} input one text, or several
   * @param {Omit<ModelOptions, 'logits' | 'until'> & import('./run/turns.js').AsyncOptions} [options]
   * @returns {Promise<ModelOutput & { logits: FloatTensor, scores: FloatTensor, labels: string[] }>} logits, scores: (B, classes) or (B, L,
   *   classes)
   */
  async classify(input, options = {}) {
    const { classes } = Model.#own(this)
    if (!classes)
      throw new Error(
        `classify: this ${this.type} checkpoint has no classes, as architectures of config.json names none`,
      )
    const known = RUN_OPTIONS.filter(name => name !== 'logits' && name !== 'until')
    const { signal, onLayer, ...given } = readOptions(options, [...known, 'signal', 'onLayer'], 'classify')
    const turns = { signal, onLayer }
    const all = Array.isArray(input) ? this.padded(input) : undefined
    const isPlain = Object.keys(given).length === 0
    const output =
      all && isPlain && this.#packs
        ? restorePadding(await this.#packed(dropPadding(all), turns), all.attentionMask)
        : await this.#inTurns(all ?? /** @type {string | ModelInput} */ (input), { ...given, ...turns, logits: 'none' })
    const [logits, scores] = /** @type {FloatTensor[]} */ ([output.classLogits, output.classScores])
    return { ...output, logits, scores, labels: classes.labels }
  }

  /**
   * Wraps steps so that they throw if the model is disposed between two of them.
   * @template T
   * @param {import('./run/network.js').RunSteps<T>} steps
   * @returns {import('./run/network.js').RunSteps<T>}
   */
  *#alive(steps) {
    /** @param {unknown} [cause] */
    const check = cause => {
      if (this.#isDisposed)
        throw new Error('this model was disposed while it ran: await it before dispose()', { cause })
      if (cause) throw cause
    }
    try {
      for (let isFirst = true; ; isFirst = false) {
        if (!isFirst) check()
        try {
          const { done, value } = steps.next()
          if (done) return value
          yield value
        } catch (error) {
          check(error) // a hook may have disposed of the model
        }
      }
    } finally {
      steps.return(/** @type {any} */ (undefined)) // ends steps that were aborted, so that their `finally` blocks run
    }
  }

  /**
   * Runs a forward pass in steps.
   * @param {string | ModelInput} input
   * @param {RunOptions} options
   * @param {OwnOptions} [own]
   * @returns {import('./run/network.js').RunSteps<ModelOutput>}
   */
  *#steps(input, options, own) {
    Model.#own(this)
    if (Array.isArray(input) || (typeof input !== 'string' && !(typeof input === 'object' && input !== null)))
      throw new TypeError(
        `forward: expected a text, { ids: [...] } or, for several texts, model.padded(texts), got ${describe(input)}`,
      )
    return yield* forward(this.#runParts, this, this.#toInput(input), options, own)
  }

  /**
   * Finds named entities in a text, with a token classification checkpoint. See docs/models.md.
   * @param {string} text
   * @param {import('./classes/entities.js').EntityOptions} [options]
   * @returns {Promise<import('./classes/entities.js').Entity[]>}
   */
  async entities(text, options = {}) {
    const tool = Model.#own(this).#expectTokenizer()
    const { entities } = await import('./classes/entities.js')
    return entities(this, tool, text, options)
  }

  /**
   * Applies the last norm and the head to a hidden state, as if the model ended there (logit lens).
   * @param {import('../base/tensor.js').FloatLike} hiddenState (B, L, d), one of hiddenStates
   * @returns {Promise<FloatTensor>} (B, L, V)
   */
  async logitLens(hiddenState) {
    const { width } = Model.#own(this).#family
    if (typeof hiddenState === 'string')
      throw new TypeError(
        `logitLens: expected one of the hiddenStates that forward keeps, got ${describe(hiddenState)}`,
      )
    const state = toFloats(hiddenState, 'logitLens: hiddenState')
    const { dims } = state
    if (dims.length !== 3 || dims[2] !== width)
      throw new RangeError(`logitLens: expected dims (B, L, ${width}), got ${shape(dims)}`)
    const stack = lastStack(this.#family)
    const ops = new ModelOperations(this.#qkv, this.#weights)
    return this.#qkv.scope(() => makeLogits(this.#family, ops, lastNorm(stack, '', ops, state)))
  }

  /**
   * Computes the scores of each head on a text; for several texts, also mean and standard deviation. docs/models.md defines the scores.
   * @template {string | Ids | readonly (string | readonly number[])[]} T
   * @param {T} input a list of texts, or of lists of ids: texts of equal length run together
   * @returns {Promise<T extends string | readonly number[] | TensorLike ? HeadScores : T extends readonly unknown[] ? OverTexts<HeadScores> : HeadScores>}
   */
  async headScores(input) {
    Model.#own(this)
    const isList = Array.isArray(input) && input.length > 0 && typeof input[0] !== 'number'
    const texts = isList ? input : [input]
    const rows = Array.from(texts, (text, n) => this.#toIds(text, isList ? `headScores: texts[${n}]` : 'headScores'))
    const each = await scoresByLength(rows, ids => this.#headScores(ids))
    return /** @type {any} */ (isList ? overTexts(each, SCORES) : each[0])
  }

  /** Computes the scores of texts of equal length, each (layers, H). @param {number[][]} ids */
  async #headScores(ids) {
    const name = this.#isBoth ? 'encoderAttentionSummaries' : 'attentionSummaries'
    const { [name]: layers } = await this.forward(
      { ids },
      { keep: [name], summary: { scores: true, windows: false }, logits: 'none' },
    )
    return ids.map((_, b) =>
      Object.fromEntries(
        SCORES.map(score => {
          const own = layers.flatMap(layer => (layer?.scores ? [...layer.scores[score].row(b).data] : []))
          return [score, new Tensor(Float32Array.from(own), [layers.length, own.length / layers.length])]
        }),
      ),
    )
  }

  /** @param {string | ModelInput} input @returns {ModelInput} */
  #toInput(input) {
    return typeof input === 'string' ? this.tokenize(input) : input
  }

  /** @param {unknown} input @param {string} where */
  #toIds(input, where) {
    if (typeof input === 'string') return this.tokenize(input).ids
    if (typeof input !== 'object' || input === null)
      throw new TypeError(`${where}: expected a text or ids, got ${describe(input)}`)
    const { ids, B } = readIds(/** @type {Ids} */ (input), 'ids', this.#family.vocab, undefined, where)
    if (B !== 1) throw new RangeError(`${where}: expected one text, got ${B}`)
    return [...ids]
  }

  /**
   * Converts a conversation to the text that the model was trained to continue, with the chat template of its folder.
   * @param {readonly import('./jinja/chat.js').Message[]} messages
   * @param {import('./jinja/chat.js').ChatOptions} [options]
   * @returns {Promise<string>}
   */
  async applyChatTemplate(messages, options = {}) {
    const { config } = Model.#own(this).#expectTokenizer()
    const { chatText } = await import('./jinja/chat.js')
    return chatText(config, this.#reads.chat, messages, options)
  }

  /**
   * Generates token by token. The prompt of an encoder-decoder is the input of its encoder. Several prompts form a batch. A list of
   * messages is converted to a text by the chat template of the folder.
   * @param {string | Ids | readonly (string | readonly number[])[] | readonly import('./jinja/chat.js').Message[]} prompt
   * @param {GenerateOptions} [options]
   * @returns {AsyncGenerator<GenerateStep, void, void>}
   */
  async *generate(prompt, options = {}) {
    Model.#own(this)
    const { generate } = await import('./generate/generation.js')
    const toIds = (/** @type {unknown} */ given) => this.#toIds(given, 'generate')
    const settings = /** @type {() => Promise<import('./generate/generation-settings.js').GenerationSettings>} */ (
      this.#reads.settings
    )
    yield* generate(this, { ...this.#parts, tokenizer: this.#tokenizer, settings, toIds, checkSignal }, prompt, options)
  }

  /** Returns the ids that end generation: those of generation_config.json, or of config.json if that is missing. */
  async endIds() {
    const settings = await Model.#own(this).#reads.settings?.()
    return [...(settings?.stopIds ?? [])]
  }

  /**
   * Embeds texts with the modules of the folder, or with a given pooling. Short texts run together without padding. See docs/models.md.
   * @param {string | readonly string[]} texts
   * @param {import('./sentences/embed.js').EmbedOptions} [options]
   * @returns {Promise<FloatTensor>} (B, d)
   */
  async embed(texts, options = {}) {
    const own = Model.#own(this)
    own.#expectTokenizer()
    const { embed } = await import('./sentences/embed.js')
    return embed(own.#runner, this.#reads.modules, texts, options)
  }

  /**
   * Embeds a stream of texts in order. Reads one batch of texts at a time, so memory is constant.
   * @param {Iterable<string> | AsyncIterable<string>} texts
   * @param {import('./sentences/embed.js').EmbedOptions} [options]
   * @returns {AsyncGenerator<FloatTensor, void, void>} the embedding of each text, (d)
   */
  async *embedStream(texts, options = {}) {
    const own = Model.#own(this)
    own.#expectTokenizer()
    const { embedStream } = await import('./sentences/embed.js')
    yield* embedStream(own.#runner, this.#reads.modules, texts, options)
  }

  /** Returns what functions that run many texts need. @returns {import('./sentences/many-texts.js').Runner} */
  get #runner() {
    return {
      model: this,
      packs: this.#packs,
      run: (texts, options) => this.#packed(texts, options),
      chat: { config: this.#expectTokenizer().config, read: this.#reads.chat },
      idOf: this.#expectTokenizer().idOf,
    }
  }

  /**
   * Ranks texts by the score of each with a query, computed by a cross-encoder.
   * @param {string} query
   * @param {readonly string[]} texts
   * @param {import('./sentences/rank.js').RankOptions} [options]
   * @returns {Promise<import('./sentences/rank.js').Ranked[]>} by descending score
   */
  async rank(query, texts, options = {}) {
    const own = Model.#own(this)
    own.#expectTokenizer()
    const { rank } = await import('./sentences/rank.js')
    return rank(own.#runner, this.#reads, query, texts, options)
  }

  /**
   * Computes the cosine of the embeddings of two texts, and how much each head, each MLP and the embedding of the first text add to the
   * cosine.
   * @param {string} text
   * @param {string} other
   * @param {import('./sentences/embed.js').SimilarityOptions} [options] hooks: for the run of the first text
   */
  async similarity(text, other, options = {}) {
    Model.#own(this)
    this.#expectTokenizer()
    const { similarity } = await import('./sentences/embed.js')
    return similarity(this.#runner, this.#attributed, this.#reads.modules, [text, other], options)
  }

  /** @returns {import('./attribution/linear-attribution.js').Attributed} */
  get #attributed() {
    /** @type {import('./attribution/linear-attribution.js').Attributed['forward']} */
    const forward = (input, options, record) => this.#inTurns(input, options, { record })
    return { ...this.#parts, forward }
  }

  /**
   * Computes direct logit attribution: how much each head, each MLP and the embedding add to the logits of tokens or classes, with the
   * deviations of the norms frozen. See docs/models.md.
   * @template {string | ModelInput | readonly (string | ModelInput)[]} T
   * @param {T} input one text, or several
   * @param {import('./attribution/attribution.js').AttributionOptions} [options]
   * @returns {Promise<T extends readonly unknown[] ? OverTexts<import('./attribution/attribution.js').LogitAttribution> : import('./attribution/attribution.js').LogitAttribution>}
   */
  async logitAttribution(input, options = {}) {
    Model.#own(this)
    const { attribute, attributeEach } = await import('./attribution/attribution.js')
    const made = isListOf(input)
      ? attributeEach(
          this.#attributed,
          input.map((text, n) => {
            if (typeof text !== 'string' && (typeof text !== 'object' || text === null))
              throw new TypeError(
                `logitAttribution: texts[${n}]: expected a text or an input of forward, got ${describe(text)}`,
              )
            return this.#toInput(text)
          }),
          options,
        )
      : attribute(this.#attributed, this.#toInput(input), options)
    return /** @type {any} */ (await made)
  }

  /**
   * Returns a row of a linear layer's weight, and its bias.
   * @param {string} place as for hooks: 'layers.3.attention.q', 'layers.3.mlp.up'
   * @param {number} row
   * @returns {Promise<{ weight: Float32Array, bias: number }>}
   */
  async weightRow(place, row) {
    Model.#own(this)
    const { weightRow } = await import('./weights/read-weights.js')
    return weightRow(this.#parts, place, row)
  }

  /**
   * Returns a stored tensor as float32, with its dims in the file, which are those of PyTorch's state dict.
   * @param {string} name as listed by describe()
   * @returns {Promise<FloatTensor>} a copy
   */
  async weight(name) {
    Model.#own(this)
    const { weight } = await import('./weights/read-weights.js')
    return weight(this.#parts, name)
  }

  /**
   * Returns the weights of a head, with the dims given in docs/models.md.
   * @param {number} layer
   * @param {number} head
   * @param {{ place?: 'encoder' | 'decoder' | 'cross' }} [options] place: 'encoder', 'decoder' (default) or 'cross', for an encoder-decoder
   */
  async headWeights(layer, head, options = {}) {
    Model.#own(this)
    const { headWeights } = await import('./weights/read-weights.js')
    return headWeights(this.#parts, layer, head, options)
  }

  /** @internal Returns the internals for other modules of qkv. @param {Model} model */
  static parts(model) {
    if (!(Object(model) === model && #weights in model))
      throw new TypeError(
        `expected a model loaded by loadModel, got ${describe(model)}${model instanceof Promise ? '; call await loadModel(...)' : ''}`,
      )
    const own = Model.#own(model)
    return {
      ...own.#parts,
      packs: own.#packs,
      most: own.#most,
      steps: (
        /** @type {string | ModelInput} */ input,
        /** @type {ModelOptions} */ options,
        /** @type {OwnOptions} */ more,
      ) => own.#alive(own.#steps(input, options, more)),
      /** Makes steps end with a readable error once the model is disposed. @template T @param {import('./run/network.js').RunSteps<T>} steps */
      alive: steps => own.#alive(steps),
    }
  }

  /** Returns the id of a token, which may be given as a text that is a single token. @param {unknown} given @param {string} where */
  #tokenOf(given, where) {
    const { vocab } = this.#family
    if (typeof given !== 'string') return toNumber(given, where, { least: 0, most: vocab - 1, whole: true })
    const ids = this.#expectTokenizer().bare(given, vocab)
    if (ids.length === 1) {
      const token = this.decode(ids, { skipSpecialTokens: false }).trim()
      if (/^(\[UNK\]|<\|?unk\|?>)$/i.test(token) && token !== given.trim())
        throw new RangeError(
          `${where}: ${describe(given)} is no token of this model: its tokenizer reads it as ${token}`,
        )
      return ids[0]
    }
    throw new RangeError(
      `${where}: expected a text that is one token, got ${describe(given)}, which is ${ids.length} tokens${others.tokensOf(this, given)}`,
    )
  }

  get #parts() {
    const tokenOf = (/** @type {unknown} */ given, /** @type {string} */ where) => this.#tokenOf(given, where)
    return { qkv: this.#qkv, family: this.#family, weights: this.#weights, padding: this.config.pad_token_id, tokenOf }
  }

  /** Frees the memory of all weights; any later use throws. */
  dispose() {
    if (!(#weights in this)) throw proxied('model')
    this.#isDisposed = true
    this.#weights.dispose()
  }
}

/** @template T @param {T | readonly T[]} given @returns {given is readonly T[]} */
const isListOf = given => Array.isArray(given)
