// Measures which parts of a model matter for an answer. Replaces the numbers of a part by those of another text (activation patching), or
// by zeros or means (ablation), and computes the change of an objective, exactly or by its gradient (attribution patching).

import { oneOf, readOptions, toNumber } from '../../base/arguments.js'
import { entryOf } from '../../base/entry.js'
import { describe, shape } from '../../base/errors.js'
import { toFloats } from '../../base/operand.js'
import { present } from '../../base/present.js'
import { count, Tensor } from '../../base/tensor.js'
import { Model } from '../../models/model.js'
import { checkSignal } from '../../models/run/inputs.js'
import { copyOf, meanOverRows } from '../../models/run/model-hooks.js'
import { overTexts } from '../../models/run/over-texts.js'
import { inTurns } from '../../models/run/turns.js'
import { bytesForwards, makeRoom } from '../gradients/memory-room.js'
import { gradientSteps, sizesOf } from '../gradients/model-gradients.js'
import { readObjective } from '../gradients/objective.js'
import { expectLogits } from '../gradients/readout.js'
import { inputOf } from '../input-of.js'
import { stackOf } from '../stack-of.js'
import { collectEntered, resume, valuesOf } from './resume.js'

/** @import { FloatTensor, TensorLike } from '../../base/tensor.js' */
/** @import { ModelInput } from '../../models/model.js' */
/** @import { Parts } from '../gradients/model-gradients.js' */
/** @import { GradientObjective, Objective } from '../gradients/objective.js' */
/** @import { Entered } from './resume.js' */
/**
 * @template {number | boolean} [T=number | boolean]
 * @typedef {import('../../base/tensor.js').Nested<T>} Nested
 */
/**
 * @template T
 * @typedef {import('../../models/run/over-texts.js').OverTexts<T>} OverTexts
 */
/**
 * @typedef {'heads' | 'positions' | 'heads by position' | 'neurons' | 'attention output' | 'mlp output' | 'q' | 'k' | 'v'
 *   | 'q by position' | 'k by position' | 'v by position' | 'weights'} What
 */
/**
 * What replaces numbers of a run: those of a run of the clean text, or given values, such as means over other texts.
 * @template Text
 * @typedef {{ clean: Text, positions?: Positions, by?: undefined } | { by: Values, clean?: undefined, positions?: undefined }} PatchSource
 */
/** Pairs of corresponding positions of the two texts. @typedef {{ clean: ArrayLike<number>, corrupted: ArrayLike<number> }} Positions */

/**
 * @typedef {object} PatchSettings
 * @property {Objective} of the objective, as in backward
 * @property {import('../../models/model.js').Ids} [targets] of the loss
 * @property {What} [what] 'heads' (default): the output of a head, at all positions; 'positions': the residual stream that enters a layer,
 *   at one position; 'heads by position': the output of a head at one position; 'neurons': a neuron at all positions; 'attention output',
 *   'mlp output': what is added to the residual stream, at one position; 'q', 'k', 'v': queries, keys or values of a head at all positions,
 *   'q by position', ...: the same at one position; 'weights': the attention weights of a head
 * @property {'exact' | 'gradient'} [method] 'exact' (default): runs the model with each change; 'gradient': estimates all changes to first
 *   order from one forward and one backward pass
 * @property {'decoder' | 'encoder' | 'cross'} [place] of an encoder-decoder; default the decoder
 * @property {number} [top] number of neurons whose effect is computed exactly, those with the largest estimates; default 20
 * @property {AbortSignal} [signal]
 * @property {(progress: { row: number, done: number, rows: number, effects: Float32Array, text?: number, texts?: number }) => void |
 *   Promise<void>} [onProgress] called with the effects of each layer, from the last to the first; for a list of `texts` texts, `text` is
 *   the index of the current text. If onProgress returns a promise, the next layer waits for it; meanwhile the call uses no memory of the
 *   module
 *
 * @typedef {TensorLike | Nested<number> | { [place: string]: TensorLike | Nested<number> }} Values numbers that are broadcast to the dims
 *   of the place in each layer, or an object of such numbers by place
 *
 * @typedef {PatchSettings & { corrupted: ModelInput | string } & PatchSource<ModelInput | string>} PatchOptions
 * @typedef {PatchSettings & { by?: 0 | 'mean' | Values }} AblateOptions by: the replacement, zeros (default), the mean over the positions,
 *   or given values, such as means over other texts
 *
 * An effect is the value of the objective with the change minus its value without.
 * @typedef {object} PatchResult
 * @property {FloatTensor} effects 'heads', 'q', 'weights' (layers, H), 'k', 'v' (layers, key heads); the same by position with a third
 *   axis, P positions; 'positions', 'attention output', 'mlp output' (layers, P); 'neurons' (layers, inner), which are always estimates
 * @property {number} value the objective without a change; for patch, that of the corrupted text
 * @property {number} [clean] for patch: the objective of the clean text
 * @property {{ layer: number, neuron: number, estimate: number, effect: number }[]} [top] exact effects of 'neurons' with method 'exact'
 */

/**
 * Options for a list of texts: one objective for all, or one for each.
 * @template T
 * @typedef {Omit<T, 'of' | 'targets'> & { of: Objective | readonly Objective[] }} ListOf
 */
/** @typedef {ListOf<PatchSettings> & { corrupted: readonly (ModelInput | string)[] } & PatchSource<readonly (ModelInput | string)[]>} PatchListOptions */

/** Values of `what` by their names in TransformerLens and transformers. @type {Record<string, string>} */
const OTHER_WHAT = {
  attn_out: 'attention output',
  attention: 'attention output',
  attn: 'attention output',
  mlp_out: 'mlp output',
  mlp: 'mlp output',
  resid_pre: 'positions',
  residual: 'positions',
  layers: 'positions',
  z: 'heads',
  pattern: 'weights',
  attentions: 'weights',
}
const SETTINGS = ['of', 'targets', 'what', 'method', 'place', 'top', 'signal', 'onProgress']
/**
 * For each `what`: the place within a layer, the place for cross-attention, and the cell, the unit that one change replaces (a head, a key
 * head, a row, a number, or the attention map of a head).
 */
/** @type {Record<What, Part>} */
const PARTS = {
  heads: { at: 'heads', cross: 'cross.heads', cell: 'head' },
  positions: { at: 'input', cell: 'row' },
  'heads by position': { at: 'heads', cross: 'cross.heads', cell: 'head', byPosition: true },
  neurons: { at: 'mlp.hidden', cell: 'number' },
  'attention output': { at: 'attention.output', cross: 'cross.output', cell: 'row' },
  'mlp output': { at: 'mlp.output', cell: 'row' },
  q: { at: 'attention.q', cross: 'cross.q', cell: 'head' },
  k: { at: 'attention.k', cross: 'cross.k', cell: 'key head' },
  v: { at: 'attention.v', cross: 'cross.v', cell: 'key head' },
  'q by position': { at: 'attention.q', cross: 'cross.q', cell: 'head', byPosition: true },
  'k by position': { at: 'attention.k', cross: 'cross.k', cell: 'key head', byPosition: true },
  'v by position': { at: 'attention.v', cross: 'cross.v', cell: 'key head', byPosition: true },
  weights: { at: 'attention.weights', cross: 'cross.weights', cell: 'map' },
}
/** @typedef {{ at: string, cross?: string, cell: 'head' | 'key head' | 'row' | 'number' | 'map', byPosition?: boolean }} Part */
const WHAT = /** @type {What[]} */ (Object.keys(PARTS))
/** Maximum positions per batch. Larger batches are no faster and take more memory. */
const MOST_ROWS = 512

/**
 * Replaces parts of the run of the corrupted text by those of the clean text or by given values, one at a time, and measures each effect.
 * Lists of texts are patched pairwise.
 * @template {PatchOptions | PatchListOptions} T
 * @param {Model} model
 * @param {T} options
 * @returns {Promise<T extends PatchListOptions ? OverTexts<PatchResult> : PatchResult>}
 */
export async function patch(model, options) {
  const where = 'patch'
  expectOf(options, where, 'patch(model, { clean, corrupted, of })', ['clean', 'corrupted', 'positions', 'by'])
  const { clean, corrupted, by, ...rest } = options
  if (by !== undefined) {
    if (clean !== undefined)
      throw new TypeError(`${where}: expected either clean, a text, or by, the values that replace, got both`)
    if (typeof by !== 'object' || by === null)
      throw new RangeError(`${where}: by: expected a tensor, or tensors by place, got ${describe(by)}`)
    return /** @type {any} */ (ablateEach(model, corrupted, { ...rest, by }, where, 'corrupted'))
  }
  if (!Array.isArray(clean) && !Array.isArray(corrupted))
    return /** @type {any} */ (patchOne(model, /** @type {any} */ (options)))
  if (!Array.isArray(clean) || !Array.isArray(corrupted) || clean.length !== corrupted.length || !clean.length)
    throw new RangeError(
      `${where}: expected two texts, or two lists of as many texts, got clean: ${describe(clean)} and corrupted: ${describe(corrupted)}`,
    )
  for (const [n, text] of clean.entries()) {
    inputOf(text, `${where}: clean[${n}]`)
    inputOf(corrupted[n], `${where}: corrupted[${n}]`)
  }
  return /** @type {any} */ (
    overEach(where, options, clean.length, (given, n) =>
      patchOne(model, { ...given, clean: clean[n], corrupted: corrupted[n] }),
    )
  )
}

/**
 * Runs `call` for each of several texts and collects the results.
 * @template {object} T
 * @param {string} where
 * @param {T} options of: one objective for all texts, or a list with one for each
 * @param {number} texts number of texts
 * @param {(options: any, n: number) => Promise<PatchResult>} call
 */
async function overEach(where, options, texts, call) {
  const { of, targets, onProgress } = /** @type {any} */ (options)
  if (targets !== undefined) throw new TypeError(`${where}: targets: not supported for a list of texts; leave them out`)
  if (Array.isArray(of) && of.length !== texts)
    throw new RangeError(`${where}: of: expected one objective for each of ${texts} texts, got ${of.length}`)
  const each = []
  for (let text = 0; text < texts; text++) {
    const tell =
      typeof onProgress === 'function'
        ? (/** @type {object} */ step) => onProgress({ ...step, text, texts })
        : onProgress
    each.push(await call({ ...options, of: Array.isArray(of) ? of[text] : of, onProgress: tell }, text))
  }
  return overTexts(each, ['effects', 'value', 'clean'])
}

/** @param {Model} model @param {PatchOptions} options @returns {Promise<PatchResult>} */
async function patchOne(model, options) {
  const where = 'patch'
  const given = readOptions(options, ['clean', 'corrupted', 'positions', ...SETTINGS], where)
  const clean = inputOf(given.clean, `${where}: clean`)
  const corrupted = inputOf(given.corrupted, `${where}: corrupted`)
  return run(model, given, where, function* (task) {
    const source = yield* task.read(clean, 'the clean text')
    const target = yield* task.read(corrupted, 'the corrupted text')
    const positions = align(model, given.positions, source, target)
    return { source, target, positions, numbers: source.numbers }
  })
}

/**
 * Replaces parts of the run of one or several texts by zeros, means or given values, one at a time, and measures each effect.
 * @template {ModelInput | string | readonly (ModelInput | string)[]} T
 * @param {Model} model
 * @param {T} input
 * @param {T extends readonly unknown[] ? AblateOptions | ListOf<AblateOptions> : AblateOptions} options
 * @returns {Promise<T extends readonly unknown[] ? OverTexts<PatchResult> : PatchResult>}
 */
export async function ablate(model, input, options) {
  expectOf(options, 'ablate', 'ablate(model, text, { of })', ['by'])
  return /** @type {any} */ (ablateEach(model, input, options, 'ablate', 'input'))
}

/** @param {Model} model @param {any} texts one or a list @param {AblateOptions | ListOf<AblateOptions>} options @param {string} where @param {string} name of the argument, for errors */
async function ablateEach(model, texts, options, where, name) {
  if (!Array.isArray(texts)) return ablateOne(model, texts, options, where, name)
  if (!texts.length) throw new RangeError(`${where}: expected a text or a list of texts, got no texts`)
  const names = name === 'input' ? 'texts' : name
  for (const [n, text] of texts.entries()) inputOf(text, `${where}: ${names}[${n}]`)
  return overEach(where, options, texts.length, (given, n) => ablateOne(model, texts[n], given, where, name))
}

/** @param {Model} model @param {ModelInput | string} input @param {any} options @param {string} where @param {string} name of the argument, for errors @returns {Promise<PatchResult>} */
async function ablateOne(model, input, options, where, name) {
  const given = readOptions(options, ['by', ...SETTINGS], where)
  const { by = 0 } = given
  if (by !== 0 && by !== 'mean' && !(typeof by === 'object' && by !== null))
    throw new RangeError(`${where}: by: expected 0, "mean", a tensor, or tensors by place, got ${describe(by)}`)
  const checked = inputOf(input, `${where}: ${name}`)
  return run(model, given, where, function* (task) {
    const target = yield* task.read(checked)
    const numbers = target.numbers.map((x, layer) => {
      if (by === 0) return new Tensor(new Float32Array(count(x.dims)), x.dims)
      return by === 'mean' ? meanOverRows(x) : valuesOfPlace(by, task.names[layer], x.dims, where)
    })
    const all = Array.from({ length: target.L }, (_, n) => n)
    return { source: undefined, target, positions: { clean: all, corrupted: all }, numbers }
  })
}

/** Throws if the options or their `of` are missing. @param {unknown} options @param {string} where @param {string} call @param {readonly string[]} own options of the call besides the settings */
function expectOf(options, where, call, own) {
  if (typeof options === 'object' && options !== null) {
    /** @type {{ of?: unknown }} */
    const { of } = readOptions(options, [...own, ...SETTINGS], where)
    if (of !== undefined) return
  }
  const what = typeof options === 'object' && options !== null ? 'of' : 'the options'
  throw new TypeError(
    `${where}: ${what}: expected ${call}, got ${describe(what === 'of' ? undefined : options)}; of says what is measured: ` +
      "'loss', { logits: [{ position: -1, token: 5 }] }, { classes: [{ class: 1 }] } or a function of the logits",
  )
}

/**
 * What is kept from a run.
 * @typedef {object} Read
 * @property {FloatTensor[]} numbers at the place in each layer
 * @property {number} L number of positions of the place's stack
 * @property {number[]} ids of these positions
 * @property {number} value of the objective
 * @property {Map<string, Entered>} stacks
 * @property {import('../gradients/objective.js').CheckedObjective} objective
 * @property {number} rows number of positions of the stack that computes the logits
 */

/** A run of a text together with the text, so that it can run again. @typedef {Read & { input: string | ModelInput }} Target */
/** @typedef {{ read: (input: string | ModelInput, text?: string) => import('../../models/run/network.js').RunSteps<Target>, names: string[] }} Task names: of the places */
/**
 * The changes to measure: cell by cell, `numbers` replace those of `target`. `source` is the run that `numbers` come from, if any.
 * @typedef {{ source?: Read, target: Target, positions: Positions, numbers: FloatTensor[] }} Change
 */

/**
 * Measures all changes, and reports the effects of each layer to onProgress.
 * @param {Model} model
 * @param {PatchSettings} settings
 * @param {string} where
 * @param {(task: Task) => import('../../models/run/network.js').RunSteps<Change>} start
 * @returns {Promise<PatchResult>}
 */
async function run(model, settings, where, start) {
  const checked = checkSettings(Model.parts(model), settings, where)
  const { signal, onProgress } = settings
  const rows = checked.names.length
  /** The last promise that onProgress returned. @type {Promise<void> | undefined} */
  let waiting
  const tell = (/** @type {number} */ row, /** @type {Float32Array} */ effects) => {
    const given = onProgress?.({ row, done: rows - row, rows, effects: effects.slice() })
    waiting = given instanceof Promise ? given : undefined
  }
  const pause = () => {
    const promise = waiting
    waiting = undefined
    return promise
  }
  return inTurns(checked.parts.qkv, effectsOf(checked, start, tell), { signal, layers: 0, pause })
}

/** @typedef {ReturnType<typeof checkSettings>} Checked */

/**
 * Checks the settings, fills in defaults, and lists the place in each layer whose numbers are replaced.
 * @param {Parts} parts
 * @param {PatchSettings} settings
 * @param {string} where
 */
function checkSettings(parts, settings, where) {
  const { of, targets, what = 'heads', method = 'exact', top = 20, signal, onProgress } = settings
  if (Object.hasOwn(OTHER_WHAT, what))
    throw new RangeError(`${where}: what: ${describe(what)} is ${describe(OTHER_WHAT[what])} here`)
  oneOf(what, WHAT, `${where}: what`)
  oneOf(method, ['exact', 'gradient'], `${where}: method`, {
    attribution: 'gradient',
    AtP: 'gradient',
    activation: 'exact',
  })
  toNumber(top, `${where}: top`, { least: 1, whole: true })
  checkSignal(signal, where)
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new TypeError(`${where}: onProgress: expected a function, got ${describe(onProgress)}`)
  expectLogits(parts, of, where)
  const { stack, spec, isCross } = stackOf(parts, settings.place, where)
  const part = PARTS[what]
  if (isCross && !part.cross)
    throw new RangeError(
      `${where}: place: "cross" has no ${what}; use one of "${WHAT.filter(each => PARTS[each].cross).join('", "')}" as what`,
    )
  const names = spec.layers.map((_, layer) => `${stack}layers.${layer}.${isCross ? part.cross : part.at}`)
  return { parts, of, targets, what, part, isCross, isExact: method === 'exact', top, stack, spec, names, where }
}

/**
 * Runs a text and keeps the numbers that may be replaced, and what is needed to run its layers again.
 * @param {Checked} checked
 * @param {string | ModelInput} input
 * @param {string} [text] names the text in errors
 * @returns {import('../../models/run/network.js').RunSteps<Target>}
 */
function* readText({ parts, of, targets, stack, names, what, where }, input, text) {
  /** @type {FloatTensor[]} */
  const numbers = []
  const read = (/** @type {FloatTensor} */ x) => {
    numbers.push(copyOf(x)) // hooks run in the order of the layers
  }
  const hooks = Object.fromEntries(names.map(name => [name, read]))
  const { stacks, entered } = collectEntered(where)
  const ran = yield* parts.steps(input, { hooks, logits: 'none' }, { entered, inParts: true })
  const last = present([...stacks.values()].at(-1))[0].own
  const sizes = sizesOf(last, parts.family.vocab)
  const objective = readObjective(of, targets, sizes, text ? `${where}: ${text}` : where, parts)
  const { L, ids, marked } = entryOf(stacks, stack)[0].own.call.read
  if (marked && /^([qkv]\b|weights)/.test(what))
    throw new RangeError(
      `${where}: what: "${what}" is not covered with a globalAttentionMask, whose tokens have ${what} of their own; hooks of "global.weights" and such change them`,
    )
  const rows = last.call.read.L
  const [value] = valuesOf(parts, objective, ran.lastHiddenState, rows)
  return { input, numbers, L, ids: [...ids], value, stacks, objective, rows }
}

/**
 * Computes the effects of all changes, from the last layer to the first.
 * @param {Checked} checked
 * @param {(task: Task) => import('../../models/run/network.js').RunSteps<Change>} start
 * @param {(layer: number, effects: Float32Array) => void} tell
 * @returns {import('../../models/run/network.js').RunSteps<PatchResult>}
 */
function* effectsOf(checked, start, tell) {
  const { parts, what, isExact, spec, names, where } = checked
  const change = yield* start({ read: (input, text) => readText(checked, input, text), names })
  const { source, target } = change
  const cells = cellsOf(checked, change)
  const { size } = cells
  const effects = new Tensor(new Float32Array(names.length * size), [names.length, ...cells.dims])
  const rowOf = (/** @type {number} */ layer) => effects.data.subarray(layer * size, (layer + 1) * size)
  const result = { effects, value: target.value, ...(source && { clean: source.value }) }
  const most = Math.max(1, Math.floor(MOST_ROWS / target.L))
  makeRoom(parts.qkv, bytesForwards(spec, Math.min(most, size) * target.L), where)
  if (!isExact || what === 'neurons') {
    yield* estimate(checked, change, cells, rowOf, tell)
    if (!isExact) return result
  }
  if (what === 'neurons') return { ...result, top: yield* topNeurons(checked, change, cells, most, effects.data) }
  const all = Array.from({ length: size }, (_, cell) => cell)
  for (let layer = names.length - 1; layer >= 0; layer--) {
    const row = rowOf(layer)
    yield* changeCells(checked, change, cells, most, layer, all, (cell, effect) => {
      row[cell] = effect
    })
    tell(layer, row)
    yield []
  }
  return result
}

/**
 * Estimates each effect to first order: the change of the numbers times the gradient of the objective with respect to them.
 * @param {Checked} checked
 * @param {Change} change
 * @param {Cells} cells
 * @param {(layer: number) => Float32Array} rowOf the output row of a layer
 * @param {(layer: number, effects: Float32Array) => void} tell
 */
function* estimate({ parts, of, targets, names, where }, { target, numbers }, cells, rowOf, tell) {
  // An objective that returns only its value throws in gradientSteps.
  const given = { of: /** @type {GradientObjective} */ (of), targets, at: names }
  const { gradients } = yield* gradientSteps(parts, target.input, given, where, true)
  for (let layer = names.length - 1; layer >= 0; layer--) {
    const [from, to, d] = [numbers[layer].data, target.numbers[layer].data, gradients[names[layer]].data]
    const row = rowOf(layer)
    for (let cell = 0; cell < cells.size; cell++) {
      let sum = 0
      cells.forRuns(cell, (a, b, length) => {
        for (let i = 0; i < length; i++) sum += (from[a + i] - to[b + i]) * d[b + i]
      })
      row[cell] = sum
    }
    tell(layer, row)
    yield []
  }
}

/**
 * Computes the exact effects of the neurons with the largest estimates.
 * @param {Checked} checked
 * @param {Change} change
 * @param {Cells} cells
 * @param {number} most
 * @param {Float32Array} estimates (layers, inner)
 */
function* topNeurons(checked, change, cells, most, estimates) {
  const found = Array.from(estimates.keys())
    .sort((a, b) => Math.abs(estimates[b]) - Math.abs(estimates[a]))
    .slice(0, checked.top)
    .map(n => ({ layer: Math.floor(n / cells.size), neuron: n % cells.size, estimate: estimates[n], effect: 0 }))
  for (const layer of new Set(found.map(one => one.layer))) {
    const own = found.filter(one => one.layer === layer)
    const chosen = own.map(({ neuron }) => neuron)
    yield* changeCells(checked, change, cells, most, layer, chosen, (cell, effect) => {
      for (const one of own) if (one.neuron === cell) one.effect = effect
    })
  }
  return found
}

/**
 * Computes the exact effects of cells of a layer. That layer and all later ones run again on a batch with one row per change.
 * @param {Checked} checked
 * @param {Change} change
 * @param {Cells} cells
 * @param {number} most maximum changes per batch
 * @param {number} layer
 * @param {readonly number[]} chosen
 * @param {(cell: number, effect: number) => void} put
 */
function* changeCells({ parts, part, stack, spec, names }, { target, numbers }, cells, most, layer, chosen, put) {
  const [from, to] = [numbers[layer].data, target.numbers[layer].data]
  const differs = chosen.filter(cell => {
    let isOther = false
    cells.forRuns(cell, (a, b, length) => {
      for (let i = 0; i < length && !isOther; i++) isOther = from[a + i] !== to[b + i]
    })
    return isOther
  })
  // If the objective reads only the logits of the last row, the last layer computes only this row.
  const { terms } = target.objective
  const lastOnly =
    !part.at.startsWith('mlp') && spec.causal && !spec.parallel && !!terms?.every(({ n }) => n === target.rows - 1)
  for (let n = 0; n < differs.length; n += most) {
    const batch = differs.slice(n, n + most)
    const replace = (/** @type {FloatTensor} */ y) => {
      const made = parts.qkv.alloc([batch.length, ...y.dims.slice(1)])
      const { data } = made
      batch.forEach((cell, b) => {
        const at = b * to.length
        data.set(to, at)
        cells.forRuns(cell, (a, c, length) => data.set(from.subarray(a, a + length), at + c))
      })
      return made
    }
    const changes = { [names[layer]]: replace }
    const y = yield* resume(parts, target.stacks, { place: stack, layer, changes, size: batch.length, lastOnly })
    for (const [b, value] of valuesOf(parts, target.objective, y, target.rows).entries())
      put(batch[b], value - target.value)
  }
}

/** @typedef {ReturnType<typeof cellsOf>} Cells */

/**
 * Describes the cells of a layer: `size`, their number; `dims`, the dims of their effects; and `forRuns`. It calls a function for each
 * contiguous stretch of a cell's numbers, with the stretch's offset in the replacements, its offset in the numbers that are replaced, and
 * its length.
 * @param {Checked} checked
 * @param {Change} change
 */
function cellsOf({ part: { cell: kind, byPosition }, isCross, spec, what, where }, { numbers, target, positions }) {
  const { numHeads: H, numKvHeads: G, headDim: D } = spec.heads
  const [from, to] = [numbers[0].dims, target.numbers[0].dims]
  // Keys and values of cross-attention are indexed by positions of the encoder.
  const isOfEncoder = isCross && kind === 'key head'
  if ((isOfEncoder || kind === 'map') && String(from) !== String(to))
    throw new RangeError(`${where}: what: "${what}" is replaced as a whole: give texts of the same length`)
  const all = Array.from({ length: to[1] }, (_, n) => n)
  const { clean, corrupted } = isOfEncoder ? { clean: all, corrupted: all } : positions
  const P = corrupted.length
  const width = to[to.length - 1]
  const groups = { head: H, 'key head': G, map: H, row: P, number: width }[kind]
  const size = { head: D, 'key head': D, map: to[2] * width, row: width, number: 1 }[kind]
  /** @param {number} cell @param {(from: number, to: number, length: number) => void} use */
  const forRuns = (cell, use) => {
    if (kind === 'map') use(cell * size, cell * size, size)
    else if (kind === 'row') use(clean[cell] * width, corrupted[cell] * width, width)
    else if (byPosition) {
      const at = Math.floor(cell / P) * size
      use(clean[cell % P] * width + at, corrupted[cell % P] * width + at, size)
    } else for (let p = 0; p < P; p++) use(clean[p] * width + cell * size, corrupted[p] * width + cell * size, size)
  }
  const dims = byPosition ? [groups, P] : [groups]
  return { dims, size: count(dims), forRuns }
}

/**
 * Returns the given values of a place, broadcast to its dims.
 * @param {unknown} by a tensor, or tensors by place
 * @param {string} name of the place
 * @param {readonly number[]} dims of the numbers at the place
 * @param {string} where
 */
function valuesOfPlace(by, name, dims, where) {
  const isOne = Array.isArray(by) || Object(by).dims !== undefined || Object(by).shape !== undefined
  // As in hooks and keep: * matches every layer, and a name with a layer takes precedence.
  const given = isOne ? by : (Object(by)[name] ?? Object(by)[name.replace(/(?<=layers\.)\d+/, '*')])
  if (given === undefined)
    throw new RangeError(
      `${where}: by: no values for ${name}: expected a tensor for each layer's place, got ${describe(by)}`,
    )
  const { data, dims: own } = toFloats(given, `${where}: by${isOne ? '' : `: ${name}`}`)
  const lead = dims.length - own.length
  if (lead < 0 || own.some((size, axis) => size !== 1 && size !== dims[axis + lead]))
    throw new RangeError(
      `${where}: by: expected dims that broadcast to those of ${name}, ${shape(dims)}, got ${shape(own)}`,
    )
  const out = new Float32Array(count(dims))
  for (let n = 0; n < out.length; n++) {
    let [at, step, rest] = [0, 1, n]
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      const size = own[axis - lead] ?? 1
      if (size !== 1) at += (rest % dims[axis]) * step
      step *= size
      rest = Math.floor(rest / dims[axis])
    }
    out[n] = data[at]
  }
  return new Tensor(out, [...dims])
}

/**
 * Returns the pairs of corresponding positions: the given ones, or all positions if both texts have the same length.
 * @param {Model} model
 * @param {Positions | undefined} given
 * @param {Read} source
 * @param {Read} target
 * @returns {Positions}
 */
function align(model, given, source, target) {
  const where = 'patch'
  if (given === undefined) {
    const all = Array.from({ length: source.L }, (_, n) => n)
    if (source.L === target.L) return { clean: all, corrupted: all }
    const [a, b] = [source, target].map(({ L, ids }) => `${L} tokens${tokensOf(model, ids)}`)
    throw new RangeError(
      `${where}: the clean text has ${a}, the corrupted text ${b}: ` +
        'give texts of the same length, or positions: { clean: [...], corrupted: [...] }, lists of the positions that belong together',
    )
  }
  const read = readOptions(given, ['clean', 'corrupted'], `${where}: positions`)
  /** @type {['clean' | 'corrupted', typeof source][]} */
  const both = [
    ['clean', source],
    ['corrupted', target],
  ]
  const [clean, corrupted] = both.map(([name, { L }]) => {
    const list = read[name]
    if (!Array.isArray(list) || !list.length)
      throw new TypeError(`${where}: positions.${name}: expected a list of positions, got ${describe(list)}`)
    const twice = list.find((p, n) => list.indexOf(p) < n)
    if (twice !== undefined)
      throw new RangeError(`${where}: positions.${name}: expected each position once, got ${describe(twice)} twice`)
    return list.map((p, n) => toNumber(p, `${where}: positions.${name}[${n}]`, { least: 0, most: L - 1, whole: true }))
  })
  if (clean.length !== corrupted.length)
    throw new RangeError(
      `${where}: positions: expected lists of equal length, got ${clean.length} positions of the clean text and ${corrupted.length} of the corrupted one`,
    )
  return { clean, corrupted }
}

/** Returns the tokens of some ids for an error; '' without a tokenizer. @param {Model} model @param {number[]} ids */
function tokensOf(model, ids) {
  try {
    return ` (${ids.map(id => model.decode([id])).join('|')})`
  } catch {
    return ''
  }
}
