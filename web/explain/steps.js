// The walk: which steps there are, their formulas, their shapes and how their matrices stand. Pure.

/** @typedef {import('./matrices.js').MatrixId} MatrixId */
/** @typedef {import('../compute/trace.js').Result} Result */

/** @typedef {'embed' | 'project' | 'additive' | 'scores' | 'scaled' | 'masked' | 'softmax' | 'mix' | 'join' | 'out'} StepId */

/**
 * Matrices as Falk's scheme has them: results where the rows of `left` meet the columns of `tops`.
 * @typedef {object} Block
 * @property {Copy} [left] shown again, in front of the results
 * @property {(MatrixId | Copy)[]} [tops] above the results, each above its own
 * @property {(MatrixId | undefined)[]} [biases] between them
 * @property {MatrixId[]} results
 *
 * @typedef {{ copy: MatrixId, isTurned?: boolean }} Copy
 */

/**
 * @typedef {object} Step
 * @property {StepId} id
 * @property {string[]} formulas in the notation of views/math.js
 * @property {string[]} shapes such as `6×3 · 3×2 = 6×2`
 * @property {Block[]} blocks
 * @property {boolean} isOfHead one head is shown, of several
 */

/** @param {readonly number[]} dims */
const by = dims => dims.slice(-2).join('×')

/**
 * @param {Result} result
 * @returns {Step[]} those that this trace has
 */
export function stepsOf(result) {
  const { tensors, heads, settings } = result
  const has = (/** @type {MatrixId} */ id) => tensors[id] !== undefined
  const dims = (/** @type {MatrixId} */ id) => by(/** @type {any} */ (tensors[id]).dims)
  const second = has('X2') ? 'X2' : 'X'
  const [one, two] = has('X2') ? ['X_1', 'X_2'] : ['X', 'X']
  const turned = (/** @type {MatrixId} */ id) => by([.../** @type {any} */ (tensors[id]).dims].reverse().slice(0, 2))
  const product = (
    /** @type {MatrixId} */ a,
    /** @type {MatrixId} */ b,
    /** @type {MatrixId} */ c,
    /** @type {MatrixId} */ bias,
  ) => `${dims(a)} · ${dims(b)}${has(bias) ? ` + ${dims(bias)}` : ''} = ${dims(c)}`
  const plus = (/** @type {MatrixId} */ bias, /** @type {string} */ name) => (has(bias) ? ` + ${name}` : '')
  const isAfter = settings.masking === 'after'

  /** @type {Step[]} */
  const steps = []
  /** @type {(id: StepId, isOfHead: boolean, formulas: string[], shapes: string[], ...blocks: Block[]) => void} */
  const add = (id, isOfHead, formulas, shapes, ...blocks) =>
    steps.push({ id, isOfHead: isOfHead && heads > 1, formulas, shapes, blocks })

  if (has('X'))
    add('embed', false, has('X2') ? ['X_1', 'X_2'] : ['X'], has('X2') ? [dims('X'), dims('X2')] : [dims('X')], {
      results: has('X2') ? ['X', 'X2'] : ['X'],
    })
  if (has('Wq')) {
    /** @type {Block} */
    const first = { left: { copy: 'X' }, tops: ['Wq'], biases: biases('bq'), results: ['Q'] }
    /** @type {Block} */
    const rest = { left: { copy: second }, tops: ['Wk', 'Wv'], biases: biases('bk', 'bv'), results: ['K', 'V'] }
    const joined = {
      left: first.left,
      tops: [...(first.tops ?? []), ...(rest.tops ?? [])],
      biases: biases('bq', 'bk', 'bv'),
      results: /** @type {MatrixId[]} */ (['Q', 'K', 'V']),
    }
    add(
      'project',
      true,
      [
        `Q = ${one} W_q${plus('bq', 'b_q')}`,
        `K = ${two} W_k${plus('bk', 'b_k')}`,
        `V = ${two} W_v${plus('bv', 'b_v')}`,
      ],
      [product('X', 'Wq', 'Q', 'bq'), product(second, 'Wk', 'K', 'bk'), product(second, 'Wv', 'V', 'bv')],
      ...(has('X2') ? [first, rest] : [joined]),
    )
  } else if (has('Q')) {
    const names = /** @type {MatrixId[]} */ (['Q', 'K', 'V'].filter(id => has(/** @type {MatrixId} */ (id))))
    add('project', true, names, names.map(dims), { results: names })
  }
  if (has('Aq'))
    add(
      'additive',
      true,
      ['Q_a = Q W_a + b_a', 'K_a = K U_a'],
      [product('Q', 'Wa', 'Aq', 'ba'), product('K', 'Ua', 'Ak', 'masked').replace(/ \+ .* =/, ' =')],
      { left: { copy: 'Q' }, tops: ['Wa'], biases: ['ba'], results: ['Aq'] },
      { left: { copy: 'K' }, tops: ['Ua'], results: ['Ak'] },
    )
  if (has('scores')) {
    const [q, k] = /** @type {[MatrixId, MatrixId]} */ (has('Aq') ? ['Aq', 'Ak'] : ['Q', 'K'])
    /** @type {Block} */
    const meet = { left: { copy: q }, tops: [{ copy: k, isTurned: true }], results: ['scores'] }
    add(
      'scores',
      true,
      [SCORES[settings.score]],
      [`${dims(q)} · ${turned(k)} = ${dims('scores')}`],
      ...(has('va') ? [{ results: /** @type {MatrixId[]} */ (['va']) }] : []),
      meet,
    )
    add('scaled', true, [scaleFormula(settings)], [`${dims('scores')} → ${dims('scaled')}`], { results: ['scaled'] })
    if (!isAfter)
      add('masked', true, ['M = S_s + B , B_{i j} = 0 ∨ −∞'], [`${dims('scaled')} → ${dims('masked')}`], {
        results: ['masked'],
      })
    add('softmax', true, [SOFTMAX], [`${dims('masked')} → ${dims('weights')}`], {
      results: isAfter ? ['unmasked'] : ['weights'],
    })
    if (isAfter)
      add('masked', true, ['A_{i j} = {U_{i j} over Σ_k U_{i k}}'], [`${dims('unmasked')} → ${dims('weights')}`], {
        results: ['zeroed', 'weights'],
      })
  } else add('softmax', true, ['A'], [dims('weights')], { results: ['weights'] })
  if (has('V'))
    add(
      'mix',
      true,
      [heads > 1 ? 'Z_h = A_h V_h' : 'Z = A V'],
      [`${dims('weights')} · ${dims('V')} = ${dims('output')}`],
      {
        ...{ left: { copy: 'weights' }, tops: [{ copy: 'V' }], results: ['output'] },
      },
    )
  if (heads > 1 && has('joined'))
    add(
      'join',
      false,
      [heads > 2 ? `Z = [ Z_1 … Z_${heads} ]` : 'Z = [ Z_1 Z_2 ]'],
      [`${heads} · (${dims('output')}) → ${dims('joined')}`],
      {
        results: ['joined'],
      },
    )
  if (has('Wo'))
    add('out', false, [`Y = Z W_O${plus('bo', 'b_O')}`], [product('joined', 'Wo', 'final', 'bo')], {
      ...{ left: { copy: 'joined' }, tops: ['Wo'], biases: biases('bo'), results: ['final'] },
    })
  return steps

  /** @param {...MatrixId} ids */
  function biases(...ids) {
    return ids.map(id => (has(id) ? id : undefined))
  }
}

const SOFTMAX = 'A_{i j} = {e^{M_{i j} − max_k M_{i k}} over Σ_k e^{M_{i k} − max}}'

const SCORES = {
  scaled: 'S = Q K^T',
  plain: 'S = Q K^T',
  gaussian: 'S_{i j} = − {‖ q_i − k_j ‖^2 over 2 σ^2}',
  additive: 'S_{i j} = v_a tanh ( Q_{a i} + K_{a j} )',
}

/** @param {Result['settings']} settings */
function scaleFormula({ scale, score }) {
  if (scale !== null) return `S_s = s S , s = ${scale}`
  return score === 'scaled' ? 'S_s = {S over √{d_k}}' : 'S_s = S'
}

/**
 * The walk of the shapes through a batch, as tensors have them: B batch, L queries, S keys, D model, H heads, d head.
 * @param {Result} result
 * @returns {{ letters: string, dims: number[], op: 'input' | 'project' | 'view' | 'transpose' | 'scores' | 'mix' | 'back' | 'join' | 'out' }[]}
 */
export function shapeWalk({ tensors, heads: H, settings }) {
  const B = settings.batch
  const [L, S] = [settings.queries.tokens.length, settings.keys.tokens.length]
  const d = tensors.Q?.dims[2] ?? 0
  const e = tensors.V?.dims[2] ?? 0
  const D = tensors.X?.dims[1]
  return [
    ...(D ? [{ letters: 'B L D', dims: [B, L, D], op: /** @type {const} */ ('input') }] : []),
    ...(D ? [{ letters: 'B L (H d)', dims: [B, L, H * d], op: /** @type {const} */ ('project') }] : []),
    ...(d ? [{ letters: 'B L H d', dims: [B, L, H, d], op: /** @type {const} */ ('view') }] : []),
    ...(d ? [{ letters: 'B H L d', dims: [B, H, L, d], op: /** @type {const} */ ('transpose') }] : []),
    { letters: 'B H L S', dims: [B, H, L, S], op: 'scores' },
    ...(e ? [{ letters: 'B H L d', dims: [B, H, L, e], op: /** @type {const} */ ('mix') }] : []),
    ...(e ? [{ letters: 'B L H d', dims: [B, L, H, e], op: /** @type {const} */ ('back') }] : []),
    ...(e ? [{ letters: 'B L (H d)', dims: [B, L, H * e], op: /** @type {const} */ ('join') }] : []),
    ...(tensors.final
      ? [{ letters: 'B L D', dims: [B, ...tensors.final.dims], op: /** @type {const} */ ('out') }]
      : []),
  ]
}
