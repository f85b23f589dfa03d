// The header of a GGUF file: metadata and the list of tensors. A file with any wrong byte is refused.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { BLOCK_TYPES } from '../../src/models/gguf/block-types.js'
import { readGguf } from '../../src/models/gguf/read-gguf.js'
import { writeGguf } from './gguf/write-gguf.js'
import { randomOf } from './tokenizers/random-files.js'

/** @param {Uint8Array} bytes @param {boolean} [isSized] */
const sourceOf = (bytes, isSized = true) => ({
  ...(isSized && { size: bytes.length }),
  read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
})
const read = (/** @type {Uint8Array} */ bytes) => readGguf(sourceOf(bytes), 'f')

/** @param {string} type @param {readonly number[]} dims */
function zeros(type, dims) {
  const [, weights, bytes] = BLOCK_TYPES[type]
  return { type, dims, bytes: new Uint8Array((dims.reduce((a, b) => a * b) / weights) * bytes) }
}

/** @type {[string, import('./gguf/write-gguf.js').Value][]} */
const KEYS = [
  ['general.architecture', 'llama'],
  ['a.uint8', { type: 'uint8', value: 255 }],
  ['a.int8', { type: 'int8', value: -128 }],
  ['a.uint16', { type: 'uint16', value: 65535 }],
  ['a.int16', { type: 'int16', value: -32768 }],
  ['a.uint32', { type: 'uint32', value: 2 ** 32 - 1 }],
  ['a.int32', { type: 'int32', value: -(2 ** 31) }],
  ['a.float32', { type: 'float32', value: 1.5 }],
  ['a.bool', true],
  ['a.uint64', { type: 'uint64', value: 2 ** 53 - 1 }],
  ['a.int64', { type: 'int64', value: -5 }],
  ['a.float64', { type: 'float64', value: Math.PI }],
  ['tokenizer.ggml.tokens', ['a', '\uFEFF', '', 'é😀']],
  ['tokenizer.ggml.scores', { type: 'float32', value: [0, -1.5] }],
  ['b.int64', { type: 'int64', value: [1, -2] }],
  ['b.bool', { type: 'bool', value: [true, false] }],
  ['b.empty', { type: 'int32', value: [] }],
]

test('values of every type are read, and tensors of every type of blocks', async () => {
  const tensors = Object.keys(BLOCK_TYPES).map(type => ({ name: `of.${type}`, ...zeros(type, [3, 2, 256]) }))
  const bytes = writeGguf(KEYS, tensors)
  for (const source of [sourceOf(bytes), sourceOf(bytes, false)]) {
    const { metadata, tensors: found } = await readGguf(source, 'f')
    const plain = KEYS.map(([key, value]) => [key, /** @type {any} */ (value).value ?? value])
    assert.deepEqual(
      Array.from(metadata, ([key, value]) => [
        key,
        ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value,
      ]),
      plain,
    )
    assert.ok(metadata.get('tokenizer.ggml.scores') instanceof Float32Array)
    for (const [n, { name, dtype, dims, from, to }] of found.entries()) {
      assert.deepEqual(
        [name, dtype, dims, to - from],
        [tensors[n].name, tensors[n].type, tensors[n].dims, tensors[n].bytes.length],
      )
      assert.equal(from % 32, 0)
    }
    assert.equal(found.at(-1)?.to, bytes.length)
  }
})

test('a header of several MiB is read once, from a source of any block size', async () => {
  const tokens = Array.from({ length: 200_000 }, (_, n) => `token ${n}`)
  const bytes = writeGguf([['tokenizer.ggml.tokens', tokens]], [{ name: 'x', ...zeros('F32', [2]) }])
  let sum = 0
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => {
      sum += to - from
      return bytes.subarray(from, to)
    },
  }
  const { metadata } = await readGguf(source, 'f')
  assert.deepEqual(metadata.get('tokenizer.ggml.tokens'), tokens)
  assert.equal(sum, bytes.length)
})

const x = { name: 'x', ...zeros('F32', [8]) }
const text = (/** @type {string} */ given) => new TextEncoder().encode(given)
/** @param {Uint8Array} bytes @param {number} at @param {bigint} value */
function withInteger(bytes, at, value) {
  const copy = bytes.slice()
  new DataView(copy.buffer).setBigUint64(at, value, true)
  return copy
}

/** @param {Uint8Array} bytes @param {number} at @param {number} value */
function withUint32(bytes, at, value) {
  const copy = bytes.slice()
  new DataView(copy.buffer).setUint32(at, value, true)
  return copy
}

/** @type {[string, Uint8Array, RegExp][]} */
const WRONG = [
  [
    'nothing',
    new Uint8Array(0),
    /begins with "", a GGUF file with "GGUF": it is another kind of file, .* download it again$/,
  ],
  ['another file', text('PK\x03\x04 and so on'), /begins with "PK/],
  ['the magic alone', text('GGUF'), /the version needs 4 bytes from byte 4 on, 0 are there/],
  ['version 1', writeGguf([], [], { version: 1 }), /version 1 of GGUF is not covered; covered: 2, 3/],
  ['version 4', writeGguf([], [], { version: 4 }), /version 4 of GGUF/],
  ['big-endian', writeGguf([], [], { version: 0x03000000 }), /it is big-endian: convert it/],
  ['2^60 tensors', writeGguf([], [], { tensorCount: 2n ** 60n }), /the number of tensors is 1152921504606846976/],
  [
    '2^50 tensors',
    writeGguf([], [], { tensorCount: 2n ** 50n }),
    /the number of tensors is \d+, which the \d+ bytes that follow cannot hold: the file is cut off or damaged, download it again$/,
  ],
  ['2^60 keys', writeGguf([], [], { keyCount: 2n ** 60n }), /the number of metadata keys is 1152921504606846976/],
  ['more keys than there are', writeGguf([['a', 1]], [x], { keyCount: 2n }), /./],
  [
    'a key twice',
    writeGguf([
      ['a', 1],
      ['a', 2],
    ]),
    /the metadata key "a" is there twice/,
  ],
  [
    'a key of 1 GB',
    withInteger(writeGguf([['abcdefgh', 1]]), 24, 2n ** 30n),
    /metadata key 0 has 1073741824 bytes, at most 65536/,
  ],
  [
    'a text of 1 GB',
    withInteger(writeGguf([['a', 'abc']]), 37, 2n ** 30n),
    /a needs 1073741824 bytes from byte 45 on, 3 are there/,
  ],
  [
    'an array of 2^40',
    withInteger(writeGguf([['a', { type: 'uint8', value: [1, 2] }]]), 41, 2n ** 40n),
    /the length of a is 1099511627776, which/,
  ],
  [
    'texts of 2^40',
    withInteger(writeGguf([['a', ['b', 'c']]]), 41, 2n ** 40n),
    /the length of a is 1099511627776, which/,
  ],
  ['an integer beyond 2^53', writeGguf([['a', 2n ** 53n]]), /a is 9007199254740992, whole numbers up to 2\^53/],
  ['a boolean of 2', writeGguf([['a', { type: 'bool', value: 2 }]]), /a: expected 0 or 1 for a boolean, got 2/],
  [
    'an array of arrays',
    writeGguf([['a', { type: 'array', value: [] }]]),
    /a: expected an array of numbers, booleans or texts, got one of type 9/,
  ],
  [
    'a token that is no UTF-8',
    writeGguf([['tokenizer.x', { type: 'string', value: Uint8Array.of(0xff) }]]),
    /tokenizer.x is no UTF-8/,
  ],
  ['a tensor twice', writeGguf([], [x, x]), /tensor "x" is there twice/],
  ['no dimension', writeGguf([], [{ ...x, dims: [] }]), /tensor "x": expected 1 to 4 dimensions, got 0/],
  [
    'five dimensions',
    writeGguf([], [{ ...x, dims: [1, 1, 1, 1, 8] }]),
    /tensor "x": expected 1 to 4 dimensions, got 5/,
  ],
  ['a size of 0', writeGguf([], [{ ...x, dims: [0] }]), /tensor "x": \(0\) is no shape/],
  ['sizes whose product is beyond 2^53', writeGguf([], [{ ...x, dims: [2 ** 30, 2 ** 30] }]), /is no shape of weights/],
  [
    'a type that is not covered',
    writeGguf([], [{ ...x, type: 16 }]),
    /tensor "x": type IQ2_XXS is not covered; covered: F32, F16, Q4_0, .*Open another quantisation of the model$/,
  ],
  ['a type that nobody knows', writeGguf([], [{ ...x, type: 99 }]), /tensor "x": type 99 is not covered/],
  [
    'blocks that do not divide a row',
    writeGguf([], [{ ...x, type: 'Q8_0', dims: [32, 33] }]),
    /Q8_0 has blocks of 32 weights, which do not divide rows of 33/,
  ],
  ['an overlap', writeGguf([], [x, { ...x, name: 'y', offset: 0 }]), /tensor "y": .* begin at 32 of the data, .*got 0/],
  ['a gap', writeGguf([], [x, { ...x, name: 'y', offset: 64 }]), /tensor "y": .* begin at 32 of the data, .*got 64/],
  ['an offset outside', writeGguf([], [{ ...x, offset: 2n ** 52n }]), /tensor "x": .*got 4503599627370496/],
  ['an alignment of 3', writeGguf([['general.alignment', 3]], [x]), /general.alignment: expected a power of 2.*got 3/],
  ['an alignment of 0', writeGguf([['general.alignment', 0]], [x]), /general.alignment: .*got 0/],
  ['an alignment that is a text', writeGguf([['general.alignment', '32']], [x]), /general.alignment: .*got "32"/],
  [
    'an alignment below that of the tensors',
    withUint32(writeGguf([['general.alignment', 32]], [x]), 24 + 8 + 17 + 4, 2),
    /\d+ bytes follow the last tensor, expected none: general\.alignment, 2, is not that of the tensors/,
  ],
  [
    'bytes after the last tensor',
    Uint8Array.of(...writeGguf([], [x]), 0, 0),
    /2 bytes follow the last tensor, expected none/,
  ],
  [
    'a cut file',
    writeGguf([], [x]).subarray(0, -1),
    /tensor "x" ends at byte \d+, the file has \d+: it is cut off, download it again$/,
  ],
]

for (const [name, bytes, message] of WRONG)
  test(`${name} is refused`, async () => {
    await assert.rejects(
      read(bytes),
      error => error instanceof RangeError && error.message.startsWith('f: ') && message.test(error.message),
    )
  })

test('the padding after the last tensor, which llama.cpp writes, is accepted', async () => {
  const bytes = writeGguf([], [{ name: 'y', ...zeros('F32', [3]) }])
  const { tensors } = await read(Uint8Array.of(...bytes, ...new Uint8Array(20)))
  assert.equal(tensors[0].to, bytes.length)
})

test('a file that is cut anywhere is refused, with and without a known size', async () => {
  const bytes = writeGguf(KEYS, [x, { name: 'y', ...zeros('Q4_K', [2, 256]) }])
  const end = (await read(bytes)).tensors[0].from
  for (let length = 0; length < bytes.length; length++)
    await assert.rejects(read(bytes.subarray(0, length)), RangeError)
  for (let length = 0; length < end - 32; length++)
    await assert.rejects(readGguf(sourceOf(bytes.subarray(0, length), false), 'f'), RangeError)
})

const MUTATIONS = 50_000

test(`${MUTATIONS} files with wrong bytes are read or refused, without much memory`, async () => {
  const right = writeGguf(KEYS, [x, { name: 'y', ...zeros('Q4_K', [2, 256]) }, { name: 'z', ...zeros('Q6_K', [256]) }])
  const { tensors } = await read(right)
  const random = randomOf(7)
  const values = [0, 1, 2, 7, 8, 9, 31, 32, 127, 128, 254, 255]
  let refused = 0
  for (let n = 0; n < MUTATIONS; n++) {
    const bytes = right.slice(0, random.below(8) ? right.length : random.below(right.length))
    for (let i = random.below(4); i >= 0; i--)
      bytes[random.below(Math.min(bytes.length, tensors[0].from)) || 0] = values[random.below(values.length)]
    const before = process.memoryUsage().arrayBuffers
    const found = await read(bytes).catch(error => {
      assert.ok(error instanceof RangeError && error.message.startsWith('f: '), error)
      refused++
    })
    assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 24)
    for (const { from, to, dims, dtype } of found?.tensors ?? []) {
      const [, weights, size] = BLOCK_TYPES[dtype]
      assert.equal(to - from, (dims.reduce((a, b) => a * b) / weights) * size)
      assert.ok(from >= 0 && to <= bytes.length)
    }
  }
  assert.ok(refused > MUTATIONS / 2 && refused < MUTATIONS, `${refused} of ${MUTATIONS} refused`)
})

const VOCABULARIES = new URL('../../../shared/gguf/', import.meta.url)

test('the vocabulary files of llama.cpp are read', {
  skip: !existsSync(VOCABULARIES) && 'the files are not there',
}, async () => {
  const files = readdirSync(VOCABULARIES).filter(name => name.endsWith('.gguf'))
  for (const name of files) {
    const { metadata } = await readGguf(sourceOf(new Uint8Array(readFileSync(new URL(name, VOCABULARIES)))), name)
    const tokens = /** @type {string[]} */ (metadata.get('tokenizer.ggml.tokens'))
    assert.equal(tokens.length, new Set(tokens).size, name)
  }
})
