// Writes a PyTorch program that computes the numbers of the page with plain matmul and softmax, from the same seed and random streams.
// Imported tensors, and random ones that this file cannot draw, are written as literals.

import { scaleOf } from '../trace/attention-options.js'
import { digits, editsOf, heldRows, NAMES, nested, paintedOf, program, startOf } from './program.js'

/** @import { Checked, FloatTensor, Result } from '../layer.js' */

/** @param {number} x */
function number(x) {
  if (Number.isNaN(x)) return 'float("nan")'
  if (!Number.isFinite(x)) return x > 0 ? 'float("inf")' : 'float("-inf")'
  return digits(x)
}

/** Writes a float tensor, even if all values are integers. @param {FloatTensor} tensor */
const literal = tensor => `torch.tensor(${nested(tensor, number)}, dtype=torch.float32)`

/** @param {{ ids: Int32Array }} tokens */
const idsOf = ({ ids }) => `torch.tensor([${Array.from(ids).join(', ')}])`

/**
 * Writes the embeddings. If `draw` is 'reseed', sets the seed again before the weights are drawn.
 * @param {Checked} settings
 * @param {boolean} hasSecond True if the embeddings of the second sentence come from the same table
 */
const embed = ({ seed, tableRows, dModel, queries, keys, draw }, hasSecond) => [
  `torch.manual_seed(${seed})`,
  `embedding = torch.nn.Embedding(${tableRows}, ${dModel})`,
  `X = embedding(${idsOf(queries)})  # ${comment(queries.tokens)}`,
  ...(hasSecond ? [`X2 = embedding(${idsOf(keys)})  # ${comment(keys.tokens)}`] : []),
  ...(draw === 'reseed' ? [`torch.manual_seed(${seed})`] : []),
]

/** Writes words as a one-line comment, without characters that would end it. @param {readonly string[]} tokens */
const comment = tokens => {
  const text = tokens.join(' ').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
  return text.length > 80 ? `${[...text].slice(0, 79).join('')}…` : text
}

/** Writes the code that draws the matrices, for each model. @type {Partial<Record<string, (settings: Checked) => string[]>>} */
const DRAW = {
  // Draws one head after another, as in the articles.
  heads(settings) {
    const { dModel, dKey, dValue, heads, draw, isCross, keysFrom, keys } = settings
    const matrix = (/** @type {number} */ size) =>
      draw === 'continue' ? `torch.rand(${size}, ${dModel}).T` : `torch.rand(${dModel}, ${size})`
    return [
      ...embed(settings, isCross && keysFrom === 'words'),
      'W_q, W_k, W_v = [], [], []',
      `for head in range(${heads}):`,
      `    W_q.append(${matrix(dKey)})`,
      `    W_k.append(${matrix(dKey)})`,
      `    W_v.append(${matrix(dValue)})`,
      'W_q, W_k, W_v = torch.stack(W_q), torch.stack(W_k), torch.stack(W_v)  # (heads, model, size)',
      ...(isCross && keysFrom === 'random' ? [`X2 = torch.rand(${keys.ids.length}, ${dModel})`] : []),
    ]
  },
  // Splits the matrices of the layer by head.
  multihead(settings) {
    const { dModel, heads, bias, isCross } = settings
    const part = (/** @type {number} */ i) => `[${i * dModel}:${(i + 1) * dModel}]`
    const names = ['q', 'k', 'v']
    return [
      ...embed(settings, isCross),
      `layer = torch.nn.MultiheadAttention(${dModel}, ${heads}, bias=${bias ? 'True' : 'False'}, batch_first=True)`,
      `by_head = lambda rows: rows.reshape(${heads}, ${dModel / heads}, -1).transpose(1, 2)  # (heads, model, size)`,
      ...names.map((name, i) => `W_${name} = by_head(layer.in_proj_weight${part(i)})`),
      'W_o = layer.out_proj.weight.T',
      ...(bias ? names.map((name, i) => `b_${name} = by_head(layer.in_proj_bias${part(i)})`) : []),
      ...(bias ? ['b_o = layer.out_proj.bias.reshape(1, -1)'] : []),
    ]
  },
}

/** @type {Record<string, (settings: Checked) => string>} */
const SCORES = {
  scaled: () => 'Q @ K.transpose(-2, -1)',
  plain: () => 'Q @ K.transpose(-2, -1)',
  gaussian: ({ sigma }) => `-((Q.unsqueeze(-2) - K.unsqueeze(-3)) ** 2).sum(-1) / (2 * ${number(sigma)} ** 2)`,
  additive: () => '(torch.tanh((Q @ W_a + b_a).unsqueeze(-2) + (K @ U_a).unsqueeze(-3)) * v_a).sum(-1)',
}

/** Code for added positions (PLACE) and for rotary positions (TURN). */
const PLACE = [
  'def place(x):  # adds sines and cosines of the position',
  '    L, d = x.shape',
  '    column = torch.arange(d, dtype=torch.float64)',
  '    angle = torch.arange(L, dtype=torch.float64)[:, None] / 10000 ** ((column - column % 2) / d)',
  '    return x + torch.where(column % 2 == 1, angle.cos(), angle.sin()).float()',
]
const TURN = [
  'def turn(x):  # numbers half a row apart, by an angle that grows with the position',
  '    L, half = x.shape[-2], x.shape[-1] // 2',
  '    angle = torch.arange(L, dtype=torch.float64)[:, None]',
  '    angle = angle * 10000 ** (-torch.arange(half, dtype=torch.float64) / half)',
  '    cos, sin, a, b = angle.cos().float(), angle.sin().float(), x[..., :half], x[..., half:]',
  '    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)',
  'Q, K = turn(Q), turn(K)',
]

/** @param {Result} result */
function draw(result) {
  const { settings, tensors } = result
  const known = SCORES[settings.score] && DRAW[settings.model]
  if (!known)
    return startOf(result, SCORES[settings.score] !== undefined).map(([id, x]) => `${NAMES[id]} = ${literal(x)}`)
  const size = tensors.Wa?.dims[0]
  return [
    ...known(settings),
    ...(settings.positions === 'added' ? [...PLACE, `X = place(X)${tensors.P2 ? '; X2 = place(X2)' : ''}`] : []),
    ...(settings.score === 'additive'
      ? [
          `W_a, U_a = torch.rand(${size}, ${size}), torch.rand(${size}, ${size})`,
          `b_a, v_a = torch.rand(1, ${size}), torch.rand(1, ${size})`,
        ]
      : []),
  ]
}

/** @param {Result} result */
const edit = result =>
  editsOf(result).map(({ matrix, head, row, column, value }) => {
    const index = [...(result.tensors[matrix]?.dims.length === 3 ? [head] : []), row, column]
    return `${NAMES[matrix]}[${index.join(', ')}] = ${number(value)}`
  })

/** Writes the code that stacks the sequences of the batch, with an axis of size 1 that broadcasts over the heads. @param {Result} result */
function stack({ settings: { batch }, tensors }) {
  if (batch === 1) return []
  const all = (/** @type {string} */ x) => `torch.stack([${x}.roll(-i, 0) for i in range(${batch})])[:, None]`
  return [
    `# (batch, 1, tokens, model): the sentence, and the same begun one token later each time`,
    `X = ${all('X')}`,
    ...(tensors.X2 ? [`X2 = ${all('X2')}`] : []),
  ]
}

/** @param {Result} result */
function project({ tensors }) {
  if (!tensors.Wq) return []
  const keys = tensors.X2 ? 'X2' : 'X'
  const biased = (/** @type {string} */ name) => (tensors.bq ? ` + b_${name}` : '')
  return [
    `Q = X @ W_q${biased('q')}`,
    `K = ${keys} @ W_k${biased('k')}`,
    `V = ${keys} @ W_v${biased('v')}`,
    ...(tensors.Qr ? TURN : []),
  ]
}

/** @param {Result} result */
function score({ settings, tensors }) {
  const scale = scaleOf(settings, tensors.Q?.dims[2] ?? 1)
  const isRoot = settings.scale === null && settings.score === 'scaled'
  const scaled = isRoot ? 'S / Q.shape[-1] ** 0.5' : scale === 1 ? 'S' : `S * ${number(scale)}`
  return [`S = ${SCORES[settings.score](settings)}`, `scaled = ${scaled}`]
}

/** @type {Record<string, (settings: Checked, all: string, j: string) => string>} */
const MASKS = {
  none: (_, all) => all,
  causal: (_, all) => `${all}.tril()`,
  window: ({ left, right }, all) => `${all}.triu(-${left}).tril(${right})`,
  padding: ({ padding }, all, j) => `${all} & (${j} < ${padding})`,
  prefix: ({ prefix }, all, j) => `${all}.tril() | (${j} < ${prefix})`,
}

/** @param {Result} result */
function see({ settings, visible }) {
  const { mask, queries, keys } = settings
  const [L, S] = [queries.tokens.length, keys.tokens.length]
  if (!MASKS[mask]) return [`visible = torch.tensor([${Array.from(visible ?? [])}]).reshape(${L}, ${S}).bool()`]
  return [
    `visible = ${MASKS[mask](settings, `torch.ones(${L}, ${S}, dtype=torch.bool)`, `torch.arange(${S})`)}`,
    ...paintedOf(settings).map(([row, column, sees]) => `visible[${row}, ${column}] = ${sees ? 'True' : 'False'}`),
  ]
}

/** @param {Result} result */
function attend(result) {
  const { masking, softmaxAxis } = result.settings
  const dim = softmaxAxis === 'keys' ? '-1' : '-2'
  if (!result.visible) return [`A = scaled.softmax(dim=${dim})`]
  const nobody = '  # zeros where nothing may be seen'
  return masking === 'before'
    ? [
        ...see(result),
        'masked = scaled.masked_fill(~visible, -torch.inf)',
        `A = masked.softmax(dim=${dim}).masked_fill((~visible).all(${dim}, keepdim=True), 0)${nobody}`,
      ]
    : [
        ...see(result),
        `zeroed = scaled.softmax(dim=${dim}) * visible`,
        `sums = zeroed.sum(dim=${dim}, keepdim=True)`,
        `A = zeroed / sums.where(sums > 0, torch.ones(()))${nobody}`,
      ]
}

/** Writes the code that sets weights by hand and rescales the others of the row. @param {Result} result */
function hold(result) {
  const rows = heldRows(result)
  if (rows.length === 0) return []
  return [
    'def hold(row, held):  # held weights stay as they are, the others share the rest',
    '    others, fixed = row.clone(), torch.zeros_like(row)',
    '    for column, value in held.items():',
    '        others[column], fixed[column] = 0, value',
    '    rest, taken = others.sum(), fixed.sum()',
    '    if taken >= 1 or rest == 0:',
    '        return fixed / taken if taken > 0 else fixed',
    '    return others * ((1 - taken) / rest) + fixed',
    '',
    ...rows.map(({ head, row, held }) => {
      const pairs = held.map(([column, value]) => `${column}: ${number(value)}`)
      const at = `A[${result.settings.batch > 1 ? '0, ' : ''}${head}, ${row}]`
      return `${at} = hold(${at}, {${pairs.join(', ')}})`
    }),
  ]
}

/** @param {Result} result */
function mix({ tensors, settings: { batch } }) {
  if (!tensors.output) return ['print("A", A)']
  const joined = 'Z = (A @ V).transpose(-3, -2).flatten(-2)  # the heads side by side'
  if (!tensors.Wo) return [joined, 'print("A", A)', 'print("Z", Z)']
  const projected = [joined, `Y = Z @ W_o${tensors.bo ? ' + b_o' : ''}`]
  if (batch === 1) return [...projected, 'print("A", A)', 'print("Y", Y)']
  return [...projected, 'print("A", A[0])', 'print("Y", Y[0])', 'print("output", Y.shape)']
}

/**
 * Writes the program.
 * @param {Result} result
 * @returns {string} a Python program
 */
export function pytorchCode(result) {
  const isScored = SCORES[result.settings.score] !== undefined && result.tensors.Q !== undefined
  const options = 'precision=4, sci_mode=False, linewidth=160'
  return program([
    ['import torch', '', 'torch.set_grad_enabled(False)', `torch.set_printoptions(${options})`],
    draw(result),
    edit(result),
    stack(result),
    isScored ? project(result) : [],
    isScored ? [...score(result), ...attend(result)] : [],
    hold(result),
    mix(result),
  ])
}
