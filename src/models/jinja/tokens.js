// Splits a template into tokens: text, and the contents of {{ }} and {% %}. White space is removed as by jinja2 with trim_blocks and
// lstrip_blocks, the settings of transformers.

import { NotCovered, TemplateError } from './values.js'

/** @typedef {{ type: 'data' | 'name' | 'text' | 'number' | 'operator' | 'begin' | 'end' | 'eof', value: string, isFloat?: boolean }} Token value: for a number, as JavaScript prints it */

/** White space in Python: JavaScript's \s has U+FEFF and lacks U+001C to U+001F and U+0085. */
export const SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'

const BEGIN = new RegExp(`\\{%([-+]?)${SPACE}*raw${SPACE}*(?:-%\\}${SPACE}*|%\\})|\\{([%#{])([-+]?)`, 'g')
const END_RAW = new RegExp(`\\{%([-+]?)${SPACE}*endraw${SPACE}*(?:\\+%\\}|-%\\}${SPACE}*|%\\}\\n?)`, 'g')
const END_COMMENT = new RegExp(`\\+#\\}|-#\\}${SPACE}*|#\\}\\n?`, 'g')
const END_BLOCK = new RegExp(`\\+%\\}|-%\\}${SPACE}*|%\\}\\n?`, 'y')
const END_VARIABLE = new RegExp(`-\\}\\}${SPACE}*|\\}\\}`, 'y')
const SPACES = new RegExp(`${SPACE}+`, 'y')
const DIGITS = '(?:[0-9]+_)*[0-9]+'
const FLOAT = new RegExp(`(?<!\\.)${DIGITS}(?:(?:\\.${DIGITS})?e[+-]?${DIGITS}|\\.${DIGITS})`, 'iy')
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy
const NAME = /[\p{L}\p{N}\p{M}_]+/uy
const TEXT = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y
const OPERATOR = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y
/** @type {Record<string, string>} */
const CLOSING = { '(': ')', '[': ']', '{': '}' }
/** @type {Record<string, string>} */
const ESCAPES = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** @param {string} text with the escapes of Python */
function unescaped(text) {
  return text.replace(/\\(x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|[0-7]{1,3}|N\{[^}]*\}|[\s\S])/gi, (whole, code) => {
    if (/^[xu]./i.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
    if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8))
    if (/^[xuUN]/.test(code))
      throw code[0] === 'N' ? new NotCovered('the escape \\N') : new TemplateError(`truncated escape \\${code}`)
    return ESCAPES[code] ?? whole
  })
}

/** @param {RegExp} pattern @param {string} text @param {number} at */
function match(pattern, text, at) {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Splits the source of a template into tokens. @param {string} source @returns {Token[]} */
export function readTokens(source) {
  let text = source.replace(/\r\n?/g, '\n')
  if (text.endsWith('\n')) text = text.slice(0, -1)
  /** @type {Token[]} */
  const tokens = []
  let at = 0
  let isLineStart = true
  /** @param {string} data @param {string} sign @param {boolean} isBlock */
  const push = (data, sign, isBlock) => {
    if (sign === '-') data = data.replace(new RegExp(`${SPACE}+$`), '')
    else if (sign !== '+' && isBlock) {
      const line = data.lastIndexOf('\n') + 1
      if ((line > 0 || isLineStart) && new RegExp(`^${SPACE}+$`).test(data.slice(line))) data = data.slice(0, line)
    }
    if (data) tokens.push({ type: 'data', value: data })
  }
  /** @param {RegExpExecArray} found */
  const pass = found => {
    at = found.index + found[0].length
    isLineStart = found[0].endsWith('\n')
  }
  for (;;) {
    const found = match(BEGIN, text, at)
    if (!found) break
    const [, raw, kind, sign] = found
    push(text.slice(at, found.index), raw ?? sign, kind !== '{')
    pass(found)
    if (kind === undefined || kind === '#') {
      const end = match(kind ? END_COMMENT : END_RAW, text, at)
      if (!end) throw new TemplateError(kind ? 'Missing end of comment tag' : 'Missing end of raw directive')
      if (!kind) push(text.slice(at, end.index), end[1], true)
      pass(end)
    } else pass(readTag(text, at, kind === '{', tokens))
  }
  if (at < text.length) tokens.push({ type: 'data', value: text.slice(at) })
  tokens.push({ type: 'eof', value: 'end of template' })
  return tokens
}

/**
 * Reads the tokens of a tag.
 * @param {string} text
 * @param {number} at
 * @param {boolean} isVariable true for {{ }}, false for {% %}
 * @param {Token[]} tokens the tokens so far; those of the tag are appended
 * @returns {RegExpExecArray} the match at the end of the tag
 */
function readTag(text, at, isVariable, tokens) {
  tokens.push({ type: 'begin', value: isVariable ? '{{' : '{%' })
  /** @type {string[]} open brackets */
  const open = []
  const end = isVariable ? END_VARIABLE : END_BLOCK
  for (;;) {
    const closed = open.length ? null : match(end, text, at)
    if (closed) {
      tokens.push({ type: 'end', value: isVariable ? '}}' : '%}' })
      return closed
    }
    const space = match(SPACES, text, at)
    const float = match(FLOAT, text, at)
    const integer = match(INTEGER, text, at)
    const name = match(NAME, text, at)
    const quoted = match(TEXT, text, at)
    const operator = match(OPERATOR, text, at)
    const found = space ?? float ?? integer ?? name ?? quoted ?? operator
    if (!found)
      throw new TemplateError(
        at < text.length ? `unexpected char ${JSON.stringify(text[at])} at ${at}` : 'unexpected end of template',
      )
    const [value] = found
    at += value.length
    if (space) continue
    if (float || integer)
      tokens.push({ type: 'number', value: String(Number(value.replaceAll('_', ''))), isFloat: float !== null })
    else if (name) tokens.push({ type: 'name', value })
    else if (quoted) tokens.push({ type: 'text', value: unescaped(value.slice(1, -1)) })
    else {
      if (CLOSING[value]) open.push(CLOSING[value])
      else if (/[)\]}]/.test(value) && open.pop() !== value) throw new TemplateError(`unexpected '${value}'`)
      tokens.push({ type: 'operator', value })
    }
  }
}
