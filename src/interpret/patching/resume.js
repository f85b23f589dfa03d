// Runs a model again from one of its layers on, with a batch of changes at one place. Everything before the place is the same for all
// changes and runs once; from the place on, the batch has one row per change.

import { entryOf } from '../../base/entry.js'
import { copyOf } from '../../models/run/model-hooks.js'
import { headInput, lastNorm, ModelOperations, makeLogits, placeOf, runLayer } from '../../models/run/network.js'

/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { Layer, Projected } from '../../models/run/network.js' */
/** @import { LinearSpec, PartSpec } from '../../models/family-shapes/parts.js' */
/** @import { Parts } from '../gradients/model-gradients.js' */
/** @import { CheckedObjective } from '../gradients/objective.js' */
/**
 * The input of each layer of a stack in a run of one text, and the output of the last.
 * @typedef {{ own: Layer, h: FloatTensor }[]} Entered
 */
/**
 * Maps the numbers at a place, (1, L, ...), to those of a batch of changes, (N, L, ...).
 * @typedef {(y: FloatTensor) => FloatTensor} Change
 */

/** The operations of a run that processes one text up to a place and a batch from there on. */
export class BranchingOperations extends ModelOperations {
  #changes
  #size

  /**
   * @param {import('../../qkv.js').Qkv} qkv
   * @param {import('../../models/weights/weights.js').ModelWeights} weights
   * @param {Record<string, Change>} [changes] by place
   * @param {number} [size] of the batch; needed only if attention weights are changed
   */
  constructor(qkv, weights, changes = {}, size = 1) {
    super(qkv, weights)
    this.#changes = changes
    this.#size = size
  }

  /** @override @param {string} name */
  sees(name) {
    return Object.hasOwn(this.#changes, name)
  }

  /** @override @param {string} name @param {FloatTensor} y @returns {FloatTensor} */
  hook(name, y) {
    return this.sees(name) ? this.#changes[name](y) : y
  }

  /** @override @param {string} name @param {FloatTensor} y */
  hookHeads(name, y) {
    return this.hook(name, y)
  }

  /** Broadcasts one text to a batch of N equal texts. @param {FloatTensor} x @param {number} N */
  widen(x, N) {
    if (x.dims[0] === N) return x
    const wide = this.qkv.alloc([N, ...x.dims.slice(1)])
    const [from, to] = [x.data, wide.data]
    for (let n = 0; n < N; n++) to.set(from, n * from.length)
    return wide
  }

  /** @override @param {LinearSpec} spec @param {FloatTensor} x @param {import('../../models/run/network.js').DenseOptions} [options] */
  dense(spec, x, options = {}) {
    const { residual } = options
    if (!residual) return super.dense(spec, x, options)
    const N = Math.max(x.dims[0], residual.dims[0])
    return super.dense(spec, this.widen(x, N), { ...options, residual: this.widen(residual, N) })
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b */
  add(a, b) {
    const N = Math.max(a.dims[0], b.dims[0])
    return super.add(this.widen(a, N), this.widen(b, N))
  }

  /** @override @param {FloatTensor} a @param {FloatTensor} b @param {FloatTensor} [c] */
  sumOfMaps(a, b, c) {
    const N = Math.max(a.dims[0], b.dims[0])
    return copyOf(super.sumOfMaps(this.widen(a, N), this.widen(b, N), c && this.widen(c, N)))
  }

  /** @override @param {FloatTensor} x @param {import('../../ops/rope/forward.js').RopeOptions & Record<'cos' | 'sin', FloatTensor>} options */
  rope(x, options) {
    const [cos, sin] = [options.cos, options.sin].map(turns => this.widen(turns, x.dims[0]))
    return super.rope(x, { ...options, cos, sin })
  }

  /**
   * @override
   * @param {Layer} own
   * @param {PartSpec} part
   * @param {Projected} projected
   * @param {FloatTensor[]} live
   */
  mix(own, part, { q, k, v, bias }, live) {
    const weights = `${placeOf(own, part)}.weights`
    const isEdited = this.sees(weights)
    this.hooks = isEdited ? { [weights]: this.#changes[weights] } : undefined
    const N = isEdited ? this.#size : Math.max(...[q, k, v].map(({ dims }) => dims[0]))
    const wide = {
      q: this.widen(q, N),
      k: this.widen(k, N),
      v: this.widen(v, N),
      bias: bias && copyOf(this.widen(bias, N)),
    }
    return super.mix(own, part, wide, live)
  }
}

/**
 * Returns a call that runs a layer again with other operations, without keeping results or calling observers.
 * @param {import('../../models/run/network.js').Call} call
 * @param {ModelOperations} ops
 * @returns {import('../../models/run/network.js').Call}
 */
export function quiet(call, ops) {
  const never = () => false
  return {
    ...call,
    ops,
    record: undefined,
    entered: undefined,
    keepWeights: never,
    keepHidden: never,
    keepCross: never,
    lastOnly: false,
  }
}

/**
 * Returns a map of stacks for resume, and the function `entered` that collects the input of each layer in it during a run.
 * @param {string} where
 */
export function collectEntered(where) {
  /** @type {Map<string, Entered>} */
  const stacks = new Map()
  return {
    stacks,
    /** @param {Layer} own @param {FloatTensor} h */
    entered: (own, h) => {
      const { place } = own.call
      if (h.dims[0] !== 1) throw new RangeError(`${where}: expected one text, got ${h.dims[0]}`)
      const list = stacks.get(place) ?? []
      stacks.set(place, list)
      list.push({ own, h: copyOf(h) })
    },
  }
}

/**
 * Runs a batch of N changes at places of one layer and returns the last hidden states, (N, L, d), or (N, 1, d) with lastOnly.
 * @param {Parts} parts
 * @param {Map<string, Entered>} stacks of the run without changes
 * @param {{ place: string, layer: number, changes: Record<string, Change>, size?: number, lastOnly?: boolean }} from place: prefix of the stack;
 *   size: of the batch; needed only if attention weights are changed
 * @returns {import('../../models/run/network.js').RunSteps<FloatTensor>}
 */
export function* resume({ qkv, weights, family }, stacks, { place, layer: first, changes, size, lastOnly = false }) {
  const ops = new BranchingOperations(qkv, weights, changes, size)
  const order = [...stacks.keys()]
  /** @type {FloatTensor | undefined} */
  let hidden
  for (const stack of order.slice(order.indexOf(place))) {
    const layers = entryOf(stacks, stack)
    const isFirst = stack === place
    const { call, stack: spec } = layers[0].own
    const encoded = isFirst ? call.encoded : { hidden, mask: call.encoded?.mask, keys: [] }
    const again = { ...quiet(call, ops), encoded, lastOnly: lastOnly && stack !== 'encoder.' }
    const start = isFirst ? first : 0
    let { h } = layers[start]
    for (let layer = start; layer < spec.layers.length; layer++) {
      h = yield* runLayer({ ...layers[layer].own, call: again }, spec.layers[layer], h)
      yield [h]
    }
    const y = lastNorm(spec, stack, ops, h)
    if (family.encoder && family.decoder && stack === 'encoder.') hidden = copyOf(y)
    else return y
  }
  throw new Error('resume: there is no such stack')
}

/** Returns the rows of text n of y (N, L, d) as float64. @param {FloatTensor} y @param {number} n */
export function doublesOf({ data, dims: [, L, d] }, n) {
  return Array.from({ length: L }, (_, i) => Float64Array.from(data.subarray((n * L + i) * d, (n * L + i + 1) * d)))
}

/**
 * Returns the value of an objective for each text of a batch of last hidden states.
 * @param {Parts} parts
 * @param {CheckedObjective} objective
 * @param {FloatTensor} y (N, L, d), or the last rows (N, 1, d)
 * @param {number} L
 * @returns {number[]}
 */
export function valuesOf({ qkv, weights, family }, objective, y, L) {
  const [N, rows] = y.dims
  const ops = new ModelOperations(qkv, weights)
  const { terms, readout } = objective
  if (readout) return Array.from({ length: N }, (_, n) => readout(doublesOf(y, n)).value)
  if (!terms)
    return Array.from({ length: N }, (_, n) =>
      qkv.scope(() => {
        const { value } = objective.evaluate(qkv, makeLogits(family, ops, copyOf(y.slice(0, n, n + 1))))
        if (value === undefined)
          throw new TypeError('of: its function gave no value: return a number, or { value, gradient }')
        return value
      }),
    )
  const { head } = family
  const { scale = 1, softcap: cap } = head
  return qkv.scope(() => {
    const u = headInput(head, ops, y)
    const C = u.dims[2]
    const learned = terms.map(({ token }) => weights.head.row(token)) // may grow the memory, which detaches views
    const states = u.data
    return Array.from({ length: N }, (_, b) =>
      terms.reduce((sum, { n, weight }, t) => {
        const at = (b * rows + n - (L - rows)) * C
        const { weight: row, bias } = learned[t]
        let z = 0
        for (let c = 0; c < C; c++) z += states[at + c] * row[c]
        z = z * scale + bias
        return sum + weight * (cap ? cap * Math.tanh(z / cap) : z)
      }, 0),
    )
  })
}
