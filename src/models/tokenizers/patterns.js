// Converts patterns of tokenizer.json to JavaScript regular expressions. The Rust library uses Oniguruma with Ruby's syntax.
// https://github.com/kkos/oniguruma/blob/master/doc/RE

import { literal } from './literal.js'
import { refuse } from './refuse.js'

/** @typedef {{ text: string, isMatch: boolean }} Part a part of a text */

/** General categories of Unicode that a pattern may name; SCRIPTS are the scripts that published files use. */
const CATEGORIES = new Set(
  'L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp Cc Cf'.split(' '),
)
const SCRIPTS = new Set('Han Hiragana Katakana Hangul Latin Greek Cyrillic Arabic Hebrew Thai Devanagari'.split(' '))
/** For each escape of a set of characters, its form in JavaScript. @type {Record<string, string>} */
const SETS = {
  s: '\\p{White_Space}',
  S: '\\P{White_Space}',
  d: '\\p{Nd}',
  D: '\\P{Nd}',
}
/** FOLDED: other characters that match s or k without case. LIGATURE: pairs of letters that match one character without case. @type {Record<string, string>} */
const FOLDED = { s: '\u017f', k: '\u212a' }
const LIGATURE = /ss|st|ff|fi|fl/i

/** Escapes a character inside a set. @param {string} character */
const member = character => (character === '-' ? '\\-' : literal(character))

/** Rewrites a pattern from Ruby's syntax to JavaScript's; throws for constructs that differ or are rare. */
class Rewriter {
  /** @param {string} source @param {string} where */
  constructor(source, where) {
    this.source = source
    this.where = where
    this.at = 0
    this.groups = 0
    this.behind = 0 // depth of nested look-behinds
  }

  /** @returns {never} */
  fail() {
    const rest = this.source.slice(this.at, this.at + 12)
    throw refuse(this.where, `the pattern ${JSON.stringify(this.source)}, at ${JSON.stringify(rest)},`)
  }

  /** Consumes a match at the current position. @param {RegExp} pattern with the flag y */
  take(pattern) {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.source)
    if (found) this.at += found[0].length
    return found
  }

  /** Rewrites alternatives. @param {boolean} isFolded true if letters match in both cases */
  alternatives(isFolded) {
    let out = ''
    let letters = ''
    for (;;) {
      const character = this.source[this.at]
      if (character === undefined || character === ')') return out
      if (this.take(/\|/y)) {
        out += '|'
        letters = ''
        continue
      }
      const from = this.at
      const atom = this.atom(isFolded)
      const text = this.source.slice(from, this.at)
      // Without case, Oniguruma also matches a ligature such as ss across the border of a group.
      if (isFolded && text.startsWith('(') && /[sf]/i.test(letters.slice(-1) + text)) this.fail()
      letters = text.length === 1 ? letters + text : ''
      if (isFolded && LIGATURE.test(letters)) this.fail()
      out += this.quantified(atom)
    }
  }

  /** @param {string} atom */
  quantified(atom) {
    const found = this.take(/[?*+]|\{\d+(?:,\d*)?\}|\{,\d+\}/y)
    if (!found) return atom
    // After an empty match of a repeated group, Oniguruma and JavaScript continue differently. Oniguruma also restricts look-behinds.
    if (this.behind || (atom.startsWith('(') && (/\(\?<?[=!]/.test(atom) || new RegExp(`^${atom}`, 'u').test(''))))
      this.fail()
    const count = found[0].replace('{,', '{0,')
    const isInterval = count.startsWith('{')
    if (this.take(/\?/y)) {
      if (/^\{\d+\}$/.test(count)) this.fail() // in Ruby, a{2}? means an optional a{2}
      return `${atom}${count}?`
    }
    if (/[*+?]|\{,?\d/y.test(this.source.slice(this.at, this.at + 2)) && (isInterval || this.source[this.at] !== '+'))
      this.fail()
    if (isInterval || !this.take(/\+/y)) return atom + count
    this.groups++
    return `(?=(?<possessive${this.groups}>${atom}${count}))\\k<possessive${this.groups}>`
  }

  /** @param {boolean} isFolded @returns {string} */
  atom(isFolded) {
    const group = this.take(/\((?:\?(?::|i:|=|!|<=|<!))?/y)
    if (group) {
      if (/^\?/.test(this.source.slice(this.at))) this.fail()
      const isInner = isFolded || group[0] === '(?i:'
      const isBehind = group[0].startsWith('(?<')
      if (isBehind && this.behind) this.fail()
      this.behind += Number(isBehind)
      const inner = this.alternatives(isInner)
      this.behind -= Number(isBehind)
      if (!this.take(/\)/y)) this.fail()
      return `${group[0] === '(' || group[0] === '(?i:' ? '(?:' : group[0]}${inner})`
    }
    if (this.take(/\[/y)) return `[${this.set(isFolded)}]`
    if (this.take(/\./y)) return '[^\\n]'
    const escaped = this.escape(isFolded)
    if (escaped) return escaped.text
    if (/[\^$*+?{}\])]/.test(this.source[this.at] ?? ')')) this.fail()
    const character = String.fromCodePoint(Number(this.source.codePointAt(this.at)))
    this.at += character.length
    return isFolded ? this.folded(character, true) : literal(character)
  }

  /** Rewrites a letter to match both cases. @param {string} character @param {boolean} isAlone true outside of [ ] */
  folded(character, isAlone) {
    if (!/[a-z]/i.test(character))
      return /[^\0-\x7f]/.test(character) ? this.fail() : isAlone ? literal(character) : member(character)
    const both = character.toLowerCase() + character.toUpperCase() + (FOLDED[character.toLowerCase()] ?? '')
    return isAlone ? `[${both}]` : both
  }

  /** Rewrites an escaped character or set. @param {boolean} isFolded @returns {{ text: string, isSet: boolean } | undefined} */
  escape(isFolded) {
    const property = this.take(/\\([pP])\{(\w+)\}/y)
    if (property) {
      if (isFolded) this.fail() // the set may contain letters that fold to two, such as ß to ss
      const [, p, name] = property
      if (CATEGORIES.has(name)) return { text: `\\${p}{${name}}`, isSet: true }
      if (SCRIPTS.has(name)) return { text: `\\${p}{Script=${name}}`, isSet: true }
      this.at -= property[0].length
      this.fail()
    }
    const found = this.take(/\\([sSdDrntfv]|[^\w\s]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}(?![0-9a-fA-F]))/y)
    if (!found) return this.source[this.at] === '\\' ? this.fail() : undefined
    const [whole, name] = found
    if (isFolded && /^[uxSD]/.test(name)) this.fail()
    if (name in SETS) return { text: SETS[name], isSet: true }
    return { text: /^\w/.test(name) ? whole : name === '-' ? '\\x2d' : literal(name), isSet: false }
  }

  /** Rewrites the content of [ ]. @param {boolean} isFolded @returns {string} */
  set(isFolded) {
    const isNegated = Boolean(this.take(/\^/y))
    let out = ''
    let isFirst = true
    let before = '' // possible start of a range
    for (;;) {
      if (this.at >= this.source.length || this.source.startsWith('&&', this.at)) this.fail()
      if (!isFirst && this.take(/\]/y)) return (isNegated ? '^' : '') + out
      if (isFirst && this.source[this.at] === ']') this.fail()
      isFirst = false
      if (this.source.startsWith('[:', this.at) || this.source.startsWith('[^', this.at)) this.fail()
      if (this.take(/\[/y)) {
        out += this.set(isFolded) // a union
        before = ''
        continue
      }
      if (before && this.source[this.at] === '-' && this.source[this.at + 1] !== ']') {
        this.at++
        const [end] = this.one(false)
        if (!end) this.fail()
        if (isFolded && !/^\d-\d$/.test(`${before}-${end}`)) this.fail()
        out += `-${end}`
        before = ''
        continue
      }
      const [character, text] = this.one(isFolded)
      out += text
      before = character
    }
  }

  /**
   * Reads one member of [ ]. Returns its character ('' if the member is a set such as \d), and the rewritten member.
   * @param {boolean} isFolded
   * @returns {[string, string]}
   */
  one(isFolded) {
    const escaped = this.escape(isFolded)
    if (escaped) return [escaped.isSet ? '' : escaped.text, escaped.text]
    const character = String.fromCodePoint(Number(this.source.codePointAt(this.at)))
    this.at += character.length
    return [member(character), isFolded ? this.folded(character, false) : member(character)]
  }
}

/**
 * Compiles a pattern.
 * @param {unknown} pattern { String }, { Regex } or a regular expression with the flags g and u
 * @param {string} where
 * @returns {RegExp}
 */
export function compile(pattern, where) {
  if (pattern instanceof RegExp) return pattern // from a GGUF file
  const { String: text, Regex: source } = Object(pattern)
  if (typeof text === 'string') return new RegExp(literal(text) || '(?:)', 'gu')
  if (typeof source !== 'string') throw refuse(`tokenizer.json: ${where}`, `the pattern ${JSON.stringify(pattern)}`)
  try {
    const rewriter = new Rewriter(source, `tokenizer.json: ${where}`)
    const rewritten = rewriter.alternatives(false)
    if (rewriter.at < source.length) rewriter.fail()
    return new RegExp(rewritten, 'gu')
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw refuse(`tokenizer.json: ${where}`, `the pattern ${JSON.stringify(source)}`) // such as a look-around with a quantifier
  }
}

/**
 * Splits a text into matches and the text in between.
 * @param {RegExp} pattern with the flag g
 * @param {string} text
 * @returns {Part[]}
 */
export function cut(pattern, text) {
  /** @type {Part[]} */
  const parts = []
  if (!text) return parts
  let end = 0
  for (const { index, 0: found } of text.matchAll(pattern)) {
    // Oniguruma finds no empty match at the end of another match, nor inside a surrogate pair.
    if (
      !found &&
      ((index === end && index > 0) || /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(index - 1, index + 1)))
    )
      continue
    if (index > end) parts.push({ text: text.slice(end, index), isMatch: false })
    parts.push({ text: found, isMatch: true })
    end = index + found.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMatch: false })
  return parts
}

/** Replaces matches of the pattern. @param {RegExp} pattern @param {string} text @param {string} content */
export const replaced = (pattern, text, content) =>
  cut(pattern, text)
    .map(part => (part.isMatch ? content : part.text))
    .join('')
