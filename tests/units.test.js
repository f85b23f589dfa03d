// The units of a kernel, run one by one from the last to the first, give the bits of the whole call. Strided tensors, such as packed rows
// of q, k and v, give the bits of contiguous ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../src/entries/index.js'
import { BACKWARD_WORDS, READ_LOGITS_STRUCT } from '../src/ops/nn-abi.js'
import { TRACE_STEPS, TRACE_WORDS } from '../src/runtime/abi.js'
import { coreOf } from '../src/runtime/core-of.js'
import { writeStruct } from '../src/runtime/structs.js'
import { close } from './helpers.js'

const qkv = await load()
const core = /** @type {import('../src/runtime/memory.js').Core} */ (coreOf(qkv))
const { exports } = core
const OPEN = 0xffffffff

/** @param {number} n */
const random = n => {
  const { data } = qkv.generator(n).randn([n])
  return core.copyIn(data)
}
/** @param {number} n */
const zeros = n => {
  const at = core.allocFloats(n)
  core.floats.fill(0, at / 4, at / 4 + n)
  return at
}
/** @param {number} at @param {number} n */
const read = (at, n) => core.floats.slice(at / 4, at / 4 + n)

/** Makes a struct of 32-bit words; fields without a value are 0. @param {readonly string[]} names @param {Record<string, number>} values */
function struct(names, values) {
  for (const name of Object.keys(values)) assert.ok(names.includes(name), name)
  const floats = ['scale', 'sigma', 'softcap', 'dropout']
  return writeStruct(core, { words: names, floats }, Object.fromEntries(names.map(name => [name, values[name] ?? 0])))
}

/** @param {string} name @param {number} data @param {number[]} strides */
const place = (name, data, [batch, head, row]) => ({
  [`${name}.data`]: data,
  [`${name}.batch`]: batch,
  [`${name}.head`]: head,
  [`${name}.row`]: row,
})

const SIZES = { B: 2, H: 4, G: 2, L: 70, S: 70, D: 12, E: 12 }
const { B, H, G, L, S, D } = SIZES
const COMMON = { ...SIZES, scale: 0.3, left: OPEN, right: 0 }
const heads = (/** @type {number} */ n) => [n * L * D, L * D, D]

test('packed rows of q, k and v give the bits of separate tensors, forward and backward, and gradients side by side', () =>
  core.scope(() => {
    const row = (H + 2 * G) * D
    const packed = random(B * L * row)
    const strides = [L * row, D, row]
    const starts = { q: 0, k: H * D, v: (H + G) * D }
    /** @param {number} start @param {number} n heads */
    const apart = (start, n) => {
      const at = core.allocFloats(B * n * L * D)
      for (let b = 0; b < B; b++)
        for (let h = 0; h < n; h++)
          for (let i = 0; i < L; i++)
            for (let d = 0; d < D; d++)
              core.floats[at / 4 + ((b * n + h) * L + i) * D + d] =
                core.floats[packed / 4 + (b * L + i) * row + start + h * D + d]
      return at
    }
    const dOut = random(B * H * L * D)
    /** @param {boolean} isPacked */
    const run = isPacked => {
      const counts = /** @type {const} */ ({ q: H, k: G, v: G })
      const gradients = zeros(B * L * row)
      /** @type {Record<string, number>} */
      const operands = {}
      const own = Object.entries(counts).map(([name, n]) => {
        const start = starts[/** @type {'q'} */ (name)]
        const data = isPacked ? packed + start * 4 : apart(start, n)
        const to = isPacked ? gradients + start * 4 : zeros(B * n * L * D)
        Object.assign(operands, place(name, data, isPacked ? strides : heads(n)))
        Object.assign(operands, place(`d${name}`, to, isPacked ? strides : heads(n)))
        return { start, n, to }
      })
      const out = zeros(B * H * L * D)
      const args = struct(BACKWARD_WORDS, {
        ...COMMON,
        ...operands,
        ...place('out', out, heads(H)),
        ...place('d_out', dOut, heads(H)),
      })
      const scratch = core.alloc(Math.max(exports.qkv_attention_scratch(args), exports.qkv_backward_scratch(args)))
      core.words[args / 4 + BACKWARD_WORDS.indexOf('scratch')] = scratch
      core.call('qkv_attention', args)
      core.call('qkv_backward', args)
      const all = own.map(({ start, n, to }) => {
        if (!isPacked) return read(to, B * n * L * D)
        const values = /** @type {number[]} */ ([])
        for (let b = 0; b < B; b++)
          for (let h = 0; h < n; h++)
            for (let i = 0; i < L; i++) values.push(...read(gradients + ((b * L + i) * row + start + h * D) * 4, D))
        return Float32Array.from(values)
      })
      return [read(out, B * H * L * D), ...all]
    }
    const [together, separate] = [run(true), run(false)]
    assert.deepEqual(together, separate)
    assert.ok(together.every(part => part.some(x => x !== 0)))
  }))

test('units of the gradients of attention, run from the last to the first, give the bits of the whole call, whatever heads share', () =>
  core.scope(() => {
    const [q, k, v, dOut] = [H, G, G, H].map(n => random(B * n * L * D))
    const [bias, sinks] = [random(B * H * L * S), random(H)]
    const shared = {
      none: [{}, B * G],
      'a bias of each head': [{ bias: [0, L * S, S, 1] }, G],
      'a bias of all heads': [{ bias: [0, 0, S, 1] }, 1],
      'a bias of each batch and head': [{ bias: [H * L * S, L * S, S, 1] }, B * G],
      sinks: [{ sinks: 1 }, G],
    }
    for (const [name, [{ bias: strides, sinks: hasSinks }, units]] of Object.entries(/** @type {any} */ (shared))) {
      const run = (/** @type {boolean} */ isApart) => {
        const to = [H, G, G].map(n => zeros(B * n * L * D))
        const [dBias, dSinks] = [zeros(B * H * L * S), zeros(H)]
        /** @type {Record<string, number>} */
        const more = {}
        if (strides) {
          Object.assign(more, { 'bias.data': bias, d_bias: dBias })
          const [batch, head, row, column] = strides
          Object.assign(more, { 'bias.batch': batch, 'bias.head': head, 'bias.row': row, 'bias.column': column })
        }
        if (hasSinks) Object.assign(more, { sinks, d_sinks: dSinks })
        const args = struct(BACKWARD_WORDS, {
          ...COMMON,
          ...more,
          ...place('q', q, heads(H)),
          ...place('k', k, heads(G)),
          ...place('v', v, heads(G)),
          ...place('d_out', dOut, heads(H)),
          ...place('dq', to[0], heads(H)),
          ...place('dk', to[1], heads(G)),
          ...place('dv', to[2], heads(G)),
        })
        const scratch = core.alloc(exports.qkv_backward_scratch(args))
        core.words[args / 4 + BACKWARD_WORDS.indexOf('scratch')] = scratch
        assert.equal(exports.qkv_backward_units(args), units, name)
        if (!isApart) core.call('qkv_backward', args)
        for (let unit = units - 1; isApart && unit >= 0; unit--) core.call('qkv_backward_part', args, unit, 1, scratch)
        return [...to.map((at, n) => read(at, B * [H, G, G][n] * L * D)), read(dBias, B * H * L * S), read(dSinks, H)]
      }
      assert.deepEqual(run(true), run(false), name)
    }
  }))

test('units of a trace, run from the last to the first, give the bits of the whole call', () =>
  core.scope(() => {
    const [q, k, v] = [H, G, G].map(n => random(B * n * L * D))
    for (const choices of [0, 1, 2, 3]) {
      const run = (/** @type {boolean} */ isApart) => {
        const n = B * H * L * S
        const steps = Object.fromEntries(TRACE_STEPS.map(step => [step, zeros(n)]))
        const out = zeros(B * H * L * D)
        const args = struct(TRACE_WORDS, {
          ...COMMON,
          ...steps,
          ...place('q', q, heads(H)),
          ...place('k', k, heads(G)),
          ...place('v', v, heads(G)),
          ...place('out', out, heads(H)),
          softmax_axis: choices & 1,
          masking: choices >> 1,
        })
        const units = exports.qkv_trace_units(args)
        assert.equal(units, B * H * (choices & 1 ? 1 : 5))
        if (!isApart) core.call('qkv_trace', args)
        for (let unit = units - 1; isApart && unit >= 0; unit--) core.call('qkv_trace_part', args, unit, 1)
        return [read(out, B * H * L * D), ...Object.values(steps).map(at => read(at, n))]
      }
      assert.deepEqual(run(true), run(false))
    }
  }))

test('softmax and its gradient are those of the formula, line by line, over any axis, replacing or accumulating', () =>
  core.scope(() => {
    for (const [rows, columns, inner] of [
      [3, 7, 1],
      [2, 8, 1],
      [1, 1, 1],
      [2, 5, 3],
      [3, 9, 4],
      [1, 130, 6],
      [2, 3, 0],
    ]) {
      const n = rows * columns * inner
      const [x, dY] = [random(n), random(n)]
      const units = rows * Math.ceil(inner / 4)
      const [y, apart, dX] = [zeros(n), zeros(n), zeros(n)]
      core.call('qkv_softmax', x, y, columns, inner, 0, units)
      for (let unit = units; unit-- > 0; ) core.call('qkv_softmax', x, apart, columns, inner, unit, 1)
      assert.deepEqual(read(apart, n), read(y, n))
      core.call('qkv_softmax_backward', y, dY, dX, columns, inner, 0, 0, units)
      const want = new Float64Array(n)
      const [weights, upstream] = [read(y, n), read(dY, n)]
      for (let at = 0; at < n; at++) {
        const start = at - (Math.floor(at / inner) % columns) * inner
        let sum = 0
        for (let c = 0; c < columns; c++) sum += weights[start + c * inner] * upstream[start + c * inner]
        want[at] = weights[at] * (upstream[at] - sum)
      }
      close({ data: read(dX, n), dims: [n] }, { data: want, dims: [n] }, { abs: 1e-6, rel: 1e-6 }, `${columns}`)
      for (let unit = units; unit-- > 0; ) core.call('qkv_softmax_backward', y, dY, dX, columns, inner, 1, unit, 1)
      const twice = { data: want.map(value => 2 * value), dims: [n] }
      close({ data: read(dX, n), dims: [n] }, twice, { abs: 2e-6, rel: 2e-6 }, 'added')
    }
  }))

test('rows of logits are read row by row: their largest, and sums as in float64', () =>
  core.scope(() => {
    const [rows, V, K, others] = [6, 1030, 5, 2]
    const logits = random(rows * V)
    core.floats[logits / 4 + 3] = -Infinity
    const probabilities = zeros(others * V)
    core.call('qkv_softmax', logits, probabilities, V, 1, 0, others)
    const run = (/** @type {number} */ step) => {
      const [sums, top] = [zeros(rows * 4), zeros(rows * K)]
      const args = writeStruct(core, READ_LOGITS_STRUCT, { logits, probabilities, sums, top, V, K, others })
      for (let row = rows; row > 0; row -= step) core.call('qkv_read_logits', args, row - step, step)
      return { sums: read(sums, rows * 4), top: core.view(Int32Array, top, rows * K).slice() }
    }
    const { sums, top } = run(rows)
    assert.deepEqual(run(1), { sums, top })
    for (let r = 0; r < rows; r++) {
      const [z, p] = [read(logits + r * V * 4, V), read(probabilities + (r % others) * V * 4, V)]
      const order = Array.from(z.keys()).sort((a, b) => z[b] - z[a])
      assert.deepEqual(Array.from(top.subarray(r * K, (r + 1) * K)), order.slice(0, K))
      const x = Array.from(z, value => value - z[order[0]])
      const total = x.reduce((sum, one) => sum + Math.exp(one), 0)
      const mean = x.reduce((sum, one) => sum + (Math.exp(one) && Math.exp(one) * one), 0) / total
      const cross = x.reduce((sum, one, v) => sum + (p[v] && p[v] * one), 0)
      const want = { data: Float64Array.of(z[order[0]], Math.log(total), mean, cross), dims: [4] }
      close({ data: sums.slice(r * 4, r * 4 + 4), dims: [4] }, want, { abs: 1e-6, rel: 1e-6 }, `row ${r}`)
    }
  }))
