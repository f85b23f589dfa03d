// Plans the backward pass of a step as a list of kernel calls, once for each recorded step.

import { count } from '../base/tensor.js'
import { addAll } from '../ops/kernels.js'
import { addressOf } from '../runtime/resident.js'

/** @import { Variable } from './parameters.js' */
/** @import { Slot } from '../ops/operation.js' */
/**
 * A planned kernel call. It reads the gradient at the address `from`, and writes to the slots `to`.
 * @typedef {{ name: string, from: number, to: Slot[], run: () => void }} PlannedCall
 * @typedef {object} Backward
 * @property {Variable} root the variable to differentiate
 * @property {boolean} accumulate true adds to the gradients of the parameters
 * @property {boolean} isOne true if the gradient of the root is 1
 * @property {readonly PlannedCall[]} calls
 * @property {(dRoot: ArrayLike<number>) => void} run makes the calls
 * @property {() => string} toString lists the calls, one per line: name, address, slots ('+' if it adds)
 */

/**
 * Plans the backward pass of a recorded step. Goes through the operations from last to first, assigns an address to the gradient of each
 * output, and lists the kernel calls. `run` makes these calls, for this step and for its repetitions with other numbers.
 * @param {import('./parameters.js').Parameters} p
 * @param {Variable} root the variable to differentiate
 * @param {boolean} accumulate true adds to the gradients of the parameters instead of replacing them
 * @param {boolean} isOne true if the gradient of the root is 1
 * @returns {Backward}
 */
export function planBackward(p, root, accumulate, isOne) {
  const { core, entries } = p
  /** @type {PlannedCall[]} */
  const calls = []
  /** Parameters whose gradient has been written at least once. @type {Set<Variable>} */
  const begun = new Set()

  /**
   * Addresses that no later call reads, by size in floats. The last one of a list is reused first, because it is likely in the CPU's cache.
   * @type {Map<number, number[]>}
   */
  const spare = new Map()
  /** Size in floats at each address. @type {Map<number, number>} */
  const sizes = new Map()

  /** Addresses of temporary gradients, which the current operation's `adds` add to other gradients. @type {number[]} */
  const lent = []

  /** Returns an address, spare or new, for a gradient of x. @param {Variable} x */
  function take({ tensor }) {
    const n = count(tensor.dims)
    const at = spare.get(n)?.pop() ?? addressOf(p.arena.take(n))
    sizes.set(at, n)
    return at
  }

  /** Makes an address spare, if it came from `take`. @param {number} at */
  function give(at) {
    const n = sizes.get(at)
    if (n !== undefined) spare.set(n, [...(spare.get(n) ?? []), at])
  }

  /**
   * Returns the slot to which an operation writes the gradient of x.
   * @param {Variable | undefined} x
   * @param {PlannedCall[]} [adds] given for an operation that cannot accumulate: its gradient is written to a temporary slot, and the call
   *   that adds it to the gradient of x is appended here
   * @returns {Slot | undefined} undefined if x does not depend on parameters
   */
  function slotOf(x, adds) {
    if (!x?.isLearned) return undefined
    const isParameter = x.step < 0
    const isFirst = isParameter ? !accumulate && !begun.has(x) : !x.gradient
    if (isParameter) begun.add(x)
    else if (isFirst) x.gradient = take(x)
    const { gradient: at } = x
    if (isFirst || !adds) return { at, accumulate: isFirst ? 0 : 1 }
    const own = take(x)
    const run = () => addAll(core, at, own, at, count(x.tensor.dims))
    adds.push({ name: 'add', from: own, to: [{ at, accumulate: 1 }], run })
    lent.push(own)
    return { at: own, accumulate: 0 }
  }

  /**
   * Plans to add factor() times the values at `from` to the gradient of x, or makes `from` the address of that gradient.
   * @param {Variable} x
   * @param {number} from
   * @param {boolean} mayShare true if x may use the memory at `from` as its gradient, if it has none yet
   * @param {() => number} factor called when the plan runs
   */
  function passOn(x, from, mayShare, factor = () => 1) {
    if (mayShare && x.isLearned && !x.gradient) x.gradient = from
    else {
      const to = slotOf(x)
      if (!to) return
      const run = () => addAll(core, to.accumulate && to.at, from, to.at, count(x.tensor.dims), factor())
      calls.push({ name: 'add', from, to: [to], run })
    }
  }

  for (const { output } of entries) output.gradient = 0
  const top = take(root)
  passOn(root, top, true) // the gradient of the root is at `top`, or is added from there to that of a parameter
  for (let n = entries.length - 1; n >= 0; n--) {
    const { name, inputs, at, saved, output, prepared } = entries[n]
    const { passes = [], ready, overwrites, differentiate } = prepared // see Prepared in operation.js
    const { gradient: dY } = output
    if (!dY) continue // the root does not depend on this output
    if (ready !== undefined) {
      // The forward pass of cross entropy has saved the gradient for dY = 1. It only has to be multiplied by dY.
      const x = /** @type {Variable} */ (inputs[0])
      passOn(x, saved + ready * 4, output === root && isOne, () => core.floats[dY / 4])
      continue
    }
    // dY is also the gradient of each addend of a sum. It is added to an addend's gradient, or becomes it without a copy:
    // - for the first addend, because the others copy dY before anything else is added to it
    // - for another addend, if the operation before made it and so reads dY next. That operation must not add to the gradient of the first
    //   addend, which is the same memory, nor pass dY on.
    const addends = passes.map(i => /** @type {Variable} */ (inputs[i]))
    for (const x of addends) {
      const before = entries[n - 1]
      const isNext = before?.output === x && !before.prepared.passes && !before.inputs.includes(addends[0])
      const isOnce = inputs.indexOf(x) === inputs.lastIndexOf(x)
      passOn(x, dY, isOnce && (x === addends[0] || isNext))
    }
    // The operation itself computes the gradients of inputs that are not addends.
    /** @type {PlannedCall[]} */
    const adds = []
    const to = inputs.map((x, i) => (passes.includes(i) ? undefined : slotOf(x, overwrites ? adds : undefined)))
    const slots = to.flatMap(slot => slot ?? [])
    const run = () => differentiate?.(at, dY, to, saved, addressOf(output.tensor))
    if (slots.length) calls.push({ name: `${name}Backward`, from: dY, to: slots, run }, ...adds)
    for (const at of lent.splice(0)) give(at)
    if (!entries.slice(0, n).some(({ output }) => output.gradient === dY)) give(dY) // no addend shares the memory of dY
  }
  return {
    root,
    accumulate,
    isOne,
    calls,
    run(dRoot) {
      core.floats.set(dRoot, top / 4)
      // Zeroes all gradients first if the root does not depend on some parameters.
      const [, gradients] = p.all
      if (!accumulate && begun.size < Object.keys(p.values).length) gradients.data.fill(0)
      const before = accumulate ? (p.reached ?? []) : []
      p.reached = new Set([...before, ...Array.from(begun, ({ tensor }) => tensor)])
      for (const { run } of calls) core.scope(run)
    },
    toString: () => calls.map(textOf).join('\n'),
  }
}

/** @param {PlannedCall} call */
const textOf = ({ name, from, to }) =>
  `${name}: ${from} -> ${to.map(({ at, accumulate }) => `${accumulate ? '+' : ''}${at}`).join(', ')}`
