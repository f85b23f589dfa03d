// The backward pass of a step: a list of kernel calls, planned once for each recorded step.

import { count } from '../base/tensor.js'
import { addAll } from '../block/kernels.js'

/** @typedef {import('./parameters.js').Variable} Variable */
/** @typedef {import('./parameters.js').Entry} Entry */
/** @typedef {import('../block/operation.js').Slot} Slot */

export class Backward {
  #p
  /** @type {(() => void)[]} */
  #runs = []
  /** Parameters whose gradient has been written once. @type {Set<Variable>} */
  #begun = new Set()

  /**
   * @param {import('./parameters.js').Parameters} p
   * @param {Variable} root
   * @param {boolean} accumulate add to the gradients of the parameters instead of replacing them
   * @param {boolean} isOne is the gradient of the root 1?
   */
  constructor(p, root, accumulate, isOne) {
    this.#p = p
    this.mark = p.arena.mark
    this.root = root
    this.accumulate = accumulate
    this.isOne = isOne
    for (const { output } of p.entries) output.gradient = 0
    root.gradient = p.arena.take(count(root.dims))
    for (let n = p.entries.length - 1; n >= 0; n--)
      if (p.entries[n].output.gradient) this.#plan(p.entries[n], p.entries[n - 1])
  }

  /** @param {Entry} entry @param {Entry | undefined} before the entry that is planned next */
  #plan({ inputs, at, saved, output, prepared }, before) {
    const dY = output.gradient
    const { passes = [], ready, overwrites, differentiate } = prepared
    if (ready !== undefined)
      return this.#scale(/** @type {Variable} */ (inputs[0]), saved + ready * 4, dY, output === this.root && this.isOne)
    passes.forEach((i, n) => {
      this.#pass(inputs, i, dY, n ? inputs[passes[0]] : undefined, before)
    })
    /** @type {(() => void)[]} */
    const adds = []
    const to = inputs.map((x, i) => (passes.includes(i) ? undefined : this.#slot(x, overwrites ? adds : undefined)))
    if (to.some(slot => slot)) this.#runs.push(() => differentiate?.(at, dY, to, saved, output.address), ...adds)
  }

  /**
   * The slot of a variable's gradient; undefined if it does not depend on parameters.
   * @param {Variable | undefined} x
   * @param {(() => void)[]} [adds] for an operation that cannot accumulate: receives the calls that add its gradient
   * @returns {Slot | undefined}
   */
  #slot(x, adds) {
    if (!x?.isLearned) return undefined
    const isFirst = x.ownGradient ? !this.accumulate && !this.#begun.has(x) : !x.gradient
    if (x.ownGradient) this.#begun.add(x)
    else if (isFirst) x.gradient = this.#p.arena.take(count(x.dims))
    const at = x.ownGradient || x.gradient
    if (isFirst || !adds) return { at, accumulate: isFirst ? 0 : 1 }
    const n = count(x.dims)
    const own = this.#p.arena.take(n)
    adds.push(() => addAll(this.#p.core, at, own, at, n))
    return { at: own, accumulate: 0 }
  }

  /** x += factor from, or x = factor from. @param {Variable} x @param {number} from @param {() => number} factor */
  #add(x, from, factor) {
    const slot = this.#slot(x)
    if (!slot) return
    const { at, accumulate } = slot
    this.#runs.push(() => addAll(this.#p.core, accumulate && at, from, at, count(x.dims), factor()))
  }

  /** The gradient of x is dY times the values at `from`, which are already computed. @param {Variable} x @param {number} from @param {number} dY @param {boolean} isOne */
  #scale(x, from, dY, isOne) {
    if (isOne && x.isLearned && !x.ownGradient && !x.gradient) x.gradient = from
    else this.#add(x, from, () => this.#p.core.floats[dY / 4])
  }

  /**
   * The gradient of an addend is that of the sum. They share memory if no other operation writes to it before the addend's
   * operation has read it; else it is added to the addend's gradient.
   * @param {Entry['inputs']} inputs
   * @param {number} i
   * @param {number} dY
   * @param {Variable | undefined} other the addend whose gradient lies in the same memory already
   * @param {Entry | undefined} before
   */
  #pass(inputs, i, dY, other, before) {
    const x = /** @type {Variable} */ (inputs[i])
    if (!x.isLearned) return
    const isNext = !other || (before?.output === x && !before.prepared.passes && !before.inputs.includes(other))
    const isOnce = inputs.indexOf(x) === inputs.lastIndexOf(x)
    if (!x.ownGradient && !x.gradient && isNext && isOnce) x.gradient = dY
    else this.#add(x, dY, () => 1)
  }

  /** @param {ArrayLike<number>} dRoot gradient of the root */
  run(dRoot) {
    const { core, all } = this.#p
    core.floats.set(dRoot, this.root.gradient / 4)
    if (!this.accumulate && this.#begun.size < Object.keys(this.#p.values).length) all[1].data.fill(0)
    for (const run of this.#runs) core.scope(run)
  }
}
