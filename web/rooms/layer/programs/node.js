// Writes a program that computes the numbers of the page with the package.

import { scaleOf } from '../trace/attention-options.js'
import { digits, editsOf, heldRows, NAMES, nested, paintedOf, program, startOf } from './program.js'

/** @import { Checked, FloatTensor, Result } from '../layer.js' */

/** @param {number} x */
const number = x => (Number.isFinite(x) ? digits(x) : String(x))
const literal = (/** @type {FloatTensor} */ tensor) => `tensor(${nested(tensor, number)})`

/** Writes a seed; large ones are BigInts. @param {bigint} seed */
const seedOf = seed => (seed >= -(2n ** 53n) && seed <= 2n ** 53n ? `${seed}` : `${seed}n`)

/** @param {Checked} settings @param {boolean} hasSecond */
const embed = ({ seed, tableRows, dModel, queries, keys, draw }, hasSecond) => [
  `${draw === 'reseed' ? 'let' : 'const'} g = qkv.generator(${seedOf(seed)})`,
  `const embedding = embeddingLayer(g, ${tableRows}, ${dModel})`,
  `const X = embedding.forward([${queries.ids.join(', ')}])`,
  ...(hasSecond ? [`const X2 = embedding.forward([${keys.ids.join(', ')}])`] : []),
  ...(draw === 'reseed' ? [`g = qkv.generator(${seedOf(seed)})`] : []),
]

/** Writes the code that draws the matrices, for each model. The weights become lists with one entry per head. @type {Partial<Record<string, (settings: Checked) => string[]>>} */
const DRAW = {
  heads(settings) {
    const { dModel, dKey, dValue, heads, draw, isCross, keysFrom, keys } = settings
    const matrix = (/** @type {number} */ size) =>
      draw === 'continue' ? `g.rand([${size}, ${dModel}]).T` : `g.rand([${dModel}, ${size}])`
    return [
      ...embed(settings, isCross && keysFrom === 'words'),
      'const [W_q, W_k, W_v] = [[], [], []]',
      `for (let head = 0; head < ${heads}; head++) {`,
      `  W_q.push(${matrix(dKey)})`,
      `  W_k.push(${matrix(dKey)})`,
      `  W_v.push(${matrix(dValue)})`,
      '}',
      ...(isCross && keysFrom === 'random' ? [`const X2 = g.rand([${keys.ids.length}, ${dModel}])`] : []),
    ]
  },
  multihead(settings) {
    const { dModel, heads, bias, isCross } = settings
    const each = (/** @type {string} */ x) => `Array.from({ length: ${heads} }, (_, head) => ${x}.row(head))`
    const parts = { q: 'query', k: 'key', v: 'value' }
    const rows = (/** @type {string} */ name) => `splitHeads(layers.${name}.bias.reshape([1, ${dModel}]), ${heads})`
    return [
      ...embed(settings, isCross),
      `const { layers } = multiheadAttention(g, ${dModel}, ${heads}, { bias: ${bias} })`,
      ...Object.entries(parts).flatMap(([letter, name]) => [
        `const W_${letter} = ${each(`splitHeads(layers.${name}.weight.T, ${heads})`)}`,
        ...(bias ? [`const b_${letter} = ${each(rows(name))}`] : []),
      ]),
      'const W_o = layers.out.weight.T',
      ...(bias ? [`const b_o = layers.out.bias.reshape([1, ${dModel}])`] : []),
    ]
  },
}

/** @type {Record<string, (settings: Checked) => string | undefined>} */
const SCORES = {
  scaled: () => undefined,
  plain: () => undefined,
  gaussian: ({ sigma }) => `score: { kind: 'gaussian', sigma: ${number(sigma)} }`,
  additive: () => "score: { kind: 'additive', wQuery: W_a.T, wKey: U_a.T, v: v_a.row(0), bias: b_a.row(0) }",
}

/** @param {Result} result */
function draw(result) {
  const { settings, tensors } = result
  const known = SCORES[settings.score] && DRAW[settings.model]
  if (!known)
    return startOf(result, SCORES[settings.score] !== undefined).map(([id, x]) => {
      const isList = x.dims.length === 3 && /^[Wb]/.test(id)
      const heads = isList ? Array.from({ length: x.dims[0] }, (_, head) => literal(x.row(head))) : []
      return `const ${NAMES[id]} = ${isList ? `[${heads.join(', ')}]` : literal(x)}`
    })
  const size = tensors.Wa?.dims[0]
  return [
    ...known(settings),
    ...place(result),
    ...(settings.score === 'additive'
      ? [
          `const [W_a, U_a] = [g.rand([${size}, ${size}]), g.rand([${size}, ${size}])]`,
          `const [b_a, v_a] = [g.rand([1, ${size}]), g.rand([1, ${size}])]`,
        ]
      : []),
  ]
}

/** Writes the code for added positions. @param {Result} result */
const place = ({ settings, tensors: { P, P2 } }) =>
  settings.positions === 'added'
    ? [
        'function place(x) { // adds sines and cosines of the position',
        '  const [L, d] = x.dims',
        '  const angle = (i, c) => i / 10000 ** ((c - (c % 2)) / d)',
        '  const row = i => Array.from({ length: d }, (_, c) => (c % 2 ? Math.cos : Math.sin)(angle(i, c)))',
        '  const P = Array.from({ length: L }, (_, i) => row(i)).flat()',
        '  x.data.set(x.data.map((value, i) => value + Math.fround(P[i])))',
        '}',
        `place(X)${P && P2 ? '; place(X2)' : ''}`,
      ]
    : []

/** @param {Result} result */
const edit = result =>
  editsOf(result).map(({ matrix, head, row, column, value }) => {
    const { dims = [] } = result.tensors[matrix] ?? {}
    const isList = dims.length === 3 && /^[Wb]/.test(matrix)
    const [, rows, columns] = dims.length === 3 ? dims : [1, ...dims]
    const at = ((dims.length === 3 && !isList ? head * rows : 0) + row) * columns + column
    return `${NAMES[matrix]}${isList ? `[${head}]` : ''}.data[${at}] = ${number(value)}`
  })

/** Writes the code for the batch. @param {Result} result */
function roll({ settings: { batch }, tensors }) {
  if (batch === 1) return []
  return [
    '// the sentence, and the same begun one token later each time',
    'const roll = (x, i) => Array.from({ length: x.dims[0] }, (_, row) => [...x.row((row + i) % x.dims[0]).data])',
    `const batch = x => tensor(Array.from({ length: ${batch} }, (_, i) => roll(x, i)))`,
    `const XB = batch(X)${tensors.X2 ? ', X2B = batch(X2)' : ''}`,
  ]
}

/** @param {Result} result */
function project({ tensors, settings: { batch } }) {
  if (!tensors.Wq) return []
  const [end, order] = batch > 1 ? ['B', '.permute([1, 0, 2, 3])'] : ['', '']
  const [queries, keys] = [`X${end}`, `${tensors.X2 ? 'X2' : 'X'}${end}`]
  const line = (/** @type {string} */ to, /** @type {string} */ x, /** @type {string} */ letter) =>
    tensors.bq
      ? `const ${to} = stack(W_${letter}.map((W, head) => qkv.linear(${x}, W.T, b_${letter}[head].row(0))))${order}`
      : `const ${to} = stack(W_${letter}.map(W => qkv.matmul(${x}, W)))${order}`
  return [line('Q', queries, 'q'), line('K', keys, 'k'), line('V', keys, 'v')]
}

/** Writes each mask as an option. @type {Record<string, (settings: Checked) => string>} */
const MASKS = {
  causal: () => 'causal: true',
  window: ({ left, right }) => `window: [${left}, ${right}]`,
  padding: ({ padding, keys }) => `keyLengths: [${Math.min(padding, keys.tokens.length)}]`,
}

/** @param {Result} result */
function attend(result) {
  const { settings, visible } = result
  const { mask, masking, softmaxAxis, queries, keys } = settings
  const isPlain = paintedOf(settings).length === 0
  const [L, S] = [queries.tokens.length, keys.tokens.length]
  const rows = Array.from({ length: L }, (_, i) => `[${Array.from(visible?.subarray(i * S, (i + 1) * S) ?? [])}]`)
  const written = `[${rows.join(', ')}].map(row => row.map(Boolean))`
  const options = [
    SCORES[settings.score](settings),
    settings.scale === null && settings.score !== 'plain' ? undefined : `scale: ${number(scaleOf(settings, 1))}`,
    visible && (isPlain && MASKS[mask] ? MASKS[mask](settings) : `mask: ${written}`),
    masking === 'after' ? "masking: 'after'" : undefined,
    softmaxAxis === 'queries' ? "softmaxAxis: 'queries'" : undefined,
  ].filter(Boolean)
  const all = options.length ? `, {\n  ${options.join(',\n  ')},\n}` : ''
  const names = heldRows(result).length ? 'weights: A' : 'weights: A, output'
  const [q, k] = settings.positions === 'rotary' ? ['qkv.rope(Q)', 'qkv.rope(K)'] : ['Q', 'K']
  return [`const { ${names} } = qkv.trace(${q}, ${k}, V${all})`]
}

/** @param {Result} result */
function hold(result) {
  const rows = heldRows(result)
  if (rows.length === 0) return []
  return [
    'function hold(row, held) { // held weights stay as they are, the others share the rest',
    '  const add = list => list.reduce((a, b) => a + b, 0)',
    '  const rest = add(row.filter((_, j) => !(j in held)))',
    '  const taken = add(Object.values(held))',
    '  const isFull = taken >= 1 || rest === 0',
    '  row.forEach((weight, j) => {',
    '    row[j] = j in held ? held[j] / (isFull ? taken || 1 : 1) : isFull ? 0 : (weight * (1 - taken)) / rest',
    '  })',
    '}',
    ...rows.map(({ head, row, held }) => {
      const pairs = held.map(([column, value]) => `${column}: ${number(value)}`)
      const first = result.settings.batch > 1 ? '.row(0)' : ''
      return `hold(A${first}.row(${head}).row(${row}).data, { ${pairs.join(', ')} })`
    }),
  ]
}

/** @param {Result} result */
function mix(result) {
  const { heads, tensors, settings } = result
  const { batch } = settings
  if (!tensors.V) return ['console.log(A)']
  const isTraced = isScored(result) && heldRows(result).length === 0
  const ofHeads = (/** @type {string} */ from) =>
    `Array.from({ length: ${heads} }, (_, head) => qkv.matmul(A${from}.row(head), V${from}.row(head)))`
  const each = batch > 1 ? `Array.from({ length: ${batch} }, (_, i) => stack(${ofHeads('.row(i)')}))` : ofHeads('')
  return [
    ...(isTraced ? [] : [`const output = stack(${each})`]),
    'const Z = joinHeads(output) // the heads side by side',
    ...(tensors.Wo ? [`const Y = qkv.linear(Z, W_o.T${tensors.bo ? ', b_o.row(0)' : ''})`] : []),
    ...(batch > 1
      ? ['console.log(A.row(0))', 'console.log(Y.row(0))', "console.log('output', Y.dims)"]
      : ['console.log(A)', `console.log(${tensors.Wo ? 'Y' : 'Z'})`]),
  ]
}

/** @param {Result} result */
const isScored = ({ settings, tensors }) => SCORES[settings.score] !== undefined && tensors.Q !== undefined

const STACK = [
  '// the matrices of a list as (heads, rows, columns)',
  'const stack = list => tensor(list.flatMap(({ data }) => [...data]), [list.length, ...list[0].dims])',
]

/**
 * Writes the program.
 * @param {Result} result
 * @returns {string} source of a module
 */
export function qkvCode(result) {
  const parts = [
    draw(result),
    edit(result),
    roll(result),
    isScored(result) ? project(result) : [],
    isScored(result) ? attend(result) : [],
    hold(result),
    mix(result),
  ]
  const has = (/** @type {string} */ name) => parts.flat().some(line => line.includes(`${name}(`))
  const used = ['joinHeads', 'load', 'splitHeads', 'tensor'].filter(
    name => name === 'load' || has(name) || (name === 'tensor' && has('stack')),
  )
  const layers = ['embeddingLayer', 'multiheadAttention'].filter(has)
  return program([
    [
      `import { ${used.join(', ')} } from 'qkv'`,
      ...(layers.length ? [`import { ${layers.join(', ')} } from 'qkv/nn'`] : []),
      '',
      'const qkv = await load()',
    ],
    has('stack') ? STACK : [],
    ...parts,
  ])
}
