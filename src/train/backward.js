// The plan of the gradients of a step: which operation adds what to which address. Made once for a recorded step.

import { count } from '../base/tensor.js'
import { launch, UNIT } from '../ops/launch.js'

/** @typedef {import('./parameters.js').Parameters} Parameters */
/** @typedef {import('./parameters.js').Variable} Variable */
/** @typedef {import('./parameters.js').Entry} Entry */
/** @typedef {{ at: number, accumulate: 0 | 1 }} Slot where a gradient goes; with accumulate it is added to what is there */

export class Backward {
  #p
  /** @type {(() => void)[]} */
  #runs = []
  #entry = -1
  /** @type {Set<Variable>} parameters whose gradient has begun */
  #begun = new Set()

  /** @param {Parameters} p @param {Variable} root @param {boolean} accumulate onto the gradients of the parameters */
  constructor(p, root, accumulate) {
    this.#p = p
    this.mark = p.arena.mark
    this.root = root
    this.accumulate = accumulate
    for (const { output } of p.entries) output.gradient = 0
    root.gradient = p.arena.take(count(root.dims))
    for (this.#entry = p.entries.length - 1; this.#entry >= 0; this.#entry--) {
      const { output, backward } = p.entries[this.#entry]
      if (!output.gradient) continue
      const run = backward(output.gradient, this)
      if (run) this.#runs.push(run)
    }
  }

  /** Is this the gradient of a loss that is not weighed? @param {number} dY */
  isRoot(dY) {
    return dY === this.root.gradient && !this.root.dims.length
  }

  /** @param {number} n floats */
  take(n) {
    return this.#p.arena.take(n)
  }

  /** Where the gradient of a variable goes next; undefined: nobody wants it. @param {Variable | undefined} x @returns {Slot | undefined} */
  slot(x) {
    if (!x?.isLearned) return undefined
    if (x.ownGradient) {
      const accumulate = this.accumulate || this.#begun.has(x) ? 1 : 0
      this.#begun.add(x)
      return { at: x.ownGradient, accumulate }
    }
    if (x.gradient) return { at: x.gradient, accumulate: 1 }
    x.gradient = this.take(count(x.dims))
    return { at: x.gradient, accumulate: 0 }
  }

  /**
   * The same for a kernel that only writes: an address for it, and what adds that to the gradient.
   * @param {Variable | undefined} x
   * @returns {{ at: number, add?: () => void }} at 0: nobody wants it
   */
  fresh(x) {
    const slot = this.slot(x)
    if (!slot?.accumulate) return { at: slot?.at ?? 0 }
    const at = this.take(count(/** @type {Variable} */ (x).dims))
    return { at, add: this.adding(slot, at, count(/** @type {Variable} */ (x).dims)) }
  }

  /** slot += factor * values, or slot = factor * values. @param {Slot} slot @param {number} from @param {number} n @param {() => number} [factor] */
  adding({ at, accumulate }, from, n, factor = () => 1) {
    const { core } = this.#p
    return () => {
      const args = [0, accumulate ? at : 0, from, at, n, UNIT, 2 ** 32 - 1, factor(), 0]
      launch(core, 'qkv_combine', args, Math.ceil(n / UNIT), n)
    }
  }

  /**
   * The gradient of a sum goes to an addend as it is: in the same memory where nobody else changes it before the addend's
   * operation has read it.
   * @param {Variable} x
   * @param {number} dY
   * @param {Variable} [other] the first addend, whose gradient lies in the same memory already
   */
  pass(x, dY, other) {
    if (!x.isLearned) return undefined
    const before = this.#p.entries[this.#entry - 1]
    const reads = before?.output === x && before.name !== 'add' && before.name !== 'reshape' // these pass it on
    const isNext = !other || (x !== other && reads && !before.inputs.includes(other))
    if (!x.ownGradient && !x.gradient && isNext) {
      x.gradient = dY
      return undefined
    }
    return this.adding(/** @type {Slot} */ (this.slot(x)), dY, count(x.dims))
  }

  /** Runs it, from the gradient of the root. @param {ArrayLike<number>} dRoot */
  run(dRoot) {
    const { core, all } = this.#p
    core.floats.set(dRoot, this.root.gradient / 4)
    if (!this.accumulate && this.#begun.size < Object.keys(this.#p.values).length)
      core.floats.fill(0, all.gradients.address / 4, all.gradients.address / 4 + all.n)
    for (const run of this.#runs) {
      const { top } = core
      try {
        run()
      } finally {
        core.top = top
      }
    }
  }
}
