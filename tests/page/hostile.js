// Makes hostile links and files from a seed. It reads the descriptions of the settings, so that new fields are tested, too.

import { writeNpy } from '../../web/files/npy.js'
import { DEFAULTS, describe, FIELD_NAMES, FIELDS, HAND_BUILT } from '../../web/rooms/layer/fields.js'
import { MATRIX_IDS } from '../../web/rooms/layer/matrices.js'
import { POSITIONS } from '../../web/rooms/learn/fields.js'
import { room as learnRoom } from '../../web/rooms/learn/room.js'
import { TASKS } from '../../web/rooms/learn/tasks/index.js'
import { toLink } from '../../web/shell/settings-link.js'

/** @import { FieldName } from '../../web/rooms/layer/fields.js' */

/** Returns a random generator, Mulberry32. @param {number} seed @returns {() => number} from 0 to 1 */
export function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** @param {() => number} random */
function toolsOf(random) {
  const below = (/** @type {number} */ n) => Math.floor(random() * n)
  /** @template T @param {readonly T[]} list @returns {T} */
  const one = list => list[below(list.length)]
  const list = (/** @type {number} */ n, /** @type {() => any} */ make) => Array.from({ length: n }, make)
  return { below, one, list }
}

const NUMBERS = [
  '1e308',
  '1e39',
  '3e38',
  '-3e38',
  '99999999',
  '-1',
  '0',
  '0.5',
  '1e-45',
  'NaN',
  'Infinity',
  '',
  'x',
  '1,5',
  '9007199254740993',
  '0x10',
  '٣',
  '1e999',
  '  2 ',
  '−2',
  '2048',
  '4096',
]
const WORDS = [
  'the',
  'cat',
  'sat',
  '五',
  '👩‍👩‍👧‍👦',
  'e\u0301\u200d',
  '<b>',
  '&',
  '%',
  '"',
  '\u202e',
  '\u0000',
  'שלום',
  '__proto__',
  '{x}',
  '$&',
]

/** @param {() => number} random */
export function linkOf(random) {
  const { below, one, list } = toolsOf(random)
  const sentence = () => list(one([0, 1, 2, 6, 9, 20]), () => one(WORDS)).join(one([' ', ' ', '']))
  const count = () => String(one([0, 1, 2, 5, 7, 99_999, 100_000, -1, 1e9]))
  const cell = () =>
    [one([...MATRIX_IDS, 'weights', 'X', 'constructor', '__proto__']), count(), count(), count()].join('.')
  const tensor = (/** @type {number[]} */ dims) => ({
    dims,
    data: list(one([dims.reduce((a, b) => a * b, 1), 1]), () => one([0, 1, 0.5, 3e38, 1e-45, -3e38, 1e39])),
  })
  const given = () => {
    const [H, L, S, d] = list(4, () => 1 + below(3))
    const x = (/** @type {number} */ rows) =>
      tensor(
        one([
          [H, rows, d],
          [rows, d],
        ]),
      )
    return one([
      { q: x(L), k: x(S), v: x(S) },
      { weights: tensor([L, S]) },
      { weights: tensor([H, L, S]), v: tensor([H, S, d]) },
      { weights: { dims: [1, 2], data: [0.5, 0.5] }, tokens: ['a'] },
      { q: { dims: [1, 1], data: [3e38] }, k: { dims: [1, 1], data: [3e38] }, v: { dims: [1, 1], data: [3e38] } },
    ])
  }
  /** Returns a text for a field, usually a valid value. @param {FieldName} name @returns {string} */
  const value = name => {
    const { type, choices, least = 0, most = 10 } = describe(name).kind
    if (random() < 0.05) return one([...NUMBERS, ...WORDS])
    if (choices) return String(one(choices))
    if (type === 'whole' || type === 'real')
      return random() < 0.6
        ? String(least + below(Math.min(most - least, 12)))
        : random() < 0.3
          ? String(most)
          : one(NUMBERS)
    if (name === 'seed') return one(['1', '-9', '18446744073709551615', '18446744073709551616', 'x', ''])
    if (type === 'edits') return list(1 + below(3), () => `${cell()}:${one(NUMBERS)}`).join(' ')
    if (type === 'painted') return list(1 + below(3), () => `${below(7)}.${below(7)}.${below(3)}`).join(' ')
    if (type === 'handBuilt') return list(1 + below(4), () => one(HAND_BUILT)).join('.')
    if (type === 'cell') return cell()
    if (type === 'word') return `${one(['queries', 'keys', 'both'])}.${count()}`
    if (type === 'imported') return JSON.stringify(given())
    if (type === 'count') return count()
    if (type === 'flag') return one(['true', 'false', '2'])
    if (name === 'baseline') return toLink(FIELDS, { ...DEFAULTS, heads: below(20) }) || 'mask=causal'
    return sentence()
  }
  /** Returns a head, as links of Learn and Models write it within a change. */
  const head = () => `${one([1, 2, 3, 99, 0])}.${one([1, 2, 5, 999])}`
  const position = () => one(['1', '2', '9', '0', '99999', '999999'])
  const change = () =>
    `${one(['', '~'])}${one(['', '', 'e', 'd', 'c'])}${random() < 0.2 ? one([1, 2, 99]) : head()}` +
    `${one(['', `:${position()}>${position()}`, `:${position()}`, ':*'])}=${one(['0', 'mean', 'hide', 'patch', '0.25', ...NUMBERS])}`
  const rooms = {
    layer: () => ({}),
    learn: () => {
      const names = Object.keys(learnRoom.fields)
      const values = [...NUMBERS, ...POSITIONS, '1', '2', '16', '64', '120', 'true', '1.1', '2.9', ...WORDS]
      const settings = list(below(4), () => [`learn.${random() < 0.02 ? '__proto__' : one(names)}`, one(values)])
      const changes = random() < 0.4 ? [['learn.changes', list(1 + below(5), change).join(' ')]] : []
      const task = ['learn.task', random() < 0.05 ? one(WORDS) : one(Object.keys(TASKS))]
      return Object.fromEntries([task, ...settings, ...changes])
    },
    models: () => ({
      checkpoint: one(['', '', '', 'stories', 'translation', one(WORDS), 'a-folder.12345678']),
      ...(random() < 0.5 && { prompt: one([sentence(), 'Lily has a ball .', '1 2 3', '\ud800 ', ' ']) }),
      ...(random() < 0.3 && { donor: sentence() }),
      ...(random() < 0.6 && { changes: list(1 + below(5), change).join(one([' ', ' ', ';'])) }),
      ...(random() < 0.5 && { at: one([head(), `${one(['e', 'd', 'c'])}${head()}`, ...NUMBERS]) }),
    }),
  }
  const fields = list(1 + below(7), () => one(FIELD_NAMES))
  const model = one(['', '', 'multihead', 'handBuilt', 'imported'])
  const parts = new URLSearchParams()
  if (model) parts.set('model', model)
  if (model === 'imported' && random() < 0.8) parts.set('imported', JSON.stringify(given()))
  for (const name of fields) parts.set(random() < 0.01 ? '__proto__' : name, value(name))
  const room = one(/** @type {const} */ (['layer', 'layer', 'layer', 'learn', 'models']))
  for (const [name, text] of Object.entries({ room, ...rooms[room]() })) parts.set(name, text)
  const hash = `#2&${parts}`
  return random() < 0.03 ? hash.slice(0, below(hash.length)) : hash
}

/** @typedef {{ name: string, bytes: Uint8Array }} HostileFile */

/** Returns a .npy file with any header. @param {string} header @param {Uint8Array} bytes */
function npyOf(header, bytes) {
  const start = [0x93, ...Buffer.from('NUMPY'), 2, 0, ...new Uint8Array(Uint32Array.of(header.length).buffer)]
  return Buffer.concat([Buffer.from(start), Buffer.from(header), bytes])
}

/** Hostile files that are tried once each. @type {(() => HostileFile)[]} */
const FIXED = [
  () => json({ q: [[3e38]], k: [[3e38]], v: [[3e38]] }),
  () => json({ weights: { dims: Array(1e6).fill(1), data: [1] } }),
  () => json({ weights: [[1]], v: { dims: [1, 4e6], data: Array(4e6).fill(0) } }),
  () => text(`{"weights": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
  () => text('{"a":'.repeat(1e5)),
  () =>
    npy(
      npyOf(
        `{'descr': '<f4', 'fortran_order': True, 'shape': (${'1,'.repeat(1e6)}), }\n`,
        Uint8Array.of(0, 0, 128, 63),
      ),
    ),
  () => npy(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4000000), }\n", new Uint8Array(16e6))),
  () => json({ link: `heads=1e308&model=${'imported'}` }),
  () => json({ link: `sentence=${'a%20'.repeat(3000)}&heads=16` }),
]

/** Kinds of hostile files, tried in turn. @type {((random: () => number) => HostileFile)[]} */
const RANDOM = [
  random => {
    const { below, one, list } = toolsOf(random)
    const size = () => 1 + below(4)
    const [L, S, d] = [size(), size(), size()]
    const numbers = (/** @type {number} */ n) =>
      list(n, () => one([0, 1, 0.5, -1, 1e-45, 3e38, -3e38, 1e39, null, 'x']))
    const rows = (/** @type {number} */ n) => ({ dims: [n, d], data: numbers(n * d) })
    return json(
      one([{ q: rows(L), k: rows(S), v: rows(S) }, { weights: { shape: [L, S], data: numbers(L * S) } }, numbers(3)]),
    )
  },
  random => {
    const { below, one } = toolsOf(random)
    const bytes = writeNpy({ dims: [2, 2], data: [0.5, 0.5, one([1, 3e38, Infinity, NaN]), 0] })
    for (let i = below(4); i >= 0; i--) bytes[below(bytes.length)] = below(256)
    return npy(bytes.subarray(0, one([bytes.length, below(bytes.length)])))
  },
  random =>
    text(
      toolsOf(random)
        .list(200, () => String.fromCharCode(random() * 0xffff))
        .join(''),
    ),
  random => {
    const { one, list, below } = toolsOf(random)
    const n = 1 + below(3)
    return json({
      weights: { dims: [n, n], data: list(n * n, () => 1 / n) },
      tokens: one([
        list(n, () => one(WORDS)),
        list(n + 1, () => 'a'),
        'abc',
        [1],
        [['x']],
        list(n, () => 'x'.repeat(2e4)),
      ]),
      keyTokens: one([undefined, list(n, () => one(WORDS)), {}]),
    })
  },
]

/** @param {string} content @returns {HostileFile} */
const text = content => ({ name: 'own.json', bytes: Buffer.from(content) })
/** @param {unknown} value */
const json = value => text(JSON.stringify(value))
/** @param {Uint8Array} bytes @returns {HostileFile} */
const npy = bytes => ({ name: 'own.npy', bytes })

/** @param {() => number} random @param {number} i */
export const fileOf = (random, i) => (i < FIXED.length ? FIXED[i]() : RANDOM[i % RANDOM.length](random))

/** `npm test` tries a tenth of the links and files; QKV_HOSTILE=1 tries all. */
export const [LINKS, FILE_COUNT] = process.env.QKV_HOSTILE ? [2000, 200] : [200, 20]
