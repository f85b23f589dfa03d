import { html, mathml } from 'lit'

// Parses a small notation for formulas and draws it as MathML: `Q = X W_q`, `K^T`, `{a over b}`, `√d_k`, `Σ_j`. Single letters are italic,
// words upright; `_` and `^` start subscripts and superscripts, braces group. A root is drawn without its bar, since <msqrt> detaches the
// bar from the sign in fonts without a MATH table.

/** @param {string} formula */
const tokensOf = formula => formula.match(/\p{L}+|−∞|\d+(?:\.\d+)?|[^\s]/gu) ?? []

/**
 * Parses one item.
 * @param {string[]} tokens remaining tokens
 * @returns {unknown}
 */
function atom(tokens) {
  const token = tokens.shift()
  if (token === undefined) return mathml`<mrow></mrow>`
  if (token === '{') {
    const { items, over } = row(tokens)
    return over ? mathml`<mfrac><mrow>${items}</mrow><mrow>${over}</mrow></mfrac>` : mathml`<mrow>${items}</mrow>`
  }
  if (/^\d/.test(token)) return mathml`<mn>${token}</mn>`
  if (token === 'or') return mathml`<mtext>\u00a0or\u00a0</mtext>`
  if (/^\p{L}/u.test(token)) return mathml`<mi mathvariant=${token.length > 1 ? 'normal' : null}>${token}</mi>`
  return mathml`<mo stretchy="false">${token === '-' ? '−' : token}</mo>`
}

/**
 * Parses up to the closing brace or the end.
 * @param {string[]} tokens
 * @returns {{ items: unknown[], over?: unknown[] }}
 */
function row(tokens) {
  /** @type {unknown[]} */
  const items = []
  while (tokens.length) {
    if (tokens[0] === '}') {
      tokens.shift()
      return { items }
    }
    if (tokens[0] === 'over') {
      tokens.shift()
      return { items, over: row(tokens).items }
    }
    const base = atom(tokens)
    /** @type {{ sub?: unknown, sup?: unknown }} */
    const scripts = {}
    while (tokens[0] === '_' || tokens[0] === '^') scripts[tokens.shift() === '_' ? 'sub' : 'sup'] = atom(tokens)
    items.push(withScripts(base, scripts))
  }
  return { items }
}

/** @param {unknown} base @param {{ sub?: unknown, sup?: unknown }} scripts */
function withScripts(base, { sub, sup }) {
  if (sub && sup) return mathml`<msubsup>${base}${sub}${sup}</msubsup>`
  if (sub) return mathml`<msub>${base}${sub}</msub>`
  return sup ? mathml`<msup>${base}${sup}</msup>` : base
}

/** @param {string} formula */
const plain = formula =>
  formula
    .replace(/[{}]/g, ' ')
    .replace(/ over /g, ' / ')
    .replace(/\s+/g, ' ')
    .trim()

/**
 * @param {string} formula
 * @param {'inline' | 'block'} [display]
 */
export const math = (formula, display = 'inline') =>
  html`<math display=${display} class="math" alttext=${plain(formula)}>${row(tokensOf(formula)).items}</math>`
