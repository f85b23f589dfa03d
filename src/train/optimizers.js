// The update rules of torch.optim, on all parameters at once.

import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { describe } from '../base/errors.js'
import { count } from '../base/tensor.js'
import { launch, UNIT } from '../ops/launch.js'
import { ResidentTensor } from '../runtime/resident.js'
import { addressOf, copies, fill, Parameters } from './parameters.js'

/** @typedef {import('../base/tensor.js').Tensor<Float32Array>} FloatTensor */
/** @typedef {{ lr?: number, weightDecay?: number, noDecay?: readonly string[] }} OptimizerOptions noDecay: names whose weights do not decay */
/** @typedef {{ step: number } & Record<string, unknown>} OptimizerState step: how many were done; the rest by name, then by parameter */

const COMMON = ['lr', 'weightDecay', 'noDecay']
const NOT_NEGATIVE = { least: 0 }
const BELOW_ONE = { least: 0, most: 1 - 2 ** -53 }

/** What the optimisers share. */
export class Optimizer {
  /** The learning rate; may be set before each step. */
  lr
  /** Steps that were done. */
  steps = 0
  #p
  #where
  /** @type {{ from: number, n: number, decay: number }[]} neighbours that decay alike */
  #runs = []
  /** @type {Record<string, ResidentTensor>} */
  #state = {}

  /**
   * @internal
   * @param {string} where
   * @param {Parameters} p
   * @param {OptimizerOptions} options as readOptions has read them
   * @param {{ lr?: number, weightDecay: number }} defaults
   * @param {readonly string[]} state names of what it keeps for each parameter
   */
  constructor(where, p, options, defaults, state) {
    if (!(p instanceof Parameters))
      throw new TypeError(`${where}: ${describe(p)} given, what parameters() returns expected`)
    this.#p = p
    this.#where = where
    this.lr = toNumber(options.lr ?? defaults.lr, `${where}: lr`, NOT_NEGATIVE)
    const decay = toNumber(options.weightDecay ?? defaults.weightDecay, `${where}: weightDecay`, NOT_NEGATIVE)
    const { noDecay = [] } = options
    if (!Array.isArray(noDecay))
      throw new TypeError(`${where}: noDecay: ${describe(noDecay)} given, an array of names expected`)
    for (const name of noDecay)
      if (!Object.hasOwn(p.values, name))
        throw new RangeError(`${where}: noDecay: there is no parameter ${describe(name)}`)
    for (const [name, { dims }] of Object.entries(p.values)) {
      const n = Math.ceil(count(dims) / 4) * 4
      const own = noDecay.includes(name) ? 0 : decay
      const last = this.#runs[this.#runs.length - 1]
      if (last?.decay === own) last.n += n
      else this.#runs.push({ from: p.offsets[name], n, decay: own })
    }
    try {
      for (const name of state) this.#state[name] = new ResidentTensor(p.core, [p.all.n])
    } catch (error) {
      this.dispose()
      throw error
    }
  }

  /**
   * @internal
   * Runs a kernel on all parameters.
   * @param {string} kernel
   * @param {(decay: number, lr: number) => number[]} rates its arguments behind the arrays and their length
   */
  update(kernel, rates) {
    const { core, all } = this.#p
    const lr = toNumber(this.lr, `${this.#where}: lr`, NOT_NEGATIVE)
    const arrays = [all.values, all.gradients, ...Object.values(this.#state)].map(tensor => addressOf(tensor))
    const others = kernel === 'qkv_sgd' && arrays.length < 3 ? [0] : [] // no momentum
    core.scope(() => {
      for (const { from, n, decay } of this.#runs)
        launch(
          core,
          kernel,
          [...arrays.map(at => at + from * 4), ...others, n, ...rates(decay, lr)],
          Math.ceil(n / UNIT),
          arrays.length * n,
        )
    })
    this.steps++
  }

  /** The same part of the state for each parameter. @returns {Record<string, Record<string, FloatTensor>>} */
  #parts() {
    const { values, offsets } = this.#p
    const partsOf = (/** @type {ResidentTensor} */ all) =>
      Object.fromEntries(Object.entries(values).map(([name, { dims }]) => [name, all.part(offsets[name], dims)]))
    return Object.fromEntries(Object.entries(this.#state).map(([name, all]) => [name, partsOf(all)]))
  }

  /** A copy of what it remembers. @returns {OptimizerState} */
  stateDict() {
    return {
      step: this.steps,
      ...Object.fromEntries(Object.entries(this.#parts()).map(([name, parts]) => [name, copies(parts)])),
    }
  }

  /** Goes on from a state of the same names and dims. @param {OptimizerState} state @returns {this} */
  loadStateDict(state) {
    const { step: done, ...groups } = readOptions(
      state,
      ['step', ...Object.keys(this.#state)],
      `${this.#where}: loadStateDict`,
    )
    const steps = toNumber(done, `${this.#where}: loadStateDict: step`, { least: 0, whole: true })
    const flat = (/** @type {Record<string, unknown>} */ groups) =>
      Object.fromEntries(
        Object.entries(groups).flatMap(([group, parts]) =>
          Object.entries(parts ?? {}).map(([name, value]) => [`${group}.${name}`, value]),
        ),
      )
    fill(flat(this.#parts()), flat(groups), `${this.#where}: loadStateDict`)
    this.steps = steps
    return this
  }

  /** Gives the memory of its state back. */
  dispose() {
    for (const tensor of Object.values(this.#state)) tensor.dispose()
  }
}

/** torch.optim.SGD. */
export class SGD extends Optimizer {
  #momentum
  #dampening
  #nesterov

  /** @param {Parameters} p @param {OptimizerOptions & { lr: number, momentum?: number, dampening?: number, nesterov?: boolean }} options */
  constructor(p, options) {
    const given = readOptions(options, [...COMMON, 'momentum', 'dampening', 'nesterov'], 'SGD')
    const { momentum = 0, dampening = 0, nesterov = false } = given
    toNumber(momentum, 'SGD: momentum', NOT_NEGATIVE)
    toNumber(dampening, 'SGD: dampening')
    if (toBoolean(nesterov, 'SGD: nesterov') && (momentum === 0 || dampening !== 0))
      throw new RangeError('SGD: nesterov: momentum above 0 and no dampening expected beside it')
    super('SGD', p, given, { weightDecay: 0 }, momentum ? ['momentumBuffer'] : [])
    this.#momentum = momentum
    this.#dampening = dampening
    this.#nesterov = nesterov
  }

  /** Changes the parameters by their gradients. */
  step() {
    const isFirst = this.steps === 0 // the buffer becomes the gradient, not dampened
    const [momentum, take] = isFirst ? [0, 1] : [this.#momentum, 1 - this.#dampening]
    const [ahead, back] = this.#nesterov ? [1, this.#momentum] : [0, 1]
    this.update('qkv_sgd', (decay, lr) => [decay, momentum, take, ahead, back, lr])
  }
}

/** torch.optim.Adam. */
export class Adam extends Optimizer {
  #betas
  #eps
  #isDecoupled

  /**
   * @param {Parameters} p
   * @param {OptimizerOptions & { betas?: readonly [number, number], eps?: number }} [options] as in PyTorch: lr 1e-3,
   *   betas [0.9, 0.999], eps 1e-8, weightDecay 0 (of AdamW 0.01)
   */
  constructor(p, options = {}) {
    const where = new.target === AdamW ? 'AdamW' : 'Adam'
    const weightDecay = where === 'AdamW' ? 0.01 : 0
    const given = readOptions(options, [...COMMON, 'betas', 'eps'], where)
    const { betas = [0.9, 0.999], eps = 1e-8 } = given
    if (!Array.isArray(betas) || betas.length !== 2)
      throw new TypeError(`${where}: betas: ${describe(betas)} given, two numbers expected`)
    const both = betas.map((beta, i) => toNumber(beta, `${where}: betas[${i}]`, BELOW_ONE))
    toNumber(eps, `${where}: eps`, NOT_NEGATIVE)
    super(where, p, given, { lr: 1e-3, weightDecay }, ['expAvg', 'expAvgSq'])
    this.#betas = both
    this.#eps = eps
    this.#isDecoupled = where === 'AdamW'
  }

  /** Changes the parameters by their gradients. */
  step() {
    const [beta1, beta2] = this.#betas
    const step = this.steps + 1
    const root = Math.sqrt(1 - beta2 ** step)
    this.update('qkv_adam', (decay, lr) => {
      const [inGradient, keep] = this.#isDecoupled ? [0, 1 - lr * decay] : [decay, 1]
      return [beta1, 1 - beta1, beta2, 1 - beta2, inGradient, keep, lr / (1 - beta1 ** step), root, this.#eps]
    })
  }
}

/** torch.optim.AdamW: weights decay apart from the gradients. */
export class AdamW extends Adam {}

/**
 * Scales all gradients so that their norm is at most `maxNorm`: torch.nn.utils.clip_grad_norm_.
 * @param {Parameters} p
 * @param {number} maxNorm
 * @returns {number} the norm before
 */
export function clipGradNorm(p, maxNorm) {
  if (!(p instanceof Parameters))
    throw new TypeError(`clipGradNorm: ${describe(p)} given, what parameters() returns expected`)
  const most = toNumber(maxNorm, 'clipGradNorm: maxNorm', { least: 0, open: true })
  const { core, all } = p
  const { n } = all
  const at = addressOf(all.gradients)
  return core.scope(() => {
    const units = Math.ceil(n / UNIT)
    const sums = core.allocFloats(units)
    launch(core, 'qkv_sum_squares', [at, sums, n], units, n)
    let sum = 0
    for (let u = 0; u < units; u++) sum += core.floats[sums / 4 + u]
    const norm = Math.sqrt(sum)
    const factor = most / (norm + 1e-6)
    if (!(factor >= 1)) launch(core, 'qkv_combine', [0, 0, at, at, n, UNIT, 2 ** 32 - 1, factor, 0], units, 2 * n)
    return norm
  })
}

/**
 * A learning rate for each step, counted from 0: up in a straight line for `warmup` steps, then constant; or, with
 * `total`, down along a cosine to `least` at step `total`. torch.optim.lr_scheduler.LinearLR and CosineAnnealingLR.
 * @param {number} lr
 * @param {{ warmup?: number, total?: number, least?: number }} [options]
 * @returns {(step: number) => number} `optimizer.lr = rate(step)`
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
