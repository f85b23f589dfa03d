// The grammar of jinja2 with the settings of transformers. Each expression and each statement is compiled to a function that takes a Scope.
// https://jinja.palletsprojects.com/en/stable/templates/

import { present } from '../../base/present.js'
import { FILTERS } from './filters.js'
import { attributeOf, itemOf, sliceOf } from './methods.js'
import { binary, comparison, concatenated, negative, positive } from './operators.js'
import { Frame, filtered, Loop, macroOf, Scope, unpack } from './scope.js'
import { TESTS } from './tests.js'
import { readTokens } from './tokens.js'
import {
  Callable,
  checkDefined,
  Float,
  int,
  isLoop,
  isText,
  iterate,
  Namespace,
  NotCovered,
  str,
  TemplateError,
  Tuple,
  textOf,
  truth,
  typeName,
  Undefined,
} from './values.js'

/** @typedef {(scope: Scope) => unknown} Expression */
/**
 * A statement. It appends to the output, and returns 'break' or 'continue' to control the enclosing loop.
 * @typedef {(scope: Scope, out: string[]) => 'break' | 'continue' | void} Statement
 */
/** @typedef {(scope: Scope, value: unknown) => void} Assign */
/** @typedef {(scope: Scope, value: unknown) => unknown} Filtering */
/** @typedef {(scope: Scope) => { args: unknown[], kwargs: Map<string, unknown> }} Arguments */

/** Statements of jinja2 that are not supported; chat templates do not need them. */
const REFUSED = ['block', 'extends', 'include', 'import', 'from', 'autoescape']
/** @type {Record<string, boolean | null>} */
const CONSTANTS = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
}

/** @param {Statement[]} body @returns {Statement} */
const sequence = body => (scope, out) => {
  for (const statement of body) {
    const how = statement(scope, out)
    if (how) return how
  }
}

/** @param {Statement} body @param {Scope} scope */
export const textOfBody = (body, scope) => {
  /** @type {string[]} */
  const out = []
  body(scope, out)
  return out.join('')
}

/** Compiles the source of a template. @param {string} source @returns {Statement} */
export function parse(source) {
  const parser = new Parser(source)
  const body = parser.template()
  return (scope, out) => body(new Scope(scope, parser.frame), out)
}

class Parser {
  #tokens
  #at = 0
  /** For each enclosing macro, the names that its body reads. @type {Set<string>[]} */
  #reads = []
  #loops = 0
  /** Number of ifs of this frame around the current token. */
  #ifs = 0
  /** Errors about unknown filters and tests. @type {string[]} */
  #unknown = []
  frame = new Frame()
  /** Names in the assignment target that was parsed last. @type {string[]} */
  #stored = []

  /** @param {string} source */
  constructor(source) {
    this.#tokens = readTokens(source)
  }

  get #token() {
    return this.#tokens[this.#at]
  }

  #next() {
    return this.#tokens[this.#at++]
  }

  /** @param {string} value @param {string} [type] */
  #is(value, type = 'operator', ahead = 0) {
    const token = this.#tokens[this.#at + ahead]
    return token?.type === type && token.value === value
  }

  /** @param {string} name */
  #isName(name, ahead = 0) {
    return this.#is(name, 'name', ahead)
  }

  /** @param {string} value @param {string} [type] */
  #skip(value, type) {
    const isIt = this.#is(value, type)
    if (isIt) this.#at++
    return isIt
  }

  /** @param {string} value @param {string} [type] */
  #expect(value, type) {
    if (!this.#skip(value, type)) this.#fail(`expected '${value}', got '${this.#token.value}'`)
  }

  #expectName() {
    const token = this.#next()
    if (token.type !== 'name') throw new TemplateError(`expected a name, got '${token.value}'`)
    return token.value
  }

  /** @param {string} message @returns {never} */
  #fail(message) {
    throw new TemplateError(message)
  }

  template() {
    const body = this.#body([])
    if (this.#token.type !== 'eof') this.#fail(`unknown tag '${this.#token.value}'`)
    if (this.#unknown.length) this.#fail(this.#unknown[0])
    return body
  }

  /** Parses statements up to a tag with one of the names in `ends`, and stops at that name. @param {string[]} ends @returns {Statement} */
  #body(ends) {
    /** @type {Statement[]} */
    const body = []
    for (;;) {
      const { type, value } = this.#token
      if (type === 'eof') {
        if (ends.length) this.#fail(`unexpected end of template, expected ${ends.join(' or ')}`)
        return sequence(body)
      }
      this.#at++
      if (type === 'data') {
        body.push((_, out) => {
          out.push(value)
        })
      } else if (value === '{{') {
        const expression = this.#tuple()
        body.push((scope, out) => {
          out.push(str(expression(scope)))
        })
        this.#expect('}}', 'end')
      } else {
        if (ends.some(end => this.#isName(end))) return sequence(body)
        body.push(this.#statement())
        this.#expect('%}', 'end')
      }
    }
  }

  /** Parses the rest of an opening tag and the body after it. @param {string[]} ends */
  #block(...ends) {
    this.#skip(':')
    this.#expect('%}', 'end')
    return this.#body(ends)
  }

  /** Parses a body and its end tag. @param {string} end */
  #whole(end) {
    const body = this.#block(end)
    this.#at++
    return body
  }

  /**
   * Calls `read`, which parses a part of the template, in a new frame.
   * @template T
   * @param {() => T} read
   * @returns {{ part: T, frame: Frame }}
   */
  #framed(read) {
    const frame = new Frame(this.frame)
    return { part: this.#within(frame, read), frame }
  }

  /**
   * Calls `read`, which parses a part of the template, in `frame`. Unknown filters are allowed only within an if of the same frame, as in
   * jinja2.
   * @template T
   * @param {Frame} frame
   * @param {() => T} read
   * @returns {T}
   */
  #within(frame, read) {
    const ifs = this.#ifs
    this.#ifs = 0
    this.frame = frame
    const part = read()
    this.frame = present(frame.around)
    this.#ifs = ifs
    return part
  }

  /** Records the names of the last assignment target as set in this frame. */
  #store() {
    for (const name of this.#stored) this.frame.note(name, 'store')
    this.#stored = []
  }

  /** Parses a body from which break cannot reach an outer loop. @template T @param {() => T} read @returns {T} */
  #apart(read) {
    const loops = this.#loops
    this.#loops = 0
    const body = read()
    this.#loops = loops
    return body
  }

  /** @returns {Statement} */
  #statement() {
    const name = this.#expectName()
    switch (name) {
      case 'for':
        return this.#for()
      case 'if':
        return this.#if()
      case 'set':
        return this.#set()
      case 'with':
        return this.#with()
      case 'macro':
        return this.#macro()
      case 'call':
        return this.#call()
      case 'filter':
        return this.#filterBlock()
      case 'print':
        return this.#print()
      case 'generation': {
        const { part: body, frame } = this.#framed(() => this.#apart(() => this.#whole('endgeneration')))
        return (scope, out) => {
          out.push(textOfBody(body, new Scope(scope, frame)))
        }
      }
      case 'break':
      case 'continue':
        if (!this.#loops) this.#fail(`'${name}' outside loop`)
        return () => name
    }
    if (REFUSED.includes(name)) throw new NotCovered(`the tag ${name}`)
    this.#fail(`Encountered unknown tag '${name}'`)
  }

  /** @returns {Statement} */
  #for() {
    const assign = this.#target(['in'], false)
    const names = this.#stored
    /** @template T @param {() => T} read */
    const within = read =>
      this.#framed(() => {
        this.#stored = [...names]
        this.#store()
        return read()
      })
    this.#expect('in', 'name')
    const items = this.#tuple({ isPlain: true, ends: ['recursive'] })
    const test = this.#skip('if', 'name') ? within(() => this.#expression()) : undefined
    if (this.#isName('recursive')) throw new NotCovered('a recursive loop')
    this.#loops++
    const { part: body, frame } = within(() => this.#block('endfor', 'else'))
    this.#loops--
    const other = this.#next().value === 'else' ? this.#framed(() => this.#whole('endfor')) : undefined
    return (scope, out) => {
      const all = iterate(items(scope))
      const chosen = test ? filtered(all, () => new Scope(scope, test.frame), assign, test.part) : all
      const loop = new Loop(chosen, test ? undefined : all)
      let isDone = false
      while (loop.step()) {
        const inner = new Scope(scope, frame)
        inner.set('loop', loop)
        assign(inner, loop.current)
        const how = body(inner, out)
        if (how === 'break') break
        if (!how) isDone = true
      }
      // As in jinja2, else runs if no iteration reached the end of the body. It also runs if all ended with continue or break.
      if (other && !isDone) return other.part(new Scope(scope, other.frame), out)
    }
  }

  /** @returns {Statement} */
  #if() {
    /** @type {{ test: Expression | undefined, body: Statement }[]} */
    const branches = []
    /** The first use of each name in the branches of if, elif and else. @type {Map<string, 'load' | 'store'>[]} */
    const noted = [new Map(), new Map(), new Map()]
    for (let name = 'if'; name !== 'endif'; ) {
      this.#ifs++
      const test = name === 'else' ? undefined : this.#tuple({ isPlain: true })
      const { refs } = this.frame
      this.frame.refs = new Map(refs)
      const body = test ? this.#block('elif', 'else', 'endif') : this.#block('endif')
      const own = noted[['if', 'elif', 'else'].indexOf(name)]
      for (const [each, kind] of this.frame.refs) if (!refs.has(each) && !own.has(each)) own.set(each, kind)
      this.frame.refs = refs
      this.#ifs--
      branches.push({ test, body })
      name = this.#next().value
    }
    this.frame.join(noted)
    return (scope, out) => branches.find(({ test }) => !test || truth(test(scope)))?.body(scope, out)
  }

  /** @returns {Statement} */
  #set() {
    const assign = this.#target([], true)
    const names = this.#stored
    if (this.#skip('=')) {
      const value = this.#tuple()
      this.#stored = names
      this.#store()
      return scope => assign(scope, value(scope))
    }
    this.#store()
    const { part, frame } = this.#framed(() => ({
      filter: this.#filters(),
      body: this.#apart(() => this.#whole('endset')),
    }))
    return scope => {
      const inner = new Scope(scope, frame)
      const text = textOfBody(part.body, inner)
      assign(scope, part.filter ? part.filter(inner, text) : text)
    }
  }

  /** @returns {Statement} */
  #with() {
    /** @type {{ assign: Assign, value: Expression }[]} */
    const pairs = []
    /** @type {string[]} */
    const names = []
    while (!this.#is('%}', 'end')) {
      if (pairs.length) this.#expect(',')
      const assign = this.#target([], false)
      names.push(...this.#stored)
      this.#expect('=')
      pairs.push({ assign, value: this.#expression() })
    }
    const { part: body, frame } = this.#framed(() => {
      this.#stored = names
      this.#store()
      return this.#whole('endwith')
    })
    return (scope, out) => {
      const inner = new Scope(scope, frame)
      for (const { assign, value } of pairs) assign(inner, value(scope))
      return body(inner, out)
    }
  }

  /** Parses the parameters of a macro. @returns {{ name: string, fallback?: Expression }[]} */
  #signature() {
    /** @type {{ name: string, fallback?: Expression }[]} */
    const parameters = []
    this.#expect('(')
    while (!this.#is(')')) {
      if (parameters.length) this.#expect(',')
      const name = this.#expectName()
      this.frame.note(name, 'store')
      if (['caller', 'kwargs', 'varargs'].includes(name)) throw new NotCovered(`a parameter named ${name}`)
      const fallback = this.#skip('=') ? this.#expression() : undefined
      if (!fallback && parameters.at(-1)?.fallback) this.#fail('non-default argument follows default argument')
      parameters.push({ name, fallback })
    }
    this.#expect(')')
    return parameters
  }

  /** Parses the body of a macro in its frame, and collects the names that it reads. @param {string} end @param {Frame} frame */
  #macroBody(end, frame) {
    const reads = new Set()
    this.#reads.push(reads)
    const body = this.#within(frame, () => this.#apart(() => this.#whole(end)))
    this.#reads.pop()
    return { body, reads }
  }

  /** @returns {Statement} */
  #macro() {
    const name = this.#expectName()
    // Default values of parameters are read in the frame of the macro, too.
    const { part: parameters, frame } = this.#framed(() => this.#signature())
    this.frame.note(name, 'store')
    const { body, reads } = this.#macroBody('endmacro', frame)
    const render = (/** @type {Scope} */ inner) => textOfBody(body, inner)
    return scope =>
      scope.set(
        name,
        macroOf(name, parameters, reads, render, () => new Scope(scope, frame)),
      )
  }

  /** @returns {Statement} */
  #call() {
    const { part: parameters, frame } = this.#framed(() => (this.#is('(') ? this.#signature() : []))
    const start = this.#at
    this.#expression()
    const isCall = this.#is(')', 'operator', -1)
    if (!isCall) this.#fail('expected call')
    this.#at = start
    const { callee, args } = this.#lastCall()
    const { body, reads } = this.#macroBody('endcall', frame)
    return (scope, out) => {
      const given = args(scope)
      given.kwargs.set(
        'caller',
        macroOf(
          null,
          parameters,
          reads,
          inner => textOfBody(body, inner),
          () => new Scope(scope, frame),
        ),
      )
      out.push(str(called(callee(scope), given)))
    }
  }

  /** Parses the call at the end of a {% call %} tag: name(...), or name.of.it(...). */
  #lastCall() {
    let callee = this.#name(this.#expectName())
    while (this.#is('.') || this.#is('[')) callee = this.#subscript(callee)
    const args = this.#arguments()
    if (!this.#is('%}', 'end')) throw new NotCovered('a call block of anything but name(...)')
    return { callee, args }
  }

  /** @returns {Statement} */
  #filterBlock() {
    const { part, frame } = this.#framed(() => ({
      filter: /** @type {Filtering} */ (this.#filters(true)),
      body: this.#apart(() => this.#whole('endfilter')),
    }))
    return (scope, out) => {
      const inner = new Scope(scope, frame)
      out.push(str(part.filter(inner, textOfBody(part.body, inner))))
    }
  }

  /** @returns {Statement} */
  #print() {
    /** @type {Expression[]} */
    const all = []
    while (!this.#is('%}', 'end')) {
      if (all.length) this.#expect(',')
      all.push(this.#expression())
    }
    return (scope, out) => {
      for (const each of all) out.push(str(each(scope)))
    }
  }

  /**
   * Parses an assignment target: a name, a tuple of names, or name.attribute of a namespace.
   * @param {string[]} ends names that may follow a tuple
   * @param {boolean} hasNamespaces
   * @returns {Assign}
   */
  #target(ends, hasNamespaces, isInner = false) {
    /** @type {Assign[]} */
    const targets = []
    let isTuple = false
    if (!isInner) this.#stored = []
    for (;;) {
      if (this.#isEnd(ends) || this.#is('=')) break
      targets.push(this.#oneTarget(ends, hasNamespaces))
      if (!this.#skip(',')) break
      isTuple = true
    }
    if (!targets.length) this.#fail(`Expected an expression, got '${this.#token.value}'`)
    return isTuple ? unpack(targets) : targets[0]
  }

  /** @param {string[]} ends @param {boolean} hasNamespaces @returns {Assign} */
  #oneTarget(ends, hasNamespaces) {
    if (this.#skip('(')) {
      const inner = this.#target([], hasNamespaces, true)
      this.#expect(')')
      return inner
    }
    const name = this.#expectName()
    if (Object.hasOwn(CONSTANTS, name)) this.#fail("can't assign to 'const'")
    if (name === 'loop' && (ends.includes('in') || this.#loops))
      this.#fail("Can't assign to special loop variable in for-loop target")
    if (!hasNamespaces || !this.#skip('.')) {
      this.#stored.push(name)
      return (scope, value) => scope.set(name, value)
    }
    this.frame.note(name, 'load')
    const attribute = this.#expectName()
    return (scope, value) => {
      const space = scope.get(name)
      if (!(space instanceof Namespace)) this.#fail('cannot assign attribute on non-namespace object')
      space.map.set(attribute, value)
    }
  }

  /** @param {string[]} names */
  #isEnd(names) {
    return this.#token.type === 'end' || this.#is(')') || names.some(name => this.#isName(name))
  }

  /**
   * Parses an expression, or a tuple of expressions separated by commas.
   * @param {{ isPlain?: boolean, ends?: string[], isInside?: boolean }} [how] isPlain: true to refuse an inline if; ends: names that may
   *   follow; isInside: true within parentheses
   * @returns {Expression}
   */
  #tuple({ isPlain = false, ends = [], isInside = false } = {}) {
    /** @type {Expression[]} */
    const items = []
    let isTuple = false
    while (!this.#isEnd(ends)) {
      items.push(isPlain ? this.#or() : this.#expression())
      if (!this.#skip(',')) break
      isTuple = true
    }
    if (!isTuple && items.length) return items[0]
    if (!isTuple && !isInside) this.#fail(`Expected an expression, got '${this.#token.value}'`)
    return scope => Tuple.from(items, item => item(scope))
  }

  /** @returns {Expression} */
  #expression() {
    const known = this.#unknown.length
    let value = this.#or()
    while (this.#skip('if', 'name')) {
      const [yes, test] = [value, this.#or()]
      const no = this.#skip('else', 'name') ? this.#expression() : undefined
      this.#unknown.length = known
      value = scope => (truth(test(scope)) ? yes(scope) : no ? no(scope) : noElse())
    }
    return value
  }

  /** @returns {Expression} */
  #or() {
    let left = this.#and()
    while (this.#skip('or', 'name')) {
      const [a, b] = [left, this.#and()]
      left = scope => {
        const value = a(scope)
        return truth(value) ? value : b(scope)
      }
    }
    return left
  }

  /** @returns {Expression} */
  #and() {
    let left = this.#not()
    while (this.#skip('and', 'name')) {
      const [a, b] = [left, this.#not()]
      left = scope => {
        const value = a(scope)
        return truth(value) ? b(scope) : value
      }
    }
    return left
  }

  /** @returns {Expression} */
  #not() {
    if (!this.#skip('not', 'name')) return this.#compare()
    const value = this.#not()
    return scope => !truth(value(scope))
  }

  /** @returns {Expression} */
  #compare() {
    const first = this.#sum()
    /** @type {{ operator: string, value: Expression }[]} */
    const rest = []
    for (;;) {
      let operator = ''
      if (this.#token.type === 'operator' && /^(==|!=|[<>]=?)$/.test(this.#token.value)) operator = this.#next().value
      else if (this.#skip('in', 'name')) operator = 'in'
      else if (this.#isName('not') && this.#isName('in', 1)) {
        operator = 'not in'
        this.#at += 2
      } else break
      rest.push({ operator, value: this.#sum() })
    }
    if (!rest.length) return first
    return scope => {
      let left = first(scope)
      for (const { operator, value } of rest) {
        const right = value(scope)
        if (!comparison(operator, left, right)) return false
        left = right
      }
      return true
    }
  }

  /** Parses left-associative operators of one precedence. @param {string[]} operators @param {() => Expression} operand @returns {Expression} */
  #chain(operators, operand) {
    let left = operand()
    while (operators.some(each => this.#is(each))) {
      const operator = this.#next().value
      const [a, b] = [left, operand()]
      left = scope => binary(operator, a(scope), b(scope))
    }
    return left
  }

  #sum() {
    return this.#chain(['+', '-'], () => this.#concat())
  }

  /** @returns {Expression} */
  #concat() {
    const parts = [this.#product()]
    while (this.#skip('~')) parts.push(this.#product())
    return parts.length === 1 ? parts[0] : scope => concatenated(parts.map(part => part(scope)))
  }

  #product() {
    return this.#chain(['*', '/', '//', '%'], () => this.#chain(['**'], () => this.#unary(true)))
  }

  /** @param {boolean} hasFilters @returns {Expression} */
  #unary(hasFilters) {
    let value
    if (this.#skip('-')) {
      const operand = this.#unary(false)
      value = (/** @type {Scope} */ scope) => negative(operand(scope))
    } else if (this.#skip('+')) {
      const operand = this.#unary(false)
      value = (/** @type {Scope} */ scope) => positive(operand(scope))
    } else value = this.#primary()
    value = this.#postfix(value)
    return hasFilters ? this.#filtered(value) : value
  }

  /** @param {string} name @returns {Expression} */
  #name(name) {
    if (Object.hasOwn(CONSTANTS, name)) {
      const value = CONSTANTS[name]
      return () => value
    }
    for (const reads of this.#reads) reads.add(name)
    this.frame.note(name, 'load')
    if (name !== 'self') return scope => scope.get(name)
    return scope => {
      const value = scope.get(name)
      if (value instanceof Undefined) throw new NotCovered('the variable self, which stands for the template,')
      return value
    }
  }

  /** @returns {Expression} */
  #primary() {
    const { type, value, isFloat } = this.#next()
    if (type === 'name') return this.#name(value)
    if (type === 'number') {
      // jinja2 compiles a number above 1.8e308 to the name inf, which is an error in most places.
      if (!Number.isFinite(Number(value))) throw new NotCovered('a number above 1.8e308')
      const number = isFloat ? new Float(Number(value)) : int(Number(value))
      return () => number
    }
    if (type === 'text') {
      let text = value
      while (this.#token.type === 'text') text += this.#next().value
      return () => text
    }
    if (type === 'operator') {
      if (value === '(') {
        const inner = this.#tuple({ isInside: true })
        this.#expect(')')
        return inner
      }
      if (value === '[') {
        const items = this.#list(']', () => this.#expression())
        return scope => items.map(item => item(scope))
      }
      if (value === '{') {
        const pairs = this.#list('}', () => {
          const key = this.#expression()
          this.#expect(':')
          return { key, value: this.#expression() }
        })
        return scope => new Map(pairs.map(pair => [newKey(pair.key(scope)), pair.value(scope)]))
      }
    }
    this.#fail(`unexpected '${value}'`)
  }

  /** @template T @param {string} end @param {() => T} read @returns {T[]} */
  #list(end, read) {
    const items = []
    while (!this.#is(end)) {
      if (items.length) this.#expect(',')
      if (this.#is(end)) break
      items.push(read())
    }
    this.#expect(end)
    return items
  }

  /** @param {Expression} value @returns {Expression} */
  #postfix(value) {
    for (;;) {
      if (this.#is('.') || this.#is('[')) value = this.#subscript(value)
      else if (this.#is('(')) value = this.#called(value)
      else return value
    }
  }

  /** @param {Expression} callee @returns {Expression} */
  #called(callee) {
    const args = this.#arguments()
    return scope => called(callee(scope), args(scope))
  }

  /** @param {Expression} of @returns {Expression} */
  #subscript(of) {
    if (this.#skip('.')) {
      const { type, value, isFloat } = this.#next()
      if (type === 'name') return scope => attributeOf(of(scope), value)
      if (type !== 'number' || isFloat) this.#fail('expected name or number')
      return scope => itemOf(of(scope), Number(value))
    }
    this.#expect('[')
    /** @type {(Expression | (Expression | undefined)[])[]} */
    const parts = []
    while (!this.#is(']')) {
      if (parts.length) this.#expect(',')
      parts.push(this.#subscribed())
    }
    this.#expect(']')
    const [part] = parts
    if (parts.length !== 1) throw new NotCovered('a subscript of several values')
    if (typeof part === 'function') return scope => itemOf(of(scope), part(scope))
    return scope => {
      const value = of(scope)
      return sliceOf(
        value,
        part.map(each => (each ? each(scope) : null)),
      )
    }
  }

  /** Parses an index, or the parts of a slice. @returns {Expression | (Expression | undefined)[]} */
  #subscribed() {
    const isNone = () => this.#is(':') || this.#is(']') || this.#is(',')
    const from = this.#is(':') ? undefined : this.#expression()
    if (!this.#skip(':')) return /** @type {Expression} */ (from)
    const to = isNone() ? undefined : this.#expression()
    const by = this.#skip(':') && !isNone() ? this.#expression() : undefined
    return [from, to, by]
  }

  /** @returns {Arguments} */
  #arguments() {
    /** @type {Expression[]} */
    const args = []
    /** @type {[string, Expression][]} */
    const kwargs = []
    /** @type {Expression | undefined} */
    let list
    /** @type {Expression | undefined} */
    let dict
    const ensure = (/** @type {boolean} */ isRight) =>
      isRight || this.#fail('invalid syntax for function call expression')
    this.#expect('(')
    for (let isFirst = true; !this.#is(')'); isFirst = false) {
      if (!isFirst) {
        this.#expect(',')
        if (this.#is(')')) break
      }
      if (this.#skip('*')) {
        ensure(!list && !dict)
        list = this.#expression()
      } else if (this.#skip('**')) {
        ensure(!dict)
        dict = this.#expression()
      } else if (this.#token.type === 'name' && this.#is('=', 'operator', 1)) {
        ensure(!dict)
        const name = this.#expectName()
        this.#at++
        kwargs.push([name, this.#expression()])
      } else {
        ensure(!list && !dict && !kwargs.length)
        args.push(this.#expression())
      }
    }
    this.#expect(')')
    return scope => {
      const given = args.map(each => each(scope))
      if (list) given.push(...iterate(list(scope)))
      const named = new Map(kwargs.map(([name, value]) => [name, value(scope)]))
      if (named.size < kwargs.length) this.#fail('keyword argument repeated')
      if (dict) {
        const more = dict(scope)
        if (!(more instanceof Map)) this.#fail(`argument after ** must be a mapping, not ${typeName(more)}`)
        for (const [name, value] of more) {
          if (named.has(name)) this.#fail(`got multiple values for keyword argument '${name}'`)
          named.set(name, value)
        }
      }
      return { args: given, kwargs: named }
    }
  }

  /** Parses the filters, tests and calls after a value. @param {Expression} value @returns {Expression} */
  #filtered(value) {
    for (;;) {
      if (this.#is('|')) {
        const filter = /** @type {Filtering} */ (this.#filters())
        const operand = value
        value = scope => filter(scope, operand(scope))
      } else if (this.#isName('is')) value = this.#test(value)
      else if (this.#is('(')) value = this.#called(value)
      else return value
    }
  }

  /**
   * Records an unknown filter or test as an error of the template. Within an if it is allowed: there jinja2 throws only when it is applied.
   * @param {{ has: (name: string) => boolean }} all
   * @param {string} kind
   * @param {string} name
   */
  #check(all, kind, name) {
    if (!this.#ifs && !all.has(name)) this.#unknown.push(`No ${kind} named '${name}'.`)
  }

  /** Parses a dotted name. */
  #dotted() {
    let name = this.#expectName()
    while (this.#skip('.')) name += `.${this.#expectName()}`
    return name
  }

  /**
   * Parses a chain of filters and combines them.
   * @param {boolean} [isStart] true if the first filter has no | before it
   * @returns {Filtering | undefined} undefined if there are none
   */
  #filters(isStart = false) {
    /** @type {{ name: string, args: Arguments }[]} */
    const filters = []
    while (isStart || this.#skip('|')) {
      isStart = false
      const name = this.#dotted()
      this.#check(FILTERS, 'filter', name)
      filters.push({ name, args: this.#is('(') ? this.#arguments() : noArguments })
    }
    if (!filters.length) return undefined
    return (scope, value) =>
      filters.reduce((result, { name, args }) => {
        const { args: list, kwargs } = args(scope)
        return FILTERS.call(name, result, list, kwargs)
      }, value)
  }

  /** @param {Expression} value @returns {Expression} */
  #test(value) {
    this.#at++
    const isNegated = this.#skip('not', 'name')
    const name = this.#dotted()
    this.#check(TESTS, 'test', name)
    /** @type {Arguments} */
    let args = noArguments
    const { type, value: word } = this.#token
    if (this.#is('(')) args = this.#arguments()
    else if (
      (type === 'name' && !['else', 'or', 'and'].includes(word)) ||
      type === 'text' ||
      type === 'number' ||
      this.#is('[') ||
      this.#is('{')
    ) {
      if (word === 'is' && type === 'name') this.#fail('You cannot chain multiple tests with is')
      const operand = this.#postfix(this.#primary())
      args = scope => ({ args: [operand(scope)], kwargs: new Map() })
    }
    return scope => {
      const operand = value(scope)
      const { args: list, kwargs } = args(scope)
      return TESTS.call(name, operand, list, kwargs) !== isNegated
    }
  }
}

/** @type {Arguments} */
const noArguments = () => ({ args: [], kwargs: new Map() })

/** Calls a value of a template. @param {unknown} callee @param {{ args: unknown[], kwargs: Map<string, unknown> }} given */
function called(callee, { args, kwargs }) {
  checkDefined(callee)
  if (isLoop(callee)) throw new TemplateError("The loop must have the 'recursive' marker to be called recursively.")
  if (!(callee instanceof Callable)) throw new TemplateError(`'${typeName(callee)}' object is not callable`)
  return callee.call(args, kwargs)
}

/** Returns the value of an inline if without else whose condition is false. */
const noElse = () => new Undefined('the inline if-expression evaluated to false and no else section was defined.')

/** Checks a key of a dict literal. @param {unknown} key */
function newKey(key) {
  if (isText(key)) return textOf(key)
  if (key === null || typeof key === 'number') return key
  throw new NotCovered(`a dict with a key of ${typeName(key)}`)
}
