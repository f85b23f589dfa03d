// The optimisers of torch.optim. Adjacent parameters of the same group are updated by one kernel call.

import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe, proxied } from '../base/errors.js'
import { Tensor } from '../base/tensor.js'
import { readState } from '../layers/state-dict.js'
import { addAll, UNIT } from '../ops/kernels.js'
import { launch } from '../ops/launch.js'
import { ADAM_STRUCT, SGD_STRUCT } from '../ops/nn-abi.js'
import { addressOf, ResidentTensor } from '../runtime/resident.js'
import { writeStruct } from '../runtime/structs.js'
import { copies, expectParameters, fill, paddedSize } from './parameters.js'

/** @import { FloatTensor } from '../base/tensor.js' */
/** @import { Parameters } from './parameters.js' */
/**
 * Parameters, by name, with separate options, as in PyTorch's param_groups.
 * @typedef {{ readonly params: readonly string[], lr?: number, weightDecay?: number }} ParamGroup
 *
 * @typedef {object} OptimizerOptions
 * @property {number} [lr]
 * @property {number} [weightDecay]
 * @property {readonly string[]} [noDecay] names of parameters without weight decay
 * @property {readonly ParamGroup[]} [paramGroups] parameters in no group use the options above
 */
/**
 * @typedef {{ step: number, [name: string]: number | FloatTensor }} OptimizerState step: number of steps; 'step.NAME': number of
 *   updates of the parameter NAME, present if it had no gradient in some steps; the rest are tensors, such as 'expAvg.NAME'
 */
/** Adjacent parameters to update in one kernel call: the address of their n values, and the address of their gradients. @typedef {{ p: number, g: number, n: number }} Run */
/**
 * The update rule of an optimiser.
 * - kernel: name of the kernel
 * - state: names of the arrays that it keeps for each parameter, such as 'expAvg'
 * - write: writes the kernel's struct for a Run that was updated `steps` times before, and returns its address. Its parameter `state` has
 *   the addresses of the arrays
 * @typedef {object} Rule
 * @property {string} kernel
 * @property {readonly string[]} state
 * @property {(core: import('../runtime/memory.js').Core, run: Run, state: number[], steps: number, decay: number, lr: number) => number} write
 */

/** Validates names of parameters of p. @param {Parameters} p @param {unknown} names @param {string} where @returns {string[]} */
function toNames(p, names, where) {
  if (!Array.isArray(names)) throw new TypeError(`${where}: expected an array of names, got ${describe(names)}`)
  return Array.from(names, name => {
    if (typeof name === 'string' && Object.hasOwn(p.values, name)) return name
    throw new RangeError(`${where}: there is no parameter ${describe(name)}`)
  })
}

/** Validates and copies the groups. Returns them, and the group of each parameter by name. @param {Parameters} p @param {unknown} given @param {string} where */
function toGroups(p, given, where) {
  if (!Array.isArray(given)) throw new TypeError(`${where}: expected an array of groups, got ${describe(given)}`)
  /** @type {Map<string, ParamGroup>} */
  const groupOf = new Map()
  const groups = Array.from(given, (options, n) => {
    const name = `${where}[${n}]`
    const { params, lr, weightDecay } = readOptions(options, ['params', 'lr', 'weightDecay'], name)
    /** @type {ParamGroup} */
    const group = {
      params: Object.freeze(toNames(p, params, `${name}: params`)),
      lr: lr === undefined ? lr : toNumber(lr, `${name}: lr`, NOT_NEGATIVE),
      weightDecay:
        weightDecay === undefined ? weightDecay : toNumber(weightDecay, `${name}: weightDecay`, NOT_NEGATIVE),
    }
    Object.defineProperty(Object.seal(group), 'params', { writable: false })
    for (const parameter of group.params) {
      if (groupOf.has(parameter)) throw new RangeError(`${name}: params: ${parameter} is in another group already`)
      groupOf.set(parameter, group)
    }
    return group
  })
  return { groups: Object.freeze(groups), groupOf }
}

const NOT_NEGATIVE = { least: 0 }
const BELOW_ONE = { least: 0, most: 1 - 2 ** -53 }

/**
 * A parameter, or several adjacent ones: n floats, from float `from` of all parameters. `missed` counts the steps in which they had no
 * gradient.
 * @typedef {{ name: string, from: number, n: number, isDecayed: boolean, group: ParamGroup | undefined, missed: number }} Part
 */

/** Joins adjacent parameters with the same group, decay and `missed`, so that one kernel call updates them. @param {readonly Part[]} parts */
function joined(parts) {
  /** @type {Part[]} */
  const runs = []
  for (const part of parts) {
    const last = runs.at(-1)
    const isSame = last?.group === part.group && last?.isDecayed === part.isDecayed && last?.missed === part.missed
    if (last && isSame && last.from + last.n === part.from) last.n += part.n
    else runs.push({ ...part })
  }
  return runs
}

/** Base class of the optimisers. */
export class Optimizer {
  /** The learning rate, which can be set before each step. A group with an `lr` uses that instead. */
  lr
  /** Steps made so far. */
  steps = 0
  #p
  #where
  #groups
  #rule
  #weightDecay
  #isDisposed = false
  /** @type {Part[]} */
  #parts = []
  /** The values of all parameters, their gradients, and each state array of the update rule, with p.n floats each. @type {FloatTensor[]} */
  #arrays
  /** The state of the update rule by name, such as 'expAvg.weight'. @type {Record<string, FloatTensor>} */
  #state
  /** The memory of `#state`. @type {ResidentTensor | undefined} */
  #memory

  /**
   * @internal Creates an optimiser.
   * @param {string} where
   * @param {Parameters} p
   * @param {OptimizerOptions} options
   * @param {{ lr?: number, weightDecay: number } & Record<string, unknown>} defaults of the options
   * @param {(options: any) => Rule} toRule validates the options of the rule
   */
  constructor(where, p, options, defaults, toRule) {
    this.#p = expectParameters(p, where)
    this.#where = where
    const known = [...new Set(['lr', 'weightDecay', 'noDecay', 'paramGroups', ...Object.keys(defaults)])]
    const given = { noDecay: [], paramGroups: [], ...defaults, ...readOptions(options, known, where) }
    this.lr = toNumber(given.lr, `${where}: lr`, NOT_NEGATIVE)
    this.#weightDecay = toNumber(given.weightDecay, `${where}: weightDecay`, NOT_NEGATIVE)
    const noDecay = toNames(p, given.noDecay, `${where}: noDecay`)
    const { groups, groupOf } = toGroups(p, given.paramGroups, `${where}: paramGroups`)
    this.#groups = groups
    this.#rule = toRule(given)
    let from = 0
    for (const [name, { dims }] of Object.entries(p.values)) {
      const n = paddedSize(dims)
      const group = groupOf.get(name)
      this.#parts.push({ name, from, n, isDecayed: !noDecay.includes(name), group, missed: 0 })
      from += n
    }
    const { state } = this.#rule
    const memory = state.length ? new ResidentTensor(p.core, [state.length, p.n]) : undefined
    const rows = state.flatMap((_, i) => memory?.row(i) ?? [])
    this.#memory = memory
    this.#arrays = [...p.all, ...rows]
    this.#state = Object.assign({}, ...rows.map((all, i) => p.parts(all, `${state[i]}.`)))
  }

  /** @param {Optimizer} optimizer */
  static #checked(optimizer) {
    if (!(#p in optimizer)) throw proxied('optimizer')
    if (optimizer.#isDisposed) throw new Error(`this ${optimizer.#where} was disposed: make another`)
    return optimizer
  }

  /** Returns the groups, whose `lr` and `weightDecay` can be set before each step. @returns {readonly ParamGroup[]} */
  get paramGroups() {
    return Optimizer.#checked(this).#groups
  }

  /** @internal Throws, because a replaced group would have no effect. */
  set paramGroups(_) {
    const where = `${Optimizer.#checked(this).#where}: paramGroups`
    throw new TypeError(`${where}: the groups cannot be replaced: set lr and weightDecay of one of them`)
  }

  /** Updates the parameters by their gradients. Parameters that no backward pass reached stay unchanged. */
  step() {
    const { core } = Optimizer.#checked(this).#p.checked()
    const { kernel, write } = this.#rule
    const rate = (/** @type {unknown} */ lr) => toNumber(lr, `${this.#where}: lr`, NOT_NEGATIVE)
    const decay = (/** @type {unknown} */ share) => toNumber(share, `${this.#where}: weightDecay`, NOT_NEGATIVE)
    const moved = this.#parts.filter(({ name }) => this.#p.hasGradient(name))
    const runs = joined(moved)
    const options = runs.map(({ isDecayed, group }) => ({
      lr: rate(group?.lr ?? this.lr),
      decay: isDecayed ? decay(group?.weightDecay ?? this.#weightDecay) : 0,
    }))
    const arrays = this.#arrays.map(addressOf)
    core.scope(() => {
      for (const [i, { from, n, missed }] of runs.entries()) {
        const { lr, decay } = options[i]
        const [p, g, ...state] = arrays.map(array => array + from * 4)
        const args = write(core, { p, g, n }, state, this.steps - missed, decay, lr)
        launch(core, kernel, [args], Math.ceil(n / UNIT), arrays.length * n)
      }
    })
    for (const part of this.#parts) if (!moved.includes(part)) part.missed++
    this.steps++
    this.#p.onChange?.()
  }

  /** Returns a copy of the state. @returns {OptimizerState} */
  stateDict() {
    const parts = Optimizer.#checked(this).#parts.filter(({ missed }) => missed > 0)
    const own = parts.map(({ name, missed }) => [`step.${name}`, this.steps - missed])
    return { step: this.steps, ...Object.fromEntries(own), ...copies(this.#state) }
  }

  /**
   * Restores a state.
   * @param {OptimizerState | Record<string, FloatTensor>} state of the same parameters, as stateDict returns it; from a file, its numbers
   *   are tensors
   * @returns {this}
   */
  loadStateDict(state) {
    if (ArrayBuffer.isView(state) || state instanceof Promise) readState(state) // throws
    const { step, ...rest } = Object(state)
    const where = `${Optimizer.#checked(this).#where}: loadStateDict: step`
    const toSteps = (/** @type {unknown} */ given, /** @type {string} */ name, most = 2 ** 53) => {
      const value = given instanceof Tensor && given.data.length === 1 ? given.data[0] : given
      return toNumber(value, name, { least: 0, most, whole: true })
    }
    const steps = toSteps(step, where)
    const missed = this.#parts.map(({ name }) => {
      const { [`step.${name}`]: own = steps } = rest
      delete rest[`step.${name}`]
      return steps - toSteps(own, `${where}.${name}`, steps)
    })
    fill(this.#state, rest)
    for (const [n, part] of this.#parts.entries()) part.missed = missed[n]
    this.steps = steps
    return this
  }

  /** Frees the memory of the state; any later use of the optimiser throws. */
  dispose() {
    if (!(#p in this)) throw proxied('optimizer')
    this.#memory?.dispose()
    this.#isDisposed = true
  }
}

/** Implements torch.optim.SGD. */
export class SGD extends Optimizer {
  /** @param {Parameters} p @param {OptimizerOptions & { lr: number, momentum?: number, dampening?: number, nesterov?: boolean }} options */
  constructor(p, options) {
    const defaults = { weightDecay: 0, momentum: 0, dampening: 0, nesterov: false }
    super('SGD', p, options, defaults, ({ momentum, dampening, nesterov }) => {
      toNumber(momentum, 'SGD: momentum', NOT_NEGATIVE)
      toNumber(dampening, 'SGD: dampening')
      if (toBoolean(nesterov, 'SGD: nesterov') && (momentum === 0 || dampening !== 0))
        throw new RangeError('SGD: nesterov: expected momentum above 0 and no dampening')
      const [ahead, back] = nesterov ? [1, momentum] : [0, 1]
      return {
        kernel: 'qkv_sgd',
        state: momentum ? ['momentumBuffer'] : [],
        write(core, { p, g, n }, [buffer = 0], steps, decay, lr) {
          const [keep, take] = steps ? [momentum, 1 - dampening] : [0, 1] // the first step sets the buffer to the gradient
          return writeStruct(core, SGD_STRUCT, { p, g, buffer, n, decay, momentum: keep, take, ahead, back, rate: lr })
        },
      }
    })
  }
}

/** Implements torch.optim.Adam. */
export class Adam extends Optimizer {
  /**
   * @param {Parameters} p
   * @param {OptimizerOptions & { betas?: readonly [number, number], eps?: number }} [options] as in PyTorch: lr 1e-3, betas [0.9, 0.999],
   *   eps 1e-8, weightDecay 0 (for AdamW 0.01)
   */
  constructor(p, options = {}) {
    const isDecoupled = new.target === AdamW
    const where = isDecoupled ? 'AdamW' : 'Adam'
    const defaults = { lr: 1e-3, weightDecay: isDecoupled ? 0.01 : 0, betas: [0.9, 0.999], eps: 1e-8 }
    super(where, p, options, defaults, ({ betas, eps }) => {
      if (!Array.isArray(betas) || betas.length !== 2)
        throw new TypeError(`${where}: betas: expected two numbers, got ${describe(betas)}`)
      const [beta1, beta2] = betas.map((beta, i) => toNumber(beta, `${where}: betas[${i}]`, BELOW_ONE))
      toNumber(eps, `${where}: eps`, NOT_NEGATIVE)
      return {
        kernel: 'qkv_adam',
        state: ['expAvg', 'expAvgSq'],
        write(core, { p, g, n }, [m, v], steps, weightDecay, lr) {
          const [decay, keep] = isDecoupled ? [0, 1 - lr * weightDecay] : [weightDecay, 1]
          const [rate, root] = [lr / (1 - beta1 ** (steps + 1)), Math.sqrt(1 - beta2 ** (steps + 1))]
          const [rest1, rest2] = [1 - beta1, 1 - beta2]
          const rates = { beta1, rest1, beta2, rest2, decay, keep, rate, root, eps }
          return writeStruct(core, ADAM_STRUCT, { p, g, m, v, n, ...rates })
        },
      }
    })
  }
}

/** Implements torch.optim.AdamW, whose weight decay is decoupled from the gradients. */
export class AdamW extends Adam {}

/**
 * Scales all gradients so that their norm is at most `maxNorm`, like torch.nn.utils.clip_grad_norm_.
 * @param {Parameters} p
 * @param {number} maxNorm
 * @returns {number} norm before clipping
 */
export function clipGradNorm(p, maxNorm) {
  const { core, all, n } = expectParameters(p, 'clipGradNorm')
  const most = toNumber(maxNorm, 'clipGradNorm: maxNorm', { least: 0, open: true })
  const at = addressOf(all[1])
  return core.scope(() => {
    const units = Math.ceil(n / UNIT)
    const sums = core.allocFloats(units)
    launch(core, 'qkv_sum_squares', [at, sums, n], units, n)
    let sum = 0
    for (let u = 0; u < units; u++) sum += core.floats[sums / 4 + u]
    const norm = Math.sqrt(sum)
    const factor = most / (norm + 1e-6)
    if (!(factor >= 1)) addAll(core, 0, at, at, n, factor)
    return norm
  })
}

/**
 * Returns the learning rate as a function of the step: linear warm-up, then constant, or with `total` a cosine. Steps count from 0. The rate
 * grows to `lr` in `warmup` steps; the cosine falls to `least` at step `total`. Like LinearLR and CosineAnnealingLR of
 * torch.optim.lr_scheduler.
 * @param {number} lr
 * @param {{ warmup?: number, total?: number, least?: number }} [options] defaults: 0, none, 0
 * @returns {(step: number) => number} a function `rate`, for `optimizer.lr = rate(step)`
 */
export function schedule(lr, options = {}) {
  const given = readOptions(options, ['warmup', 'total', 'least'], 'schedule')
  const top = toNumber(lr, 'schedule: lr', NOT_NEGATIVE)
  const warmup = toNumber(given.warmup ?? 0, 'schedule: warmup', { least: 0, whole: true })
  const total = toNumber(given.total ?? Infinity, 'schedule: total', { least: warmup + 1, whole: true, open: true })
  const least = toNumber(given.least ?? 0, 'schedule: least', { least: 0, most: top })
  return step => {
    if (step < warmup) return (top * (step + 1)) / warmup
    const share = Math.min(1, (step - warmup) / (total - warmup))
    return least + ((top - least) * (1 + Math.cos(Math.PI * share))) / 2
  }
}
