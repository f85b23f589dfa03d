// Measures on trained models how well the function `edges`, which estimates effects, finds the heads and edges with the largest exact
// effects. Used by tests, and by circuits.js, which prints all figures.

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { ablate, edge, edges } from 'qkv/interpret'
import { loadModel, saveModel } from 'qkv/models'
import { createRun } from '../../web/rooms/learn/training-run.js'

/** @import { Model } from 'qkv/models' */
/** @typedef {{ ids: number[], decoderIds?: number[] } | string} Text */
/** @typedef {{ logits: { position: number, token: number, weight?: number }[] }} Objective */
/** A text, and the objective to explain: the logit of the answer minus that of the second guess. @typedef {{ text: Text, of: Objective }} Question */
/** Exact effects of heads or edges, and their estimates, in the order of `names`. @typedef {{ names: string[], exact: number[], estimates: number[] }} Compared */

/** Settings that differ from the defaults of the task. The norm is on because every family of qkv/models has norms. */
const SETTINGS = { norm: true, heads: 4, steps: 1000 }
const PREFIX = 'gpt_neox.'

/**
 * Trains the task "induction" of Learn, opens it as a model of qkv/models, and returns it with questions that it can answer.
 * @param {import('qkv').Qkv} qkv
 * @param {number} seed
 * @param {number} [count] number of questions
 */
export async function inductionModel(qkv, seed, count = 8) {
  const run = createRun(qkv, 'induction', { ...SETTINGS, seed })
  while (run.steps < run.settings.steps) run.step()
  const { heldOutAccuracy } = run.evaluate()
  const files = await saveModel(neoxOf(run))
  const model = await loadModel(qkv, files, { tokenizer: false })
  const { ids, targets, T } = run.task.batch(qkv.generator(seed + 77), run.shape, count, 'heldOut')
  run.dispose()
  /** @type {Question[]} */
  const questions = []
  for (let b = 0; b < count; b++) {
    const row = [...ids.slice(b * T, (b + 1) * T)]
    const answered = Array.from({ length: T }, (_, t) => t).filter(t => targets[b * T + t] >= 0)
    const at = answered[answered.length - 1]
    questions.push(question(model, { ids: row }, at))
  }
  return { model, questions, accuracy: heldOutAccuracy }
}

/**
 * Converts the weights of a run of Learn to a GPT-NeoX checkpoint with MLPs of zeros. Rotary pairs are reordered, because Learn rotates
 * neighbouring numbers and NeoX the halves of a head.
 * @param {ReturnType<typeof createRun>} run
 */
function neoxOf({ parameters: { values }, settings: { layers, heads, d }, shape: { inputs: vocab, T } }) {
  const D = d / heads
  const inner = 4
  const config = {
    model_type: 'gpt_neox',
    architectures: ['GPTNeoXForCausalLM'],
    hidden_size: d,
    num_attention_heads: heads,
    num_hidden_layers: layers,
    intermediate_size: inner,
    vocab_size: vocab,
    max_position_embeddings: T,
    rotary_pct: 1,
    rotary_emb_base: 100,
    use_parallel_residual: false,
    hidden_act: 'relu',
    layer_norm_eps: 1e-5,
    tie_word_embeddings: false,
  }
  const zeros = (/** @type {number[]} */ ...dims) => ({ data: new Float32Array(dims.reduce((a, b) => a * b)), dims })
  /** @type {Record<string, { data: Float32Array, dims: readonly number[] }>} */
  const tensors = { [`${PREFIX}embed_in.weight`]: values.embed, 'embed_out.weight': values.unembed }
  const norm = (/** @type {string} */ to, /** @type {string} */ from) => {
    for (const what of ['weight', 'bias']) tensors[`${PREFIX}${to}.${what}`] = values[`${from}.${what}`]
  }
  norm('final_layer_norm', 'norm')
  for (let layer = 0; layer < layers; layer++) {
    const at = `layers.${layer}.`
    norm(`${at}input_layernorm`, `${layer}.norm1`)
    norm(`${at}post_attention_layernorm`, `${layer}.norm1`) // any weight is correct before an MLP of zeros
    const joined = zeros(3 * d, d)
    for (const [part, letter] of ['q', 'k', 'v'].entries())
      for (let head = 0; head < heads; head++)
        for (let i = 0; i < D; i++) {
          const row = letter === 'v' ? i : i < D / 2 ? 2 * i : 2 * (i - D / 2) + 1
          const from = (head * D + row) * d
          joined.data.set(values[`${layer}.${letter}`].data.subarray(from, from + d), ((head * 3 + part) * D + i) * d)
        }
    const own = {
      'attention.query_key_value.weight': joined,
      'attention.query_key_value.bias': zeros(3 * d),
      'attention.dense.weight': values[`${layer}.o`],
      'attention.dense.bias': zeros(d),
      'mlp.dense_h_to_4h.weight': zeros(inner, d),
      'mlp.dense_h_to_4h.bias': zeros(inner),
      'mlp.dense_4h_to_h.weight': zeros(d, inner),
      'mlp.dense_4h_to_h.bias': zeros(d),
    }
    for (const [name, tensor] of Object.entries(own)) tensors[PREFIX + at + name] = tensor
  }
  return { config, tensors }
}

/** Loads a model that ships with the page. @param {import('qkv').Qkv} qkv @param {'stories' | 'translation'} name */
export const shippedModel = (qkv, name) =>
  loadModel(qkv, fileURLToPath(new URL(`../../web/trained/${name}`, import.meta.url)), { dtype: 'float32' })

/** Makes a question whose objective is the best logit at a position minus the second best. @param {Model} model @param {Text} text @param {number} [position] @returns {Question} */
export function question(model, text, position = -1) {
  const { logits } = model.forwardSync(text)
  const row = logits?.row(0).row(position === -1 ? logits.dims[1] - 1 : position).data ?? assert.fail('no head')
  const [first, second] = Array.from(row.keys()).sort((a, b) => row[b] - row[a])
  return {
    text,
    of: {
      logits: [
        { position, token: first },
        { position, token: second, weight: -1 },
      ],
    },
  }
}

/** @param {any} node */
const nameOf = ({ kind, place, layer, head }) => [place, kind, layer, head].filter(x => x !== undefined).join(' ')

/**
 * Computes exact and estimated effects of heads and of edges, averaged over the questions. Edges lead from a head to a head or to the
 * logits. The exact effect of a head is an absolute value. Its estimate is the root of the summed squares of its edges' estimates: in a
 * plain sum they would cancel too much, in a sum of absolute values not at all.
 * @param {Model} model
 * @param {readonly Question[]} questions
 * @param {0 | 'mean'} by
 * @param {'gradient' | 'exact'} [weights] of edges
 * @returns {Promise<{ heads: Compared, edges: Compared }>}
 */
export async function compareEffects(model, questions, by, weights = 'gradient') {
  const both = model.stacks.encoder && model.stacks.decoder
  const places = both ? /** @type {const} */ (['encoder', 'decoder', 'cross']) : [undefined]
  /** @type {Map<string, number[]>[]} */
  const [heads, between] = [new Map(), new Map()]
  const put = (
    /** @type {Map<string, number[]>} */ to,
    /** @type {string} */ name,
    /** @type {number[]} */ effects,
  ) => {
    const sums = to.get(name) ?? [0, 0]
    to.set(
      name,
      sums.map((sum, n) => sum + effects[n] / questions.length),
    )
  }
  for (const { text, of } of questions) {
    const { effects, writers, readers } = await edges(model, text, { of, by, weights })
    /** @type {Record<string, import('qkv').Tensor<Float32Array>>} */
    const ablated = {}
    for (const place of places) ablated[place ?? ''] = (await ablate(model, text, { of, by, place })).effects
    for (const [n, from] of writers.entries()) {
      if (from.kind !== 'head') continue
      const exact = ablated[from.place ?? ''].at(from.layer, from.head)
      put(heads, nameOf(from), [Math.abs(exact), Math.hypot(...effects.row(n).data)])
      for (const [m, to] of readers.entries()) {
        if (to.kind === 'mlp' || effects.at(n, m) === 0) continue
        const { effect } = await edge(model, text, { of, by, from, to })
        put(between, `${nameOf(from)} -> ${nameOf(to)}`, [effect, effects.at(n, m)])
      }
    }
  }
  const compared = (/** @type {Map<string, number[]>} */ found) => ({
    names: [...found.keys()],
    exact: [...found.values()].map(([effect]) => effect),
    estimates: [...found.values()].map(([, estimate]) => estimate),
  })
  return { heads: compared(heads), edges: compared(between) }
}

/**
 * Returns the AUC of the estimates (how often a part that matters has a larger estimate than one that does not) and the correlation of
 * estimates and effects. A part matters if its exact effect is at least a tenth of the largest.
 * @param {Compared} compared
 */
export function agreement({ estimates, exact }) {
  const most = Math.max(...exact.map(Math.abs))
  const [yes, no] = [true, false].map(matters =>
    estimates.filter((_, n) => Math.abs(exact[n]) >= most / 10 === matters).map(Math.abs),
  )
  const wins = yes.flatMap(a => no.map(b => (a > b ? 1 : a === b ? 0.5 : 0)))
  const area = wins.reduce((/** @type {number} */ sum, x) => sum + x, 0) / wins.length
  const mean = (/** @type {number[]} */ x) => x.reduce((a, b) => a + b, 0) / x.length
  const [a, b] = [estimates, exact].map(list => list.map(x => x - mean(list)))
  const dot = (/** @type {number[]} */ x, /** @type {number[]} */ y) =>
    x.reduce((sum, value, n) => sum + value * y[n], 0)
  return { area, correlation: dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b)), matter: yes.length, of: exact.length }
}
