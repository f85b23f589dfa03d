// Bad input throws an error that names the argument, what was given and what was expected. The module works as before afterwards.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { joinHeads, load, QkvError, splitHeads, tensor } from '../src/entries/index.js'
import { embeddingLayer, multiheadAttention } from '../src/entries/nn.js'
import { ABI } from '../src/runtime/abi.js'

const qkv = await load()
const g = qkv.generator(1)

/** Makes a tensor of zeros. @param {...number} dims */
const zeros = (...dims) => ({ data: new Float32Array(dims.reduce((a, b) => a * b, 1)), dims })
/** @param {number} length @param {any} dims */
const given = (length, dims) => ({ data: new Float32Array(length), dims })
const x = zeros(2, 3)
const detached = new Float32Array(6)
structuredClone(detached, { transfer: [detached.buffer] })
const other = (await load()).generator(1)
const additive = { kind: 'additive', wQuery: zeros(4, 3), wKey: zeros(4, 2), v: zeros(4) }
const mha = multiheadAttention(g, 8, 2)

/** Calls attention with arguments of any type, also wrong ones. @type {(q: any, k?: any, v?: any, options?: any) => unknown} */
const attend = (q, k = q, v = k, options = {}) => qkv.attention(q, k, v, options)
/** @param {any} options */
const options = options => () => qkv.attention(x, x, x, options)
/** @param {any} score */
const score = score => options({ score })
/** @param {any} options */
const tracing = options => () => qkv.trace(x, x, x, options)
/** @type {(value: any) => any} */
const any = value => value

/** @type {[title: string, call: () => unknown, Type: ErrorConstructor, ...parts: string[]][]} */
const bad = [
  ['dims that do not fit the data', () => attend(given(5, [2, 3])), RangeError, 'q', '(2, 3)', '6 values', '5'],
  ['a negative size', () => attend(x, given(0, [-2, 3])), RangeError, 'k', '-2', 'whole numbers from 0'],
  ['a fraction of a size', () => attend(given(3, [1.5, 2])), RangeError, 'q', '1.5', 'whole numbers'],
  ['NaN as a size', () => attend(x, x, given(0, [NaN, 2])), RangeError, 'v', 'NaN', 'whole numbers'],
  ['a string as a size', () => attend(given(6, ['2', 3])), RangeError, 'q', '"2"', 'whole numbers'],
  ['a size of 2^32', () => attend(given(0, [2 ** 32, 1])), RangeError, 'q', '4294967296', '2^32 - 1'],
  ['a product that wraps to 0', () => attend(given(0, [65536, 65536, 2])), RangeError, 'q', '65536', 'more than 2^32'],
  ['a huge size beside a 0', () => attend(given(0, [2 ** 31, 0, 4])), RangeError, 'q', '2147483648', 'more than 2^32'],
  ['dims that are a number', () => attend(given(6, 6)), TypeError, 'q: dims', 'got 6', 'array of sizes'],
  ['dims that are a string', () => attend(given(6, '23')), TypeError, 'q: dims', '"23"', 'array of sizes'],
  ['one axis', () => attend(zeros(3)), RangeError, 'q', '(3)', '(L, D), (H, L, D) or (B, H, L, D)'],
  ['five axes', () => attend(zeros(1, 1, 1, 1, 1)), RangeError, 'q', '(1, 1, 1, 1, 1)', '(B, H, L, D)'],
  ['different ranks', () => attend(x, zeros(1, 2, 3)), RangeError, 'k', '(1, 2, 3)', 'q', '(2, 3)'],
  ['another D of k', () => attend(x, zeros(2, 4)), RangeError, 'q', '3', 'k', '4', 'same size'],
  ['another S of v', () => attend(x, zeros(4, 3), x), RangeError, 'k (4, 3), v (2, 3)', 'each key needs its value'],
  [
    'another B of k',
    () => attend(zeros(1, 2, 2, 3), zeros(2, 2, 2, 3)),
    RangeError,
    'k (2, 2, 2, 3)',
    'give them one batch size',
  ],
  ['2 heads for 3', () => attend(zeros(3, 2, 3), zeros(2, 2, 3)), RangeError, '2 heads of k', 'divide', '3 heads of q'],
  ['no heads for 2', () => attend(zeros(2, 2, 3), zeros(0, 2, 3)), RangeError, '0 heads of k', '2 heads of q'],
  [
    'another G of v',
    () => attend(zeros(2, 2, 3), zeros(2, 2, 3), zeros(1, 2, 3)),
    RangeError,
    'v (1, 2, 3)',
    'k and v as many heads',
  ],
  ['nothing', () => attend(undefined), TypeError, 'q', 'undefined', 'expected a tensor'],
  ['null', () => attend(x, null), TypeError, 'k', 'null', 'expected a tensor'],
  ['a string', () => attend(x, x, 'abc'), TypeError, 'v', '"abc"', 'expected a tensor'],
  ['a function', () => attend(() => x), TypeError, 'q', 'a function', 'expected a tensor'],
  ['a typed array without dims', () => attend(x.data), TypeError, 'q', 'a Float32Array of 6', 'expected a tensor'],
  ['integers', () => attend({ data: new Int32Array(6), dims: [2, 3] }), TypeError, 'q', 'Int32Array', 'Float32Array'],
  ['short integers', () => attend({ data: new Int16Array(6), dims: [2, 3] }), TypeError, 'Int16Array', 'Float32Array'],
  ['a detached buffer', () => attend({ data: detached, dims: [2, 3] }), TypeError, 'q', 'detached'],
  ['strings as values', () => attend({ data: ['a', 'b'], dims: [1, 2] }), TypeError, 'q', '"a"', 'expected a number'],
  ['nested strings', () => attend([['a', 'b']]), TypeError, 'q', '"a"', 'numbers'],
  ['ragged arrays', () => attend([[1, 2], [3]]), RangeError, 'q', 'ragged', 'an array of 1', 'an array of 2'],
  ['an unknown option', options({ casual: true }), TypeError, '"casual"', 'did you mean "causal"', 'keyLengths'],
  ['an option of trace only', options({ softmaxAxis: 'keys' }), TypeError, 'softmaxAxis'],
  ['null as options', options(null), TypeError, 'attention', 'null', 'an object of options'],
  ['an array as options', options([]), TypeError, 'attention', 'an array of 0', 'an object of options'],
  ['scale "1"', options({ scale: '1' }), TypeError, 'scale', '"1"', 'expected a number'],
  ['scale NaN', options({ scale: NaN }), RangeError, 'scale', 'NaN', 'a finite number'],
  ['a scale beyond float32', options({ scale: 1e39 }), RangeError, 'scale', '1e+39', 'a finite number'],
  ['softcap -1', options({ softcap: -1 }), RangeError, 'softcap', '-1', 'from 0'],
  ['causal 1', options({ causal: 1 }), TypeError, 'causal', 'got 1', 'true or false'],
  ['window 3', options({ window: 3 }), TypeError, 'window', 'got 3', '[left, right]'],
  ['window [1]', options({ window: [1] }), TypeError, 'window', 'an array of 1', '[left, right]'],
  ['window [-1, 0]', options({ window: [-1, 0] }), RangeError, 'window[0]', '-1', 'a whole number from 0'],
  ['window [0, 0.5]', options({ window: [0, 0.5] }), RangeError, 'window[1]', '0.5', 'a whole number'],
  ['pastLength 2^31', options({ pastLength: 2 ** 31 }), RangeError, 'pastLength', '2147483648', 'to 2147483647'],
  ['pastLength Infinity', options({ pastLength: Infinity }), RangeError, 'pastLength', 'Infinity', 'whole'],
  ['too few key lengths', options({ keyLengths: [] }), RangeError, 'keyLengths', 'got 0', '1 batches'],
  ['key lengths beyond S', options({ keyLengths: [3] }), RangeError, 'keyLengths[0]', '3', 'from 0 to 2'],
  ['keyLengths 2', options({ keyLengths: 2 }), TypeError, 'keyLengths', 'got 2', 'one length for each batch'],
  ['a mask of other dims', options({ mask: [[true, false, true]] }), RangeError, 'mask', '(1, 3)', '(1, 1, 2, 2)'],
  ['a mask of five axes', options({ mask: zeros(1, 1, 1, 2, 2) }), RangeError, 'mask', '(1, 1, 1, 2, 2)', 'broadcast'],
  ['a bias of other dims', options({ bias: zeros(3, 2) }), RangeError, 'bias', '(3, 2)', '(1, 1, 2, 2)', 'equal or 1'],
  ['a boolean bias', options({ bias: [[true]] }), TypeError, 'bias', 'Uint8Array', 'Float32Array'],
  ['a float mask beside a bias', options({ mask: zeros(2, 2), bias: zeros(2, 2) }), TypeError, 'mask', 'bias', 'sum'],
  ['an unknown score', score('gausian'), RangeError, 'score.kind', '"gausian"', 'did you mean "gaussian"'],
  ['a score that is a number', score(1), TypeError, 'score', 'got 1', "'dot', 'gaussian'"],
  ['sigma of a dot score', score({ kind: 'dot', sigma: 1 }), TypeError, 'score', '"sigma"'],
  ['sigma 0', score({ kind: 'gaussian', sigma: 0 }), RangeError, 'score.sigma', 'got 0', 'from 1e-15'],
  ['an additive score without weights', score('additive'), TypeError, 'score.wQuery', 'undefined', 'a tensor'],
  ['additive weights of another size', score(additive), RangeError, 'score.wKey', '(4, 2)', '(A, Dk) = (4, 3)'],
  ['dropout without a generator', options({ dropout: { p: 0.5 } }), TypeError, 'dropout.generator', 'undefined'],
  ['dropout of 2', options({ dropout: { p: 2, generator: g } }), RangeError, 'dropout.p', 'got 2', 'from 0 to 1'],
  ['dropout 0.5', options({ dropout: 0.5 }), TypeError, 'dropout', 'got 0.5', 'an object'],
  ["another module's generator", options({ dropout: { p: 0.5, generator: other } }), TypeError, 'another module'],
  ['an unknown softmax axis', tracing({ softmaxAxis: 'key' }), RangeError, 'softmaxAxis', '"key"', 'mean "keys"'],
  ['an unknown masking', tracing({ masking: 'never' }), RangeError, 'masking', '"never"', '"before", "after"'],
  [
    'more than 4 GiB',
    () => qkv.trace(zeros(40000, 1), zeros(40000, 1), zeros(40000, 1)),
    RangeError,
    '4294967296 in all',
  ],
  ['a stream of 8 GiB', () => g.rand([2 ** 31]), RangeError, 'out of memory', '8589934592', '4294967296'],
  ['a seed of 1.5', () => qkv.generator(1.5), RangeError, 'seed', '1.5', 'a whole number'],
  ['a seed of 2^53', () => qkv.generator(2 ** 53), RangeError, 'seed', '9007199254740992', 'BigInt'],
  ['a seed of 2^64', () => qkv.generator(2n ** 64n), RangeError, 'seed', '18446744073709551616n', '2^64 - 1'],
  ['a seed "1"', () => qkv.generator(any('1')), TypeError, 'seed', '"1"', 'a whole number'],
  ['an unknown stream', () => qkv.generator(1, any({ stream: 'avx' })), RangeError, 'stream', '"avx"', '"vector"'],
  ['dims 3 of a stream', () => g.rand(any(3)), TypeError, 'rand: dims', 'got 3', 'array of sizes'],
  ['an empty range', () => g.randint(3, 3, [1]), RangeError, 'randint: high', 'got 3', 'from 4'],
  ['a range backwards', () => g.uniform([1], 2, 1), RangeError, 'uniform: to', 'got 1', 'from 2'],
  ['a negative std', () => g.normal([1], 0, -1), RangeError, 'normal: std', 'got -1', 'from 0'],
  ['a weight of another size', () => qkv.linear(x, zeros(4, 2)), RangeError, 'linear: x', '(2, 3)', '(4, 2)', 'be 2'],
  [
    'a linear bias of another size',
    () => qkv.linear(x, zeros(4, 3), zeros(3)),
    RangeError,
    'bias',
    '(3)',
    '(out) = (4)',
  ],
  ['a product that does not fit', () => qkv.matmul(x, zeros(2, 4)), RangeError, 'matmul: expected', '(2, 3)', '(2, 4)'],
  ['a product with a vector', () => qkv.matmul(x, zeros(3)), RangeError, 'matmul: b', '(3)', '(n, m)'],
  ['softmax of null', () => qkv.softmax(any(null)), TypeError, 'softmax: x', 'null', 'a tensor'],
  ['exp of a string', () => qkv.exp(any('a')), TypeError, 'exp: x', '"a"', 'a tensor'],
  [
    'an id beyond the table',
    () => embeddingLayer(g, 3, 2).forward([0, 3]),
    RangeError,
    'ids[1]',
    'got 3',
    'from 0 to 2',
  ],
  ['an id of 1.5', () => embeddingLayer(g, 3, 2).forward([1.5]), RangeError, 'ids[0]', 'got 1.5', 'whole'],
  ['3 heads for 8', () => multiheadAttention(g, 8, 3), RangeError, '3 heads', 'embedDim 8'],
  ['rows of another size', () => mha.forward(zeros(1, 2, 7)), RangeError, 'query', '(1, 2, 7)', '(B, L, 8)'],
  ['an empty state', () => mha.loadStateDict({}), RangeError, 'in_proj_weight (3E, E) = (24, 8)', 'nothing'],
  [
    'averageHeads',
    () => mha.forward(zeros(2, 8), undefined, undefined, any({ averageHeads: true })),
    TypeError,
    'Weights',
  ],
  ['an index too many', () => tensor([[1]]).at(0, 0, 0), RangeError, 'at', 'got 3', '(1, 1)'],
  ['an index as an array', () => any(tensor([[1]])).at([0, 0]), RangeError, 'at', 'got an array; write at(...index)'],
  ['numbers as arguments', () => any(tensor)(1, 2, 3), TypeError, 'as an array, tensor([1, 2, 3])', 'as arguments'],
  ['a weight (in, out)', () => qkv.linear(x, zeros(3, 4)), RangeError, 'the last axis of x must be 4'],
  ['a weight (3, 2)', () => qkv.linear(zeros(1, 3), zeros(3, 2)), RangeError, "(in, out) give layout: 'in,out'"],
  [
    'gelu_new',
    () => qkv.linear(x, x, undefined, any({ activation: 'gelu_new' })),
    RangeError,
    'here it is "gelu_tanh"',
  ],
  ['swish', () => qkv.linear(x, x, undefined, any({ activation: 'swish' })), RangeError, 'here it is "silu"'],
  ['an index outside', () => tensor([[1]]).at(0, 1), RangeError, 'at', 'index 1 of axis 1', '(1, 1)'],
  ['a row outside', () => tensor([[1]]).row(1), RangeError, 'row', 'index 1', '(1, 1)'],
  ['a shape of another size', () => tensor([[1]]).reshape([2]), RangeError, 'reshape', '(2)', '1 values', '(1, 1)'],
  ['an order with an axis twice', () => tensor([[1]]).permute([0, 0]), RangeError, 'permute', '(0, 0)', '2 axes'],
  ['one axis to exchange', () => tensor([1]).T, RangeError, 'T', '(1)', 'two axes'],
  ['2 heads of rows of 3', () => splitHeads(x, 2), RangeError, 'splitHeads', '2 heads', '(2, 3)'],
  ['no heads to join', () => joinHeads(x), RangeError, 'joinHeads', '(..., H, L, d)', '(2, 3)'],
]

/** @param {unknown} error @param {Function} Type @param {string[]} parts */
function checkError(error, Type, parts) {
  assert.ok(error instanceof Error)
  assert.equal(error.constructor, Type, error.message)
  for (const part of parts) assert.ok(error.message.includes(part), `"${error.message}" lacks "${part}"`)
}

/** Checks a call with a known result. All scores are equal, so the output is the mean of the values. */
function checkAlive() {
  assert.equal(qkv.memory.used, 0)
  const { output } = qkv.attention([[0]], [[1], [2]], [[10], [20]])
  assert.deepEqual(output.tolist(), [[15]])
}

for (const [title, call, Type, ...parts] of bad)
  test(`${title}: a ${Type.name} that says ${parts.join(' ... ')}`, () => {
    assert.throws(call, error => {
      checkError(error, Type, parts)
      return true
    })
    checkAlive()
  })

test('a getter that throws leaves no memory in use', () => {
  const thrown = new Error('from the getter')
  const trap = (/** @type {string} */ name, /** @type {object} */ rest) =>
    Object.defineProperty({ ...rest }, name, {
      enumerable: true,
      get() {
        throw thrown
      },
    })
  const calls = [
    () => attend(trap('data', { dims: [2, 3] })),
    () => attend(x, x, trap('dims', { data: x.data })),
    ...['scale', 'mask', 'dropout', 'window'].map(name => options(trap(name, {}))),
  ]
  for (const call of calls) {
    assert.throws(call, thrown)
    checkAlive()
  }
})

test('a getter that calls the module changes nothing', () => {
  const [q, k, v, mask] = [g.randn([3, 4]), g.randn([5, 4]), g.randn([5, 2]), g.rand([3, 5])]
  const given = { scale: 0.3, score: 'dot', softcap: 2, window: [1, 2], pastLength: 1, mask, keyLengths: [4] }
  const forms = /** @type {any[]} */ ([
    [given, 'attention'],
    [{ ...given, softmaxAxis: 'keys', masking: 'after' }, 'trace'],
  ])
  const meddle = () => {
    const y = g.randn([2, 3, 7, 8])
    qkv.attention(y, y, y, { causal: true, softcap: 1, score: 'gaussian', mask: [[true]] })
    qkv.trace(y, y, y, { window: [0, 0], masking: 'after', bias: [[1]] })
    assert.throws(options({ scale: NaN }))
    mha.forward(y.reshape([6, 7, 8]))
    qkv.alloc([100_000]).data.fill(NaN)
  }
  /** Returns a copy of an object with getters that call the module before they return its values. @param {object} object */
  const meddling = object =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(object).map(([name, value]) => [
          name,
          {
            enumerable: true,
            get() {
              meddle()
              return value
            },
          },
        ]),
      ),
    )
  for (const [options, kernel] of forms) {
    const want = any(qkv)[kernel](q, k, v, options)
    const operands = [q, k, v].map(({ data, dims }) => meddling({ data, dims }))
    assert.deepEqual(any(qkv)[kernel](...operands, meddling(options)), want)
  }
  const padding = { keyPaddingMask: tensor([[false, true]]), scale: 2, causal: true, averageWeights: false }
  const x = g.randn([1, 2, 8])
  assert.deepEqual(mha.forward(x, x, x, meddling(padding)), mha.forward(x, x, x, padding))
  checkAlive()
})

test('empty tensors give empty or zero results', () => {
  /** @type {Record<string, number>} */
  const sizes = { B: 2, H: 2, L: 3, S: 4, D: 5, E: 6 }
  for (const empty of Object.keys(sizes)) {
    const [B, H, L, S, D, E] = Object.keys(sizes).map(name => (name === empty ? 0 : sizes[name]))
    const v = zeros(B, H, S, E)
    v.data.fill(2)
    const dropout = { p: 0, generator: g }
    for (const kernel of /** @type {const} */ (['attention', 'trace'])) {
      const { output } = qkv[kernel](zeros(B, H, L, D), zeros(B, H, S, D), v, { dropout, softcap: 1, causal: true })
      assert.deepEqual([...output.dims], [B, H, L, E])
      // without D all scores are 0, so the output is the mean of the values
      assert.deepEqual([...output.data], Array(B * H * L * E).fill(empty === 'D' ? 2 : 0))
    }
  }
  for (const dims of [[0], [0, 3], [3, 0]]) assert.deepEqual([...qkv.softmax(zeros(...dims)).dims], dims)
  assert.deepEqual([...embeddingLayer(g, 3, 2).forward([]).dims], [0, 2])
  assert.deepEqual([...mha.forward(zeros(2, 0, 8)).output.dims], [2, 0, 8])
  assert.equal(qkv.memory.used, 0)
})

test('inputs may share memory, be parts of an array, be shared, have shape instead of dims or come from onnxruntime', () => {
  const data = Float32Array.of(1, 2, 3, 4, 5, 6)
  const want = qkv.attention({ data, dims: [2, 3] }, { data, dims: [2, 3] }, { data, dims: [2, 3] }).output
  const part = Float32Array.of(9, ...data, 9).subarray(1, 7)
  const shared = new Float32Array(new SharedArrayBuffer(24))
  shared.set(data)
  const inputs = [
    { data, dims: [2, 3] },
    { data, shape: [2, 3] },
    { data, dims: Int32Array.of(2, 3) },
    { data: part, dims: [2, 3] },
    { data: shared, dims: [2, 3] },
    { data: Float64Array.from(data), dims: [2, 3] },
    { data: Array.from(data), dims: [2, 3] },
    { type: 'float32', data, dims: [2, 3], size: 6, location: 'cpu' },
    tensor(data, [2, 3]),
    tensor(data, [2, 3]).tolist(),
  ]
  for (const input of inputs) assert.deepEqual(attend(input), { output: want })
  const [q, k, v] = [0, 1, 2].map(i => ({ data: data.subarray(i, i + 4), dims: [2, 2] }))
  const copies = [q, k, v].map(({ data, dims }) => ({ data: data.slice(), dims }))
  assert.deepEqual(qkv.attention(q, k, v), qkv.attention(copies[0], copies[1], copies[2]))
  assert.deepEqual([...data], [1, 2, 3, 4, 5, 6]) // attention has not written to its inputs
})

test('an error within a call frees the memory of the call', () => {
  const generator = qkv.generator(1)
  generator.withState = () => {
    assert.ok(qkv.memory.used > 0)
    throw new Error('in the middle')
  }
  assert.throws(options({ dropout: { p: 0.5, generator } }), /in the middle/)
  checkAlive()
})

const bytes = readFileSync(new URL('../src/qkv.wasm', import.meta.url))
const header = [0, 97, 115, 109, 1, 0, 0, 0]
const name = [7, ...Buffer.from('qkv_abi')]
/** The body of a function that returns our ABI version: size, no locals, i32.const, end. */
const one = [4, 0, 65, ABI, 11]
/** A module with only qkv_abi. */
const bare = new Uint8Array([
  ...header,
  1,
  5,
  1,
  96,
  0,
  1,
  127,
  3,
  2,
  1,
  0, // one function () -> i32
  7,
  name.length + 3,
  1,
  ...name,
  0,
  0,
  10,
  one.length + 1,
  1,
  ...one,
])
const newer = Buffer.from(bytes)
newer[newer.indexOf(Buffer.from(one)) + 3] = 63
const importing = new Uint8Array([...header, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 97, 1, 98, 0, 0]) // a module that imports a function a.b

/** @type {[title: string, source: any, code: string, ...parts: string[]][]} */
const unloadable = [
  ['a file that is not there', new URL('./none.wasm', import.meta.url), 'WASM_MISSING', 'none.wasm', 'no such file'],
  [
    'a response of 404',
    new Response('', { status: 404 }),
    'WASM_MISSING',
    'answers 404',
    'copy the file from qkv/dist beside the bundle, or give its address to load',
  ],
  [
    'the page that a server sends for what it does not have',
    new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    'WASM_MISSING',
    'answers 200',
    'text/html',
    'copy the file',
  ],
  ['half of the file', bytes.subarray(0, 9999), 'WASM_INVALID', 'damaged (9999 bytes)'],
  ['an empty file', new Uint8Array(0), 'WASM_INVALID', '0 bytes'],
  ['a web page', Buffer.from('<!doctype html>'), 'WASM_INVALID', 'damaged'],
  ['a module that imports', importing, 'WASM_INVALID', 'not the one of qkv'],
  ['a module without exports', new Uint8Array(header), 'WASM_VERSION', 'version none', 'from one package'],
  ['the module of another version', newer, 'WASM_VERSION', 'version 63', `JavaScript ${ABI}`],
  ['a module of our version with nothing else in it', bare, 'WASM_VERSION', 'version none'],
]
for (const [title, wasm, code, ...parts] of unloadable)
  test(`${title}: a QkvError with code ${code}`, async () => {
    await assert.rejects(load({ wasm }), error => {
      checkError(error, QkvError, parts)
      assert.equal(/** @type {QkvError} */ (error).code, code)
      return true
    })
  })

test('an engine without SIMD: a QkvError with code NO_SIMD that names engines', async t => {
  t.mock.method(WebAssembly, 'validate', () => false)
  await assert.rejects(load(), { name: 'QkvError', code: 'NO_SIMD', message: /Chrome 91/ })
})

test('wasm that is a number: a TypeError with the expected types', async () => {
  await assert.rejects(load({ wasm: any(3) }), { name: 'TypeError', message: /wasm: expected bytes.*got 3/ })
  await assert.rejects(load(any({ wsam: bytes })), { name: 'TypeError', message: /did you mean "wasm"/ })
})

test('a Response of application/wasm is compiled while it arrives, of another type once it is there', async t => {
  const streaming = t.mock.method(WebAssembly, 'compileStreaming')
  const response = (/** @type {string} */ type, body = bytes) =>
    new Response(body, { headers: { 'content-type': type } })
  await load({ wasm: response('text/plain') })
  assert.equal(streaming.mock.callCount(), 0)
  await load({ wasm: response('application/wasm') })
  assert.equal(streaming.mock.callCount(), 1)
  await assert.rejects(load({ wasm: response('application/wasm', bytes.subarray(0, 9999)) }), {
    code: 'WASM_INVALID',
    message: /damaged/,
  })
})

test('wasm loads from bytes, a buffer, a Module, a URL, its text and a Response', async () => {
  const url = new URL('../src/qkv.wasm', import.meta.url)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const sources = [bytes, buffer, new WebAssembly.Module(bytes), url, url.href, new Response(bytes)]
  for (const wasm of [...sources, Promise.resolve(new Response(bytes))]) {
    const { output } = (await load({ wasm })).attention([[1]], [[1]], [[7]])
    assert.deepEqual(output.tolist(), [[7]])
  }
})

test('an argument is described in few words, however long its text, its keys or the name of its class', () => {
  const long = 'x'.repeat(1e5)
  const bare = Object.assign(Object.create(null), { a: 1, b: 2 })
  const named = (/** @type {unknown} */ value) => new (Object.defineProperty(class {}, 'name', { value }))()
  const given = [
    [bare, /: .*got an object with a, b/],
    [Object.create(null), /: .*got an empty object/],
    [{ [long]: 1 }, /: .*got an object with x{40}\.\.\./],
    [{ constructor: { name: long } }, /: .*got an object with constructor/],
    [{ constructor: null }, /: .*got an object with constructor/],
    [named(long), /: .*got a x{40}\.\.\./],
    [named(Symbol('s')), /: .*got an object/],
    [10n ** 1000n, /: .*got 10{39}\.\.\./],
    [Symbol(long), /: .*got Symbol\(x{33}\.\.\./],
  ]
  for (const [value, message] of given) assert.throws(() => qkv.softmax(any(value)), { name: 'TypeError', message })
})
