// Tests which files One layer reads, and with what message it refuses others. import.test.js gives files to the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Trouble } from '../../web/files/trouble.js'
import { loadTexts } from '../../web/i18n/index.js'
import { readFiles } from '../../web/rooms/layer/import-files.js'
import { header, json, npy, raw } from './files.js'

test('types and orders of .npy are read as their numbers', async () => {
  const bytesOf = (/** @type {ArrayBufferView} */ view) => new Uint8Array(view.buffer)
  for (const [name, file, want] of /** @type {[string, import('./files.js').GivenFile, number[]][]} */ ([
    ['f2', raw(header('<f2', '(1, 2)'), bytesOf(Uint16Array.of(0x3400, 0x3a00))), [0.25, 0.75]],
    ['big-endian f4', raw(header('>f4', '(1, 1)'), [0x3f, 0x40, 0, 0]), [0.75]],
    ['f8', raw(header('<f8', '(1, 2)'), bytesOf(Float64Array.of(0.125, 0.875))), [0.125, 0.875]],
    ['i4', raw(header('<i4', '(2, 2)'), bytesOf(Int32Array.of(1, 0, 0, 1))), [1, 0, 0, 1]],
    ['i8', raw(header('<i8', '(1, 2L)'), bytesOf(BigInt64Array.of(1n, 0n))), [1, 0]],
    ['booleans', raw(header('|b1', '(1, 3)'), [0, 1, 0]), [0, 1, 0]],
    [
      'Fortran order',
      raw(header('<f4', '(2, 3)', true), bytesOf(Float32Array.of(0.5, 0.25, 0.25, 0.5, 0.25, 0.25))),
      [0.5, 0.25, 0.25, 0.25, 0.5, 0.25],
    ],
    ['leading axes of one', npy([1, 1, 1, 2], [0.5, 0.5]), [0.5, 0.5]],
  ])) {
    const { imported } = await readFiles([new File([new Uint8Array(file.buffer)], file.name)])
    assert.deepEqual(Array.from(/** @type {any} */ (imported)?.weights.data), want, name)
  }
})

const MARKUP = '<img src=x onerror=alert(1)>'
/** @type {[string, import('./files.js').GivenFile[], RegExp][]} */
const BAD = [
  [
    'a truncated .npy',
    [{ name: 'a.npy', buffer: npy([2, 2], [1, 0, 0, 1]).buffer.subarray(0, 140) }],
    /says \(2, 2\)\. Numbers expected: 4; the file holds 3/,
  ],
  [
    'a .npy that ends in its header',
    [{ name: 'a.npy', buffer: npy([2, 2], [1, 0, 0, 1]).buffer.subarray(0, 40) }],
    /ends within its header/,
  ],
  ['a .npy of two bytes', [{ name: 'a.npy', buffer: Buffer.from([0x93, 0x4e]) }], /does not begin/],
  [
    'a .npy of eight bytes',
    [{ name: 'a.npy', buffer: Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]) }],
    /ends within its header/,
  ],
  ['an empty .npy', [{ name: 'a.npy', buffer: Buffer.alloc(0) }], /does not begin/],
  ['a picture called .npy', [{ name: 'a.npy', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]) }], /does not begin/],
  ['a header that lies', [raw(header('<f4', '(1000, 1000)'), [0, 0, 0, 0])], /expected: 1000000; the file holds 1/],
  ['huge dims', [raw(header('<f4', '(4294967296, 4294967296, 4294967296)'), [0, 0, 0, 0])], /the file holds 1/],
  [
    'a header of an endless number',
    [raw(header('<f4', `(${'9'.repeat(400)}, 1)`), [0, 0, 0, 0])],
    /Infinity|the file holds 1/,
  ],
  ['zero dims', [raw(header('<f4', '(0, 4)'), [])], /sizes \(0, 4\)\. Expected/],
  ['one axis', [npy([4], [1, 0, 0, 0])], /sizes \(4\)\. Expected/],
  ['a batch', [npy([2, 1, 1, 1], [1, 1])], /sizes \(2, 1, 1, 1\)\. Expected.*Take one/],
  ['complex numbers', [raw(header('<c8', '(1, 1)'), [0, 0, 0, 0, 0, 0, 0, 0])], /holds “<c8”.*astype/],
  ['Python objects', [raw(header('|O', '(1, 1)'), [1, 2, 3])], /holds “\|O”/],
  [
    'records',
    [raw("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1, 1), }\n", [0, 0, 0, 0])],
    /holds “struct”/,
  ],
  ['a header that says nothing', [raw('{}\n', [])], /does not say type/],
  [
    'a later version',
    [{ name: 'a.npy', buffer: Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 9, 0, 0, 0, 0, 0]) }],
    /version 9/,
  ],
  ['NaN in .npy', [npy([1, 2], [0.5, Number.NaN])], /Number 2 of weights is “NaN”/],
  ['NaN in JSON', [{ name: 'a.json', buffer: Buffer.from('{"weights": [[NaN]]}') }], /NaN or Infinity/],
  ['numbers beyond float32', [json({ weights: [[1e300]] })], /Number 1 of weights is “1e\+300”/],
  ['null in JSON', [json({ weights: [[null]] })], /is “null”/],
  ['truncated JSON', [{ name: 'a.json', buffer: Buffer.from('{"weights": [[1, 0') }], /This is not JSON/],
  ['a picture', [{ name: 'a.png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) }], /neither JSON nor \.npy/],
  ['a number', [json(7)], /tensor is expected/],
  ['an object of something else', [json({ planes: 7 })], /Found: —\. Expected/],
  ['Q alone', [json({ q: [[1]] })], /Found: q\. Expected/],
  ['ragged rows', [json([[1, 0], [1]])], /ragged/],
  ['dims that lie', [json({ dims: [2, 2], data: [1] })], /Numbers in .*: 1; by its sizes .* should be 4/],
  ['dims that are no numbers', [json({ dims: ['2', -1], data: [1] })], /sizes \(2, -1\)/],
  ['keys of another size', [json({ q: [[1, 2]], k: [[1]], v: [[1]] })], /k has sizes \(1, 1\), but \(S, 2\) fits/],
  ['values of another count', [json({ weights: [[1]], v: [[1], [2]] })], /v has sizes \(2, 1\), but \(1, d\)/],
  ['scores for weights', [json([[-1, 2]])], /weights are shares/],
  ['markup for a number', [json([[MARKUP]])], /is “<img src=x/],
  [
    'markup for a name',
    [
      { name: `${MARKUP.replace('x', 'y')}.npy`.replaceAll('/', ''), buffer: npy([1, 1], [1]).buffer },
      npy([1, 1], [1], 'q.npy'),
    ],
    /“<img.* does not say what it holds/,
  ],
  ['tokens that are none', [json({ weights: [[1]], tokens: [1] })], /list of texts/],
  ['too many tokens', [json({ weights: [[1]], tokens: ['a', 'b'] })], /: 2; rows or columns: 1/],
  ['a hundred heads', [npy([100, 1, 1], new Float32Array(100).fill(1))], /100 heads are too many/],
  ['three thousand keys', [npy([1, 3000], new Float32Array(3000).fill(1))], /up to 2048 tokens, but there are 3000/],
  [
    'a file that is neither',
    [{ name: 'notes.txt', buffer: Buffer.from('x') }],
    /“notes\.txt” is neither JSON nor \.npy/,
  ],
  ['deep JSON', [{ name: 'a.json', buffer: Buffer.from('['.repeat(100_000) + ']'.repeat(100_000)) }], /is “\[…\]”/],
  [
    '50 MB of JSON',
    [{ name: 'a.json', buffer: Buffer.alloc(50e6 - 1, 32) }],
    /That is 50 MB; this page reads up to 32 MB/,
  ],
  ['a link of the page that is damaged', [json({ link: '#2~x&sentence=b' })], /damaged/],
]

test('each unreadable or contradictory file is refused with its reason', async () => {
  const t = await loadTexts('en', ['shell', 'layer', 'layer-parts'])
  for (const [name, files, message] of BAD) {
    const given = files.map(({ name, buffer }) => new File([new Uint8Array(buffer)], name))
    await readFiles(given).then(
      () => assert.fail(`${name}: read`),
      error => {
        assert.ok(error instanceof Trouble, `${name}: ${error.stack}`)
        assert.match(t(/** @type {any} */ (error.key), error.params), message, name)
      },
    )
  }
})
