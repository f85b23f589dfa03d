// The backward pass of a step: a list of kernel calls, planned once for each recorded step.

import { count } from '../base/tensor.js'
import { addAll } from '../ops/kernels.js'
import { addressOf } from '../runtime/resident.js'

/** @import { Variable } from './parameters.js' */
/** @import { Slot } from '../ops/operation.js' */
/**
 * A planned kernel call: `from` is the address of the gradient that it reads, `to` are the slots that it writes.
 * @typedef {{ name: string, from: number, to: Slot[], run: () => void }} PlannedCall
 * @typedef {object} Backward
 * @property {Variable} root
 * @property {boolean} accumulate
 * @property {boolean} isOne
 * @property {readonly PlannedCall[]} calls
 * @property {(dRoot: ArrayLike<number>) => void} run makes the calls
 * @property {() => string} toString lists the calls, one per line: name, address, slots ('+' if it adds)
 */

/**
 * Plans the backward pass of a recorded step. It walks over the operations from last to first, assigns an address to the gradient of each
 * output, and lists the kernel calls. `run` makes these calls, again each time the step is repeated with other numbers.
 * @param {import('./parameters.js').Parameters} p
 * @param {Variable} root the variable to differentiate
 * @param {boolean} accumulate add to the gradients of the parameters instead of replacing them
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
   * Addresses that no later call reads, by size in floats. The last address of a list is reused first, as its memory is likely in the
   * cache.
   * @type {Map<number, number[]>}
   */
  const spare = new Map()
  /** Size in floats at each address. @type {Map<number, number>} */
  const sizes = new Map()

  /** Addresses of temporary gradients, which `adds` of the operation being planned adds to other gradients. @type {number[]} */
  const lent = []

  /** Returns the address of memory for a gradient of x, spare or new. @param {Variable} x */
  function take({ tensor }) {
    const n = count(tensor.dims)
    const at = spare.get(n)?.pop() ?? addressOf(p.arena.take(n))
    sizes.set(at, n)
    return at
  }

  /** Frees an address if it came from `take`. @param {number} at */
  function give(at) {
    const n = sizes.get(at)
    if (n !== undefined) spare.set(n, [...(spare.get(n) ?? []), at])
  }

  /**
   * Returns the slot of a variable's gradient; undefined if the variable does not depend on parameters.
   * @param {Variable | undefined} x
   * @param {PlannedCall[]} [adds] for an operation that cannot accumulate: receives the calls that add its gradient
   * @returns {Slot | undefined}
   */
  function slotOf(x, adds) {
    if (!x?.isLearned) return undefined
    const isFirst = x.step < 0 ? !accumulate && !begun.has(x) : !x.gradient
    if (x.step < 0) begun.add(x)
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
   * Adds factor() times the values at `from` to the gradient of x.
   * @param {Variable} x
   * @param {number} from
   * @param {boolean} mayShare true if x may share the memory at `from`, as its first gradient
   * @param {() => number} factor
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
  passOn(root, top, true)
  for (let n = entries.length - 1; n >= 0; n--) {
    const { name, inputs, at, saved, output, prepared } = entries[n]
    const { passes = [], ready, overwrites, differentiate } = prepared
    const { gradient: dY } = output
    if (!dY) continue // the root does not depend on this output
    if (ready !== undefined) {
      // The forward pass has computed the gradient for dY = 1 already, as cross entropy does.
      const x = /** @type {Variable} */ (inputs[0])
      passOn(x, saved + ready * 4, output === root && isOne, () => core.floats[dY / 4])
      continue
    }
    // The gradient of an addend equals the gradient of the sum. Both share memory if no other operation writes to it before the operation
    // that made the addend has read it; else the gradient of the sum is added to that of the addend.
    const addends = passes.map(i => /** @type {Variable} */ (inputs[i]))
    for (const x of addends) {
      const before = entries[n - 1]
      const isNext = before?.output === x && !before.prepared.passes && !before.inputs.includes(addends[0])
      const isOnce = inputs.indexOf(x) === inputs.lastIndexOf(x)
      passOn(x, dY, isOnce && (x === addends[0] || isNext))
    }
    // The operation itself computes the gradients of the other inputs.
    /** @type {PlannedCall[]} */
    const adds = []
    const to = inputs.map((x, i) => (passes.includes(i) ? undefined : slotOf(x, overwrites ? adds : undefined)))
    const slots = to.flatMap(slot => slot ?? [])
    const run = () => differentiate?.(at, dY, to, saved, addressOf(output.tensor))
    if (slots.length) calls.push({ name: `${name}Backward`, from: dY, to: slots, run }, ...adds)
    for (const at of lent.splice(0)) give(at)
    if (!entries.slice(0, n).some(({ output }) => output.gradient === dY)) give(dY) // no addend shares dY
  }
  return {
    root,
    accumulate,
    isOne,
    calls,
    run(dRoot) {
      core.floats.set(dRoot, top / 4)
      // Zero all gradients first, because the root may not depend on some parameters.
      if (!accumulate && begun.size < Object.keys(p.values).length) p.all[1].data.fill(0)
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
