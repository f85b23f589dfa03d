// ONNX Attention beyond ONNX's own cases: random combinations of inputs and attributes against the formulas, and bad calls.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { load, tensor } from '../src/entries/index.js'
import { onnxAttention } from '../src/entries/nn.js'
import { close } from './helpers.js'
import { attention } from './reference.js'

const qkv = await load()
const seed = Number(process.env.SEED ?? 1)
const TOLERANCE = { abs: 3e-6, rel: 3e-6 }

const size = fc.integer({ min: 1, max: 5 })
const side = fc.constantFrom(-1, -1, 0, 1, 3)
const calls = fc.record({
  B: fc.integer({ min: 1, max: 2 }),
  G: fc.integer({ min: 1, max: 2 }),
  group: fc.integer({ min: 1, max: 3 }),
  L: fc.oneof(size, fc.constant(33)),
  S: size,
  D: size,
  E: size,
  isRows: fc.boolean(),
  cache: fc.constantFrom('none', 'past', 'nonpad'),
  P: fc.integer({ min: 0, max: 4 }),
  mask: fc.constantFrom('none', 'bool', 'float'),
  rank: fc.integer({ min: 1, max: 4 }),
  own: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  short: fc.integer({ min: 0, max: 2 }),
  mode: fc.constantFrom(undefined, 0, 1, 2, 3),
  attributes: fc.record(
    {
      is_causal: fc.constantFrom(0, 1, true),
      softcap: fc.constant(1.5),
      scale: fc.constantFrom(0.3, 2),
      left_window_size: side,
      right_window_size: side,
    },
    { requiredKeys: [] },
  ),
  seed: fc.nat(),
})

/** Converts (B, heads, rows, size) to (B, rows, heads * size). @param {any} x */
function inRows(x) {
  const [B, heads, rows, size] = x.dims
  return x.permute([0, 2, 1, 3]).reshape([B, rows, heads * size])
}

test('every mix of inputs and attributes gives what the formulas give', () => {
  /** @type {Set<string>} */
  const seen = new Set()
  const property = fc.property(calls, call => {
    const { B, G, group, L, S, D, E, isRows, cache, mode, attributes } = call
    const [H, P] = [G * group, cache === 'past' ? call.P : 0]
    const T = P + S
    const g = qkv.generator(call.seed)
    const [Q, K, V] = [g.randn([B, H, L, D]), g.randn([B, G, S, D]), g.randn([B, G, S, E])]
    const [past_key, past_value] = [g.randn([B, G, P, D]), g.randn([B, G, P, E])]
    const nonpad = Array.from(g.randint(0, S + 1, [B]).data)
    const M = Math.max(1, T - call.short)
    const dims = [...[B, H, L].map((n, axis) => (call.own[axis] ? n : 1)), M].slice(4 - call.rank)
    const mask = call.mask === 'bool' ? tensor(Uint8Array.from(g.bernoulli(dims, 0.7).data), dims) : g.randn(dims)
    if (call.mask === 'float') mask.data[1] = -Infinity

    const lay = isRows ? inRows : (/** @type {any} */ x) => x
    const got = onnxAttention(
      qkv,
      {
        Q: lay(Q),
        K: lay(K),
        V: lay(V),
        ...(call.mask !== 'none' && { attn_mask: mask }),
        ...(cache === 'past' && { past_key, past_value }),
        ...(cache === 'nonpad' && { nonpad_kv_seqlen: BigInt64Array.from(nonpad, BigInt) }),
      },
      /** @type {any} */ ({
        ...attributes,
        ...(isRows && { q_num_heads: H, kv_num_heads: G }),
        ...(mode !== undefined && { qk_matmul_output_mode: mode }),
      }),
    )

    /** @type {(past: any, now: any) => any} */
    const join = (past, now) => {
      const size = now.dims[3]
      const data = Array.from({ length: B * G }, (_, n) => [
        ...past.data.subarray(n * P * size, (n + 1) * P * size),
        ...now.data.subarray(n * S * size, (n + 1) * S * size),
      ])
      return { data: Float32Array.from(data.flat()), dims: [B, G, T, size] }
    }
    const [keys, values] = cache === 'past' ? [join(past_key, K), join(past_value, V)] : [K, V]
    const { is_causal, left_window_size = -1, right_window_size = -1, ...rest } = attributes
    const open = (/** @type {number} */ side) => (side === -1 ? Infinity : side)
    // A mask shorter than the keys hides those beyond it. `full` is the mask with hidden entries for these keys.
    const wide = [...dims.slice(0, -1), T]
    const hidden = call.mask === 'bool' ? 0 : -Infinity
    const full = {
      data: Array.from({ length: (mask.data.length / M) * T }, (_, n) =>
        n % T < M ? mask.data[Math.floor(n / T) * M + (n % T)] : hidden,
      ),
      dims: wide,
    }
    const want = attention(Q, keys, values, {
      ...rest,
      causal: Boolean(is_causal),
      window: [open(left_window_size), open(right_window_size)],
      pastLength: cache === 'nonpad' ? nonpad.map(n => n - L) : P,
      ...(cache === 'nonpad' && { keyLengths: nonpad }),
      ...(call.mask === 'bool' && { mask: full }),
      ...(call.mask === 'float' && { bias: full }),
    })
    close(got.present_key, keys, { abs: 0, rel: 0 }, 'present_key')
    close(got.present_value, values, { abs: 0, rel: 0 }, 'present_value')
    const Y = tensor(Float64Array.from(want.output.data), want.output.dims)
    close(got.Y, isRows ? inRows(Y) : Y, TOLERANCE, 'Y')
    if (mode === undefined) assert.equal(got.qk_matmul_output, undefined)
    else {
      const step = [want.scaled, want.capped, want.masked, want.weights][mode]
      close(/** @type {any} */ (got.qk_matmul_output), step, TOLERANCE, `mode ${mode}`)
    }
    seen.add(`${cache} ${call.mask} ${mode}`)
  })
  fc.assert(property, { numRuns: 1000, seed })
  assert.equal(seen.size, 3 * 3 * 5)
  assert.equal(qkv.memory.used, 0)
})

test('float16 in, float16 out: computed in float32, rounded once; what is cached keeps its bits', () => {
  const g = qkv.generator(4)
  const [Q, K, V] = [g.randn([1, 2, 3, 8]), g.randn([1, 2, 5, 8]), g.randn([1, 2, 5, 4])].map(x => x.half())
  const [past_key, past_value] = [g.randn([1, 2, 1, 8]), g.randn([1, 2, 1, 4])].map(x => x.half())
  const got = onnxAttention(qkv, { Q, K, V, past_key, past_value }, { qk_matmul_output_mode: 3, softmax_precision: 10 })
  const floats = {
    Q: Q.float(),
    K: K.float(),
    V: V.float(),
    past_key: past_key.float(),
    past_value: past_value.float(),
  }
  const want = onnxAttention(qkv, floats, { qk_matmul_output_mode: 3 })
  for (const name of /** @type {const} */ (['Y', 'present_key', 'present_value', 'qk_matmul_output'])) {
    assert.equal(got[name]?.dtype, 'float16')
    assert.deepEqual(got[name], want[name]?.half(), name)
  }
})

test('the error of a wrong call has the given and the expected value, and leaves no memory in use', () => {
  const g = qkv.generator(1)
  const [Q, K] = [g.randn([1, 2, 3, 4]), g.randn([1, 2, 5, 4])]
  const rows = g.randn([1, 3, 8])
  const good = { Q, K, V: K }
  const past = { past_key: K, past_value: K }
  /** @type {[any, any, string, RegExp][]} */
  const bad = [
    [{ Q, K }, {}, 'TypeError', /V: .*got undefined/],
    [
      { ...good, mask: K },
      {},
      'TypeError',
      /inputs: there is no option "mask", it belongs to attention. Known: Q, K, V/,
    ],
    [good, { causal: true }, 'TypeError', /did you mean "is_causal"/],
    [{ ...good, Q: rows }, {}, 'RangeError', /three axes each, or four each/],
    [{ Q: rows, K: rows, V: rows }, {}, 'TypeError', /q_num_heads is needed/],
    [{ Q: rows, K: rows, V: rows }, { q_num_heads: 3, kv_num_heads: 2 }, 'RangeError', /q_num_heads 3 does not divide/],
    [{ Q: rows, K: rows, V: rows }, { q_num_heads: 0, kv_num_heads: 2 }, 'RangeError', /q_num_heads: .*got 0/],
    [good, { q_num_heads: 4 }, 'RangeError', /but q_num_heads is 4/],
    [
      { ...good, K: g.randn([1, 3, 5, 4]), V: g.randn([1, 3, 5, 4]) },
      {},
      'RangeError',
      /3 heads of K and V do not divide/,
    ],
    [{ ...good, V: g.randn([1, 2, 4, 4]) }, {}, 'RangeError', /heads and rows of each other/],
    [{ ...good, K: g.randn([1, 2, 5, 3]) }, {}, 'RangeError', /q has rows of 4, k of 3/],
    [{ ...good, ...past, nonpad_kv_seqlen: [2] }, {}, 'TypeError', /expected either past_key, .* or nonpad_kv_seqlen/],
    [{ ...good, past_key: K }, {}, 'TypeError', /give both or neither/],
    [
      { ...good, past_key: K, past_value: Q },
      {},
      'RangeError',
      /past_value: expected \(B, G, P, E\).*got dims \(1, 2, 3, 4\)/,
    ],
    [{ ...good, past_key: K.half(), past_value: K }, {}, 'TypeError', /past_key is a Uint16Array/],
    [
      { ...good, nonpad_kv_seqlen: [6] },
      {},
      'RangeError',
      /nonpad_kv_seqlen\[0\]: expected a whole number from 0 to 5.*got 6/,
    ],
    [{ ...good, nonpad_kv_seqlen: [1, 2] }, {}, 'RangeError', /nonpad_kv_seqlen: expected .*got dims \(2\)/],
    [
      { ...good, attn_mask: g.randn([3, 6]) },
      {},
      'RangeError',
      /attn_mask: expected at most 5 keys, got dims \(3, 6\)/,
    ],
    [{ ...good, attn_mask: g.randn([2, 5]) }, {}, 'RangeError', /attn_mask: dims \(2, 5\) do not broadcast/],
    [{ ...good, attn_mask: 1 }, {}, 'RangeError', /attn_mask: .*got a scalar/],
    [{ ...good, Q: new Float64Array(24) }, {}, 'TypeError', /Q/],
    [
      { ...good, Q: tensor(new Float64Array(24), [1, 2, 3, 4]) },
      {},
      'TypeError',
      /Q: expected float32 or float16.*got float64/,
    ],
    [good, { is_causal: 2 }, 'TypeError', /is_causal: .*got 2/],
    [good, { qk_matmul_output_mode: 4 }, 'RangeError', /qk_matmul_output_mode: .*got 4/],
    [good, { softmax_precision: 11 }, 'RangeError', /softmax_precision: .*got 11/],
    [good, { left_window_size: -2 }, 'RangeError', /left_window_size: .*got -2/],
    [good, { scale: '1' }, 'TypeError', /scale: .*got "1"/],
  ]
  for (const [inputs, attributes, name, message] of bad)
    assert.throws(() => onnxAttention(qkv, inputs, attributes), { name, message })
  assert.equal(qkv.memory.used, 0)
  assert.deepEqual(onnxAttention(qkv, good).Y.dims, [1, 2, 3, 4])
})
