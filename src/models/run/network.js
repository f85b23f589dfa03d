// Runs the parts shared by all families: embeddings, layers of attention and MLP, the head. Letters: B batch, L queries, S keys, H query
// heads, G key heads, D size of a head, d width of the model, C columns of the embedding, V vocabulary.

import { splitHeads } from '../../base/operand.js'
import { count, Tensor } from '../../base/tensor.js'
import { PackedLinear } from '../../layers/packed-linear.js'
import { relativePositionBias } from '../../ops/attention/relative-position-bias.js'
import { add, mul } from '../../ops/elementwise/arithmetic.js'
import { layerNorm } from '../../ops/norm/layer-norm.js'
import { rmsNorm } from '../../ops/norm/rms-norm.js'
import { areSame, cutOf, kernelOptions, summaryOf, windowsOf, withWindow } from './attention-summaries.js'
import { contentMap, distanceMap, scoresOfPositions } from './disentangled.js'
import { applyHook, copyOf, hookHeads, isHooked } from './model-hooks.js'
import { ropeOf } from './stacks.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { KVCache } from '../../ops/attention/kv-cache.js' */
/** @import { ActivationName, AttentionSpec, EmbeddingSpec, Family, LinearSpec, NormSpec, PartSpec } from '../family-shapes/parts.js' */
/** @import { StackSpec } from '../family-shapes/parts.js' */
/** @import { ModelWeights } from '../weights/weights.js' */
/** @import { FusedOptions } from '../../ops/linear/forward.js' */
/** The options of attention within a run. @typedef {import('../../ops/attention/arguments.js').AttentionOptions & { bias?: FloatTensor, alibi?: FloatTensor }} MixOptions */
/** The options of a linear layer within a run; the residual is a tensor. @typedef {FusedOptions & { residual?: FloatTensor }} DenseOptions */
/** @typedef {Record<string, import('./model-hooks.js').Hook>} CheckedHooks */
/**
 * A run as steps, between which other tasks may run. Each step yields the output of a layer or, within a layer, the tensors that the rest
 * of the layer needs.
 * @template T
 * @typedef {Generator<FloatTensor | FloatTensor[], T, void>} RunSteps
 */

/**
 * The arguments of one call of a stack, and the arrays that it fills.
 * @typedef {object} Call
 * @property {Qkv} qkv
 * @property {ModelWeights} weights
 * @property {ModelOperations} ops
 * @property {string} place prefix of the names of hooks: '', 'encoder.' or 'decoder.'
 * @property {(layer: number) => boolean} keepWeights
 * @property {(layer: number) => boolean} keepHidden
 * @property {(layer: number) => boolean} keepCross
 * @property {(FloatTensor | undefined)[]} attentions
 * @property {(FloatTensor | undefined)[]} hiddenStates
 * @property {(FloatTensor | undefined)[]} crossAttentions
 * @property {import('./attention-summaries.js').CheckedSummary} summary
 * @property {{ [part in 'attention' | 'cross']: SummaryPlace }} summaries
 * @property {Uint32Array} positions (B, L)
 * @property {number} past number of keys before the first query
 * @property {boolean} lastOnly True if only the last row of the last layer is used
 * @property {Tensor<Uint8Array>} [mask] (B, 1, 1, S): 1 if visible
 * @property {{ hidden?: FloatTensor, mask?: Tensor<Uint8Array>, keys: { k: FloatTensor, v: FloatTensor }[] }} [encoded] output of the
 *   encoder, with its keys and values for each layer, computed on first use
 * @property {KVCache[]} [caches] one per layer
 * @property {boolean} [inParts] True to yield within layers
 * @property {Pick<typeof import('./turns-within.js'), 'embed' | 'dense' | 'attend'>} [within] splits long calls into steps
 * @property {(seen: Seen) => void} [record] called with every contribution to the residual stream
 * @property {number} [until] layer after which the run ends
 * @property {(layer: Layer, h: FloatTensor) => void} [entered] called with the input of each layer, and the output of the last
 * @property {import('./read-input.js').Input} read input of the stack; for packed texts B is 1, and L is the number of rows of all texts
 *
 * Summaries of attention that forward keeps, under a name.
 * @typedef {{ name: import('./attention-summaries.js').SummaryName, keeps: (layer: number) => boolean, made: (import('./attention-summaries.js').AttentionSummary | undefined)[] }} SummaryPlace
 *
 * An argument of `record`. For a `part` of a layer: the residual stream `before` it, and what it `added`, (B, L, d); or the outputs of its
 * `heads`, (B, L, H * D). Without `part`: the residual stream before the last norm.
 * @typedef {{ place: string, part?: PartSpec, layer?: number, heads?: FloatTensor, before?: FloatTensor, added?: FloatTensor }} Seen
 */

/**
 * @param {Qkv} qkv
 * @param {ModelWeights} weights
 * @param {NormSpec} spec
 * @param {FloatTensor} x
 */
export function normalize(qkv, weights, spec, x) {
  const { weight, bias } = weights.norm(spec)
  const { eps, plusOne } = spec
  if (spec.kind === 'scale') return mul(qkv, x, weight, { resident: true })
  return spec.kind === 'layer'
    ? layerNorm(qkv, x, weight, bias, { eps, resident: true })
    : rmsNorm(qkv, x, weight, { eps, plusOne, resident: true })
}

/** The operations of a run with its hooks. To compute gradients, a subclass also records the operations. */
export class ModelOperations {
  /** @param {Qkv} qkv @param {ModelWeights} weights @param {CheckedHooks} [hooks] */
  constructor(qkv, weights, hooks) {
    this.qkv = qkv
    this.weights = weights
    this.hooks = hooks
  }

  /** @param {NormSpec} spec @param {FloatTensor} x */
  norm(spec, x) {
    return normalize(this.qkv, this.weights, spec, x)
  }

  /** @param {LinearSpec} spec @param {FloatTensor} x @param {DenseOptions} [options] */
  dense(spec, x, options) {
    return this.weights.linear(spec).forward(x, { ...options, resident: true })
  }

  /**
   * Runs `dense` for up to three layers with the same x in one call if possible. Returns undefined if not, as in a subclass that overrides
   * `dense`.
   * @param {LinearSpec[]} specs
   * @param {FloatTensor} x
   * @param {ActivationName} [activation] of the first layer
   */
  denseTogether(specs, x, activation) {
    if (this.dense !== ModelOperations.prototype.dense) return undefined
    const layers = specs.map(spec => this.weights.linear(spec))
    return PackedLinear.forwardTogether(layers, x, activation)
  }

  /** @param {FloatTensor} a @param {FloatTensor} b */
  add(a, b) {
    return add(this.qkv, a, b, { resident: true })
  }

  /** Multiplies a and b; may write to a. @param {FloatTensor} a @param {FloatTensor} b */
  mul(a, b) {
    return mul(this.qkv, a, b, { out: a })
  }

  /** Returns rows of a table. @param {import('../family-shapes/parts.js').TableSpec} table @param {number} first @param {number} rows @returns {FloatTensor} */
  tableRows(table, first, rows) {
    const { data, dims } = this.weights.table(table)
    return new Tensor(data.slice(first * dims[1], (first + rows) * dims[1]), [1, rows, dims[1]])
  }

  /** @param {FloatTensor} x @param {FloatTensor} positions @param {import('./disentangled.js').MapOptions} options @returns {FloatTensor} */
  distanceMap(x, positions, options) {
    return distanceMap(this.qkv, x, positions, options)
  }

  /** @param {FloatTensor} q @param {FloatTensor} k @param {import('./disentangled.js').MapOptions} options @returns {FloatTensor} */
  contentMap(q, k, options) {
    return contentMap(this.qkv, q, k, options)
  }

  /** Computes a + b - c for maps of scores. @param {FloatTensor} a @param {FloatTensor} b @param {FloatTensor} [c] @returns {FloatTensor} */
  sumOfMaps(a, b, c) {
    return new Tensor(
      a.data.map((value, n) => value + b.data[n] - (c ? c.data[n] : 0)),
      [...a.dims],
    )
  }

  /** @param {import('../family-shapes/parts.js').Rope} rope @param {Uint32Array} positions @param {number} B */
  turns(rope, positions, B) {
    return rotations(rope, positions, B)
  }

  /** @param {FloatTensor} x @param {import('../../ops/rope/forward.js').RopeOptions} options */
  rope(x, options) {
    return this.qkv.rope(x, { ...options, resident: true })
  }

  /**
   * Computes the weighted sums of the values.
   * @param {Layer} own
   * @param {PartSpec} part
   * @param {Projected} projected
   * @param {FloatTensor[]} live tensors that the layer still needs
   * @returns {RunSteps<FloatTensor>} (B, L, H * D)
   */
  mix(own, part, projected, live) {
    return mix(own, part, projected, live)
  }

  /**
   * Returns keys and values of the encoder's output, which are computed once for all steps.
   * @param {Call['encoded']} encoded
   * @param {AttentionSpec} spec
   * @param {number} layer
   */
  crossKeys(encoded, spec, layer) {
    if (!encoded?.hidden) throw new Error('there is no encoder output')
    encoded.keys[layer] ??= {
      k: copyOf(this.dense(spec.k, encoded.hidden)),
      v: copyOf(this.dense(spec.v, encoded.hidden)),
    }
    return encoded.keys[layer]
  }

  /** True if a hook or the option `keep` reads the numbers at a place. @param {string} name */
  asks(name) {
    return isHooked(this.hooks, name)
  }

  /** True if the numbers at a place must be computed separately, so they must not be fused away. @param {string} name */
  sees(name) {
    return isHooked(this.hooks, name)
  }

  /** Applies the hook of a place, if there is one. @param {string} name @param {FloatTensor} y @returns {FloatTensor} */
  hook(name, y) {
    return applyHook(this.hooks, name, () => copyOf(y)) ?? y
  }

  /** Applies the hook of all heads, then those of single heads. @param {string} name @param {FloatTensor} y (B, L, H * D) @param {number} H @param {readonly number[]} dims of one head's part */
  hookHeads(name, y, H, dims) {
    return hookHeads(this.hooks, name, y, H, dims) ?? y
  }
}

/**
 * Embeds ids.
 * @param {EmbeddingSpec} embedding
 * @param {ModelOperations} ops
 * @param {Pick<import('./read-input.js').Input, 'ids' | 'rows' | 'types' | 'positions' | 'B' | 'L'>} input
 * @returns {FloatTensor} (B, L, C), the sum of the rows of all tables
 */
export function embed(embedding, { weights }, { ids, rows: given, types, positions, B, L }) {
  const { scale = 1, sinusoids, padding } = embedding
  const C = embedding.tokens.columns
  const out = new Float32Array(ids.length * C)
  const tables = [
    ...(embedding.positions ? [{ table: embedding.positions, rows: positions }] : []),
    ...(embedding.types ? [{ table: embedding.types, rows: types ?? new Int32Array(ids.length) }] : []),
  ]
  for (let n = 0; n < ids.length; n++) {
    const at = n * C
    const sum = out.subarray(at, at + C)
    const row = given ? given.data.subarray(at, at + C) : weights.row(embedding.tokens, ids[n])
    sum.set(row)
    if (scale !== 1) for (let c = 0; c < C; c++) sum[c] *= scale
    for (const { table, rows } of tables) {
      const more = weights.row(table, rows[n] + (table.skip ?? 0))
      for (let c = 0; c < C; c++) sum[c] += more[c]
    }
    // C / 2 sines come first, then the cosines of the same angles.
    if (sinusoids && positions[n] !== padding)
      for (let i = 0; i < C / 2; i++) {
        const { steps = C / 2 } = sinusoids
        const angle = positions[n] / 10000 ** (i / steps)
        sum[i] += Math.sin(angle)
        sum[C / 2 + i] += Math.cos(angle)
      }
  }
  return new Tensor(out, [B, L, C])
}

/**
 * Computes the input of the first layer.
 * @param {EmbeddingSpec} embedding
 * @param {ModelOperations} ops
 * @param {FloatTensor} h result of `embed`
 * @returns {FloatTensor} (B, L, d)
 */
export function enter(embedding, ops, h) {
  if (embedding.norm) h = ops.norm(embedding.norm, h)
  return embedding.project ? ops.dense(embedding.project, h) : h
}

/** @typedef {{ dim: number, cos: FloatTensor, sin: FloatTensor, interleaved?: boolean }} Turns rotations of each row, (B, L, dim / 2) */

/**
 * @param {import('../family-shapes/parts.js').Rope} rope
 * @param {Uint32Array} positions
 * @param {number} B
 * @returns {Turns}
 */
export function rotations({ dim, frequencies: usual, gain = 1, interleaved, dynamic }, positions, B) {
  let frequencies = usual
  const length = positions.reduce((most, position) => Math.max(most, position), 0) + 1
  if (dynamic && length > dynamic.length && 'frequencies' in dynamic) {
    frequencies = dynamic.frequencies
    for (let n = 0; n < positions.length; n += positions.length / B)
      if (positions[n] > 0 && positions[n] <= dynamic.length)
        throw new RangeError(
          `positions: a text of more than ${dynamic.length} tokens turns with other frequencies from its first token on: give all ids without a cache (generate: useCache: false)`,
        )
  } else if (dynamic && length > dynamic.length && 'theta' in dynamic) {
    const { theta, factor, length: old } = dynamic
    const larger = theta * ((factor * length) / old - (factor - 1)) ** (dim / (dim - 2))
    frequencies = usual.map((_, i) => larger ** ((-2 * i) / dim))
  }
  const half = frequencies.length
  const [cos, sin] = [Math.cos, Math.sin].map(f => {
    const data = new Float32Array(positions.length * half)
    positions.forEach((position, n) => {
      for (let i = 0; i < half; i++) data[n * half + i] = gain * f(position * frequencies[i])
    })
    return new Tensor(data, [B, positions.length / B, half])
  })
  return { dim, cos, sin, interleaved }
}

/** Runs all steps at once. @template T @param {RunSteps<T>} steps */
export function finish(steps) {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Runs all layers.
 * @param {StackSpec} stack
 * @param {FloatTensor} h (B, L, d)
 * @param {Call} call
 * @returns {RunSteps<FloatTensor>} after the last norm, if there is one
 */
export function* runStack(stack, h, call) {
  const { qkv, weights, ops, until } = call
  const [B, L] = h.dims
  const { relative } = stack
  /** @type {Map<unknown, Turns>} */
  const turnsOf = new Map()
  const queries = call.read.texts ? longestOf(call.read.texts) : L
  const bias =
    relative &&
    relativePositionBias(weights.table(relative.table), queries, call.past + queries, {
      bidirectional: relative.bidirectional,
      maxDistance: relative.maxDistance,
      pastLength: call.past,
    })
  const shared = { call, stack, bias }
  for (const [layer, parts] of stack.layers.entries()) {
    const before = h
    const rope = ropeOf(stack, parts[0].attention)
    if (rope && !turnsOf.has(rope)) turnsOf.set(rope, ops.turns(rope, call.positions, B))
    const own = { ...shared, layer, at: `${call.place}layers.${layer}.`, turns: turnsOf.get(rope) }
    call.entered?.(own, before)
    const steps = runLayer(own, parts, before)
    if (call.inParts) h = yield* steps
    else {
      h = qkv.scope(() => finish(steps))
      if (layer > 0) free(before)
    }
    yield h
    if (layer === until) {
      if (call.keepHidden(layer + 1)) call.hiddenStates[layer + 1] = copyOf(h)
      return h
    }
  }
  call.entered?.({ ...shared, layer: stack.layers.length, at: call.place }, h)
  call.record?.({ place: call.place, before: h })
  if (call.keepHidden(stack.layers.length)) call.hiddenStates[stack.layers.length] = copyOf(h)
  return lastNorm(stack, call.place, ops, h)
}

/** Returns the length of the longest packed text. @param {Uint32Array} texts */
const longestOf = texts => texts.reduce((most, start, b) => Math.max(most, start - (b && texts[b - 1])), 0)

/** Applies the norm after all layers, if there is one. @param {StackSpec} stack @param {string} place @param {ModelOperations} ops @param {FloatTensor} h */
export const lastNorm = ({ norm }, place, ops, h) => (norm ? ops.hook(`${place}norm`, ops.norm(norm, h)) : h)

/** @param {FloatTensor & { dispose?: () => void }} x */
const free = x => x.dispose?.()

/**
 * The context shared by the parts of a layer.
 * @typedef {object} Layer
 * @property {Call} call
 * @property {StackSpec} stack
 * @property {number} layer its index
 * @property {string} at prefix of the names of hooks: 'layers.0.'
 * @property {Turns} [turns]
 * @property {FloatTensor} [bias] of relative positions
 */

/**
 * Runs a layer.
 * @param {Layer} own
 * @param {PartSpec[]} parts
 * @param {FloatTensor} h (B, L, d)
 * @returns {RunSteps<FloatTensor>} (B, L, d)
 */
export function* runLayer(own, parts, h) {
  const { call, stack, layer, at } = own
  const { ops } = call
  /** @type {(place: string, x: FloatTensor) => FloatTensor} */
  const hooked = (place, x) => ops.hook(at + place, x)
  h = hooked('input', h)
  if (call.keepHidden(layer)) call.hiddenStates[layer] = copyOf(h)
  const entered = h
  for (const part of parts) {
    if (part.kind === 'mlp' && !stack.parallel) h = hooked('middle', h)
    // Only the last row of the last MLP is needed.
    if (call.lastOnly && part.kind === 'mlp' && layer === stack.layers.length - 1) h = h.slice(1, -1)
    const from = stack.parallel ? entered : h
    const x = part.before ? ops.norm(part.before, from) : from
    const live = [h, entered]
    // The last linear layer of the part also adds the residual, unless a hook or `record` needs its output without the residual.
    const isFused = !part.after && !call.record && !ops.sees(`${at}${part.kind}.output`)
    const residual = isFused ? h : undefined
    let y =
      part.kind === 'mlp'
        ? yield* mlp(own, part.mlp, x, residual, live)
        : yield* attention(own, part, x, residual, live)
    if (part.after) y = ops.norm(part.after, y)
    if (!isFused) y = hooked(`${part.kind}.output`, y)
    call.record?.({ place: call.place, part, layer, before: h, added: y })
    h = isFused ? y : ops.add(h, y)
    if (part.post) h = ops.norm(part.post, h)
  }
  return hooked('output', h)
}

/**
 * Computes down(act(gate x) * up x) or, without a gate, down(act(up x)).
 * @param {Layer} own
 * @param {NonNullable<PartSpec['mlp']>} spec
 * @param {FloatTensor} x
 * @param {FloatTensor | undefined} residual
 * @param {FloatTensor[]} live tensors that the layer still needs
 * @returns {RunSteps<FloatTensor>}
 */
function* mlp(own, { up, gate, down, activation }, x, residual, live) {
  const { call, at } = own
  const { ops } = call
  const [first, second] = (gate && ops.denseTogether([gate, up], x, activation)) ?? []
  let inner = first ?? (yield* dense(call, gate ?? up, x, { activation }, [x, ...live]))
  yield [inner, second ?? x, ...live]
  if (gate) {
    inner = ops.mul(inner, second ?? (yield* dense(call, up, x, {}, [inner, x, ...live])))
    yield [inner, ...live]
  }
  const hidden = ops.hook(`${at}mlp.hidden`, inner)
  return yield* dense(call, down, hidden, { residual }, [hidden, ...live])
}

/**
 * Runs a linear layer, in several steps if the call has `within`.
 * @param {Call} call
 * @param {LinearSpec} spec
 * @param {FloatTensor} x
 * @param {DenseOptions} options
 * @param {FloatTensor[]} live tensors that are still needed
 * @returns {RunSteps<FloatTensor>}
 */
function* dense({ ops, within }, spec, x, options, live) {
  return within ? yield* within.dense(ops, spec, x, options, live) : ops.dense(spec, x, options)
}

/**
 * Runs attention: projections, weighted sums of the values, and the output projection.
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {FloatTensor} x (B, L, d)
 * @param {FloatTensor | undefined} residual
 * @param {FloatTensor[]} live tensors that the layer still needs
 * @returns {RunSteps<FloatTensor>} (B, L, d)
 */
function* attention(own, part, x, residual, live) {
  const { call, stack, layer, at } = own
  const { ops } = call
  const { numHeads: H, headDim: D } = stack.heads
  const [B, L] = x.dims
  const isCross = part.kind === 'cross'
  const projected = yield* project(own, part, x, live)
  const { q, k, v } = projected
  yield [q, k, v, ...live]
  const mixed = yield* call.read.marked && stack.global
    ? stack.global.mix(own, part, projected, live)
    : ops.mix(own, part, projected, live)
  const output = ops.hookHeads(isCross ? `${at}cross.heads` : `${at}heads`, mixed, H, [B, L, D])
  call.record?.({ place: call.place, part, layer, heads: output })
  yield [output, ...live]
  const { o } = projectionsOf(part)
  return yield* dense(call, o, output, { residual }, [output, ...live])
}

/** @typedef {{ q: FloatTensor, k: FloatTensor, v: FloatTensor, bias?: FloatTensor }} Projected rows with heads concatenated; bias: terms added to the scores by relative positions */

/** Returns the projections of an attention part. @param {PartSpec} part */
export const projectionsOf = ({ attention }) => /** @type {AttentionSpec} */ (attention)

/** Returns the hook name of an attention part. @param {Layer} own @param {PartSpec} part */
export const placeOf = ({ at }, { kind, isGlobal }) => at + (isGlobal ? 'global' : kind)

/**
 * Computes queries, keys and values of x, normalised and rotated. Keys and values are appended to the cache of the layer.
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {FloatTensor} input (B, L, d)
 * @param {FloatTensor[]} live tensors that are still needed
 * @returns {RunSteps<Projected & { x: FloatTensor }>} with the input after its hook
 */
function* project(own, part, input, live) {
  const { call, stack, layer, turns } = own
  const { ops } = call
  const spec = projectionsOf(part)
  const { numHeads: H, numKvHeads: G, headDim: D } = stack.heads
  const [B] = input.dims
  const name = placeOf(own, part)
  const isCross = part.kind === 'cross'
  /** @type {(what: string, y: FloatTensor) => FloatTensor} */
  const hooked = (what, y) => ops.hook(`${name}.${what}`, y)
  const x = hooked('input', input)
  /** @type {(what: 'q' | 'k', y: FloatTensor, norms: NormSpec | undefined, heads: number) => FloatTensor} */
  const rotated = (what, y, norms, heads) => {
    const [, rows] = y.dims
    const normed = norms
      ? ops.norm(norms, y.reshape([B, rows, (heads * D) / norms.size, norms.size])).reshape([B, rows, heads * D])
      : y
    const bare = hooked(`${what}Bare`, normed)
    if (!turns) return bare
    const { dim, cos, sin, interleaved } = turns
    return ops.rope(bare, { numHeads: heads, rotaryDim: dim, cos, sin, interleaved })
  }
  const together = isCross ? undefined : ops.denseTogether([spec.q, spec.k, spec.v], x)
  const [firstQ, firstK, firstV] = together ?? []
  const q = hooked('q', rotated('q', firstQ ?? (yield* dense(call, spec.q, x, {}, [x, ...live])), spec.qNorm, H))
  const ofCross = isCross ? ops.crossKeys(call.encoded, spec, layer) : undefined
  const ownK = ofCross?.k ?? rotated('k', firstK ?? (yield* dense(call, spec.k, x, {}, [q, x, ...live])), spec.kNorm, G)
  const ownV = ofCross?.v ?? firstV ?? (yield* dense(call, spec.v, x, {}, [q, ownK, x, ...live]))
  const [k, v] = [hooked('k', ownK), hooked('v', ownV)]
  if (!isCross) call.caches?.[layer].append(k, v, { numKvHeads: G })
  return { x, q, k, v, bias: isCross ? undefined : scoresOfPositions(own, part, q, k) }
}

/**
 * Returns the attention options of a part.
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {FloatTensor} [ofDistances] terms that relative positions add to the scores, if they depend on the content
 * @returns {MixOptions}
 */
export function scoreOptions({ call, stack, bias }, part, ofDistances = bias) {
  const isCross = part.kind === 'cross'
  const ofMarked = call.read.marked && stack.global?.maskOf(call, part)
  const window = ofMarked ? undefined : part.attention?.window
  const { causal } = stack
  const { scale, softcap } = stack.heads
  return {
    scale,
    softcap,
    causal: causal && !isCross,
    mask: isCross ? call.encoded?.mask : (ofMarked ?? call.mask),
    bias: isCross ? undefined : ofDistances,
    alibi: isCross || !stack.alibi ? undefined : call.weights.alibi,
    ...(window && !isCross && { window: causal ? [window - 1, Infinity] : [(window - 1) / 2, (window - 1) / 2] }),
  }
}

/**
 * Computes the weighted sums of the values: with the fused kernel, or step by step if weights are kept or hooked.
 * @param {Layer} own
 * @param {PartSpec} part
 * @param {Projected} projected
 * @param {FloatTensor[]} live tensors that the layer still needs
 * @returns {RunSteps<FloatTensor>} (B, L, H * D)
 */
function* mix(own, part, projected, live) {
  const { call, layer } = own
  const isCross = part.kind === 'cross'
  const cache = isCross ? undefined : call.caches?.[layer]
  const name = placeOf(own, part)
  const place = call.summaries[isCross ? 'cross' : 'attention']
  /** @type {Mixing} */
  const mixing = {
    own,
    name,
    isCross,
    cache,
    options: scoreOptions(own, part, projected.bias),
    // The tokens of cached keys are unknown.
    ids: isCross || cache || call.read.rows ? undefined : call.read.ids,
    isSummarized: place.keeps(layer),
    keepSummary(made) {
      place.made[layer] = made
      call.summary.onSummary?.({ name: place.name, layer, summary: made })
    },
    live,
  }
  const isKept = isCross ? call.keepCross(layer) : call.keepWeights(layer)
  const isHooked = call.ops.sees(`${name}.scores`) || call.ops.sees(`${name}.weights`)
  const isJoined = isMarked(own) && mixing.isSummarized // only mixInSteps computes the weights that a summary of both attention calls needs
  const inSteps = isKept || isHooked || isJoined
  return yield* inSteps ? mixInSteps(mixing, projected, isKept) : mixFused(mixing, projected)
}

/**
 * The argument that mixFused and mixInSteps share.
 * @typedef {object} Mixing
 * @property {Layer} own
 * @property {string} name of the attention, for hooks
 * @property {boolean} isCross
 * @property {KVCache | undefined} cache
 * @property {MixOptions} options
 * @property {Call['read']['ids'] | undefined} ids
 * @property {boolean} isSummarized
 * @property {(made: import('./attention-summaries.js').AttentionSummary) => void} keepSummary
 * @property {FloatTensor[]} live tensors that the layer still needs
 */

/** True if some tokens of the text are marked and the stack has a global attention for them. @param {Layer} own */
const isMarked = ({ call, stack }) => call.read.marked !== undefined && stack.global !== undefined

/** Returns the option pastLength for queries after the keys of a cache. @param {Mixing} mixing @param {number} S @param {number} L */
const toPast = ({ options }, S, L) => (options.causal ? { pastLength: S - L } : {})

/**
 * Computes the weighted sums with the fused kernel, which also computes summaries.
 * @param {Mixing} mixing
 * @param {Projected} projected
 * @returns {RunSteps<FloatTensor>} (B, L, H * D)
 */
function* mixFused(mixing, { q, k, v }) {
  const { own, cache, options, isSummarized, live } = mixing
  const { call, stack } = own
  const { qkv, summary } = call
  const { numHeads: H, numKvHeads: G, headDim: D } = stack.heads
  const [B, L] = q.dims
  const output = qkv.alloc([B, L, H * D])
  const asked = isSummarized ? kernelOptions(summary, mixing.ids) : undefined
  const inRows = { ...options, numHeads: H, out: output, summary: asked }
  const { texts } = call.read
  /** @type {<T extends FloatTensor>(x: T, n: number) => T} */
  const heads = (x, n) => /** @type {any} */ (x.reshape([x.dims[1], n, D]))
  const [first, keys, values] = texts ? [heads(q, H), heads(k, G), heads(v, G)] : [q, k, v]
  const grouped = texts ? { ...options, cuSeqlens: texts, out: heads(output, H) } : { ...inRows, numKvHeads: G }
  const attended = cache
    ? cache.attention(q, inRows)
    : call.within
      ? yield* call.within.attend(qkv, first, keys, values, grouped, live)
      : qkv.attention(first, keys, values, grouped)
  if (!asked || !attended.summary) return output
  const { logSumExp } = attended.summary
  const past = cache ? cache.keys : k
  const shifted = { ...options, ...(cache && toPast(mixing, past.dims[2], L)) }
  const windows = summary.windows && logSumExp ? windowsOf(qkv, q, past, { H, G }, shifted, logSumExp) : undefined
  mixing.keepSummary(withWindow(attended.summary, H, windows))
  return output
}

/**
 * Computes the weighted sums step by step: scores, their hook, weights, their hook, sums.
 * @param {Mixing} mixing
 * @param {Projected} projected
 * @param {boolean} isKept true if the caller keeps the weights
 * @returns {RunSteps<FloatTensor>} (B, L, H * D)
 */
function* mixInSteps(mixing, { q, k, v }, isKept) {
  const { own, name, isCross, cache, options, isSummarized, live } = mixing
  const { call, stack, layer } = own
  const { qkv, ops, summary } = call
  const { hooks } = ops
  const { numHeads: H, numKvHeads: G } = stack.heads
  const [B, L] = q.dims
  const keys = cache ? cache.keys : splitHeads(k, G)
  const values = cache ? cache.values : splitHeads(v, G)
  const past = toPast(mixing, keys.dims[2], L)
  const isEdited = ops.sees(`${name}.scores`)
  const needsScores = isEdited || (isSummarized && kernelOptions(summary).logSumExp === true)
  /** @type {('weights' | 'output' | 'masked')[]} */
  const steps = ['weights', 'output']
  if (needsScores) steps.push('masked')
  const traced = qkv.trace(splitHeads(q, H), keys, values, { ...options, ...past, keep: steps })
  yield [v, ...live]
  const maps = [B, L, keys.dims[2]]
  const scores = isEdited ? hookHeads(hooks, `${name}.scores`, traced.masked, H, maps) : undefined
  const given = scores ? qkv.softmax(scores) : traced.weights
  const other = hookHeads(hooks, `${name}.weights`, given, H, maps)
  const used = other ?? given
  yield [v, ...live]
  const seen = { weights: used, scores: scores ?? traced.masked }
  const all = isMarked(own) ? stack.global?.together(own, seen) : seen
  if (isKept && all) (isCross ? call.crossAttentions : call.attentions)[layer] = all.weights
  if (isSummarized && all) {
    const made = summaryOf(all.weights, all.scores, past.pastLength ?? 0, summary, mixing.ids)
    // If hooks changed nothing, copies of q and k suffice for windows, and the weights need not be kept.
    const { logSumExp } = made
    const isRead = !isKept && !isMarked(own) && areSame(scores, traced.masked) && areSame(other, given)
    const fromRows = isRead && logSumExp && windowsOf(qkv, q, keys, { H, G }, { ...options, ...past }, logSumExp)
    const windows = fromRows || cutOf(all.weights)
    mixing.keepSummary(withWindow(made, H, summary.windows ? windows : undefined))
  }
  return joinRows(scores || other ? weightedSums(qkv, used, values, G) : traced.output)
}

/** (B, H, L, D) -> (B, L, H * D). @param {FloatTensor} x */
export function joinRows(x) {
  const [B, H, L, D] = x.dims
  return x.permute([0, 2, 1, 3]).reshape([B, L, H * D])
}

/**
 * Multiplies weights by v, head by head.
 * @param {Qkv} qkv
 * @param {FloatTensor} weights (B, H, L, S)
 * @param {FloatTensor} values (B, G, S, D)
 * @param {number} G
 */
export function weightedSums(qkv, weights, values, G) {
  const [B, H, L, S] = weights.dims
  const D = values.dims[3]
  const out = new Float32Array(B * H * L * D)
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++) {
      const g = Math.floor(h / (H / G))
      const w = weights.data.subarray((b * H + h) * L * S, (b * H + h + 1) * L * S)
      const v = values.data.subarray((b * G + g) * S * D, (b * G + g + 1) * S * D)
      const y = qkv.matmul({ data: w, dims: [L, S] }, { data: v, dims: [S, D] })
      out.set(y.data, (b * H + h) * L * D)
    }
  return new Tensor(out, [B, H, L, D])
}

/**
 * Computes the logits of the residual stream after the last norm.
 * @param {Family} family
 * @param {ModelOperations} ops
 * @param {FloatTensor} x (B, L, d)
 * @param {{ resident?: boolean }} [options] resident: true leaves the logits in the module's memory if there is no softcap
 * @returns {FloatTensor} (B, L, V)
 */
export function makeLogits({ head, type }, ops, x, options = {}) {
  const { qkv, weights } = ops
  if (!weights.hasHead) throw new Error(`this ${type} checkpoint has no head: it gives hidden states, but no logits`)
  const h = headInput(head, ops, x)
  const logits = weights.head.forward(head.scale === undefined ? h : scaled(h, head.scale), options)
  const cap = head.softcap
  return ops.hook('logits', cap ? scaled(qkv.tanh(scaled(logits, 1 / cap)), cap) : logits)
}

/** Applies the layer before the head's projection, if there is one. @param {Family['head']} head @param {ModelOperations} ops @param {FloatTensor} x */
export function headInput({ transform, activation, norm }, ops, x) {
  if (!transform) return x
  const h = ops.dense(transform, x, { activation })
  return norm ? ops.norm(norm, h) : h
}

/** @param {FloatTensor} x @param {number} factor */
function scaled({ data, dims }, factor) {
  const out = new Float32Array(count(dims))
  for (let i = 0; i < out.length; i++) out[i] = data[i] * factor
  return new Tensor(out, [...dims])
}

/**
 * Computes tanh(W x + b) from the first row x of each text, with weight W and bias b of the pooler.
 * @param {LinearSpec} pooler
 * @param {ModelOperations} ops
 * @param {FloatTensor} x (B, L, d)
 * @param {Uint32Array} starts start of each text in the rows of x, (B + 1)
 */
export function pool(pooler, ops, x, starts) {
  const [, , d] = x.dims
  const first = new Float32Array((starts.length - 1) * d)
  for (let b = 0; b + 1 < starts.length; b++) first.set(x.data.subarray(starts[b] * d, (starts[b] + 1) * d), b * d)
  return ops.qkv.tanh(ops.dense(pooler, new Tensor(first, [starts.length - 1, d])))
}
