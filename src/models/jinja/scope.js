// Names of a template: scopes, the variable loop, macros.

import { Callable, equal, iterate, length, repr, TemplateError, Tuple, truth, Undefined } from './values.js'

/**
 * The names in a part of a template that has a separate scope, such as the body of a loop; collected at compile time. As in jinja2, a name
 * is local if its first use in this part sets it and no enclosing part uses it. A local name is undefined until it is set, even if the
 * caller passed a variable of that name.
 */
export class Frame {
  /** @type {Map<string, 'load' | 'store'>} the first use of each name */
  refs = new Map()
  /** @type {string[] | undefined} */
  #hidden

  /** @param {Frame} [around] */
  constructor(around) {
    this.around = around
  }

  /** @param {string} name @param {'load' | 'store'} kind */
  note(name, kind) {
    if (!this.refs.has(name)) this.refs.set(name, kind)
  }

  /** @param {string} name @returns {boolean} */
  knows(name) {
    return this.refs.has(name) || (this.around?.knows(name) ?? false)
  }

  get hidden() {
    this.#hidden ??= [...this.refs].flatMap(([name, kind]) =>
      kind === 'store' && !this.around?.knows(name) ? [name] : [],
    )
    return this.#hidden
  }

  /**
   * Merges the names of the branches of an if into this frame. A name counts as set only if if, elif and else all set it.
   * @param {Map<string, 'load' | 'store'>[]} branches the first uses in the branches of if, elif and else
   */
  join(branches) {
    for (const name of new Set(branches.flatMap(refs => [...refs.keys()]))) {
      const isSet = branches.every(refs => refs.get(name) === 'store')
      this.note(name, isSet ? 'store' : 'load')
    }
  }
}

export class Scope {
  /** @type {Map<string, unknown>} */
  #names = new Map()

  /** @param {Scope} [around] @param {Frame} [frame] */
  constructor(around, frame) {
    this.around = around
    for (const name of frame?.hidden ?? []) this.set(name, new Undefined(`'${name}' is undefined`))
  }

  /** @param {string} name @param {unknown} value */
  set(name, value) {
    this.#names.set(name, value)
  }

  /** @param {string} name @returns {unknown} */
  get(name) {
    for (let scope = /** @type {Scope | undefined} */ (this); scope; scope = scope.around)
      if (scope.#names.has(name)) return scope.#names.get(name)
    return new Undefined(`'${name}' is undefined`)
  }
}

const NONE = Symbol()

/** The variable `loop`. As in jinja2, it reads one item ahead only if the template needs it. */
export class Loop {
  isLoop = true
  index0 = -1
  depth = 1
  depth0 = 0
  /** @type {unknown} */
  current = NONE
  /** @type {unknown} */
  #ahead = NONE
  /** @type {unknown} */
  #before = NONE
  /** @type {unknown} */
  #changed = NONE
  /** @type {number | undefined} */
  #length
  #iterator

  /** @param {Iterable<unknown>} items @param {unknown} [sized] the value that is looped over; may have a length */
  constructor(items, sized) {
    this.#iterator = items[Symbol.iterator]()
    this.#length =
      typeof sized === 'string' || 'length' in Object(sized) || 'size' in Object(sized) ? length(sized) : undefined
  }

  #next() {
    const { done, value } = this.#iterator.next()
    return done ? NONE : value
  }

  step() {
    const next = this.#ahead === NONE ? this.#next() : this.#ahead
    this.#ahead = NONE
    if (next === NONE) return false
    this.#before = this.current
    this.current = next
    this.index0++
    return true
  }

  #peek() {
    if (this.#ahead === NONE) this.#ahead = this.#next()
    return this.#ahead
  }

  get index() {
    return this.index0 + 1
  }

  get length() {
    if (this.#length === undefined) {
      const rest = Array.from({ [Symbol.iterator]: () => this.#iterator })
      this.#length = rest.length + this.index + Number(this.#ahead !== NONE)
      this.#iterator = rest[Symbol.iterator]()
    }
    return this.#length
  }

  get revindex0() {
    return this.length - this.index
  }

  get revindex() {
    return this.length - this.index0
  }

  get first() {
    return this.index0 === 0
  }

  get last() {
    return this.#peek() === NONE
  }

  get previtem() {
    return this.index0 ? this.#before : new Undefined('there is no previous item')
  }

  get nextitem() {
    const next = this.#peek()
    return next === NONE ? new Undefined('there is no next item') : next
  }

  get cycle() {
    return new Callable('cycle', args => {
      if (!args.length) throw new TemplateError('no items for cycling given')
      return args[this.index0 % args.length]
    })
  }

  get changed() {
    return new Callable('changed', args => {
      const value = Tuple.from(args)
      if (this.#changed !== NONE && equal(this.#changed, value)) return false
      this.#changed = value
      return true
    })
  }
}

/** Attributes of the variable loop. */
export const LOOP =
  'index index0 revindex revindex0 first last length depth depth0 previtem nextitem cycle changed'.split(' ')

/**
 * Yields the items that pass the `if` of a for tag.
 * @param {Iterable<unknown>} items
 * @param {() => Scope} scope makes the scope of one test
 * @param {import('./parse.js').Assign} assign
 * @param {import('./parse.js').Expression} test
 */
export function* filtered(items, scope, assign, test) {
  for (const item of items) {
    const inner = scope()
    assign(inner, item)
    if (truth(test(inner))) yield item
  }
}

/** @param {import('./parse.js').Assign[]} targets @returns {import('./parse.js').Assign} */
export const unpack = targets => (scope, value) => {
  const items = Array.from(iterate(value))
  if (items.length > targets.length) throw new TemplateError(`too many values to unpack (expected ${targets.length})`)
  if (items.length < targets.length)
    throw new TemplateError(`not enough values to unpack (expected ${targets.length}, got ${items.length})`)
  for (const [i, assign] of targets.entries()) assign(scope, items[i])
}

/**
 * Makes the callable value of a macro.
 * @param {string | null} name null for the body of a call block
 * @param {{ name: string, fallback?: import('./parse.js').Expression }[]} parameters
 * @param {Set<string>} reads names that the body reads
 * @param {(scope: Scope) => string} render
 * @param {() => Scope} scope makes the scope of a call
 */
export function macroOf(name, parameters, reads, render, scope) {
  return new Callable(
    name,
    (args, kwargs) => {
      if (kwargs.has('self')) throw new TemplateError("multiple values for argument 'self'") // a parameter of Macro.__call__
      const inner = scope()
      const named = new Map(kwargs)
      const missing = []
      for (const [i, parameter] of parameters.entries()) {
        const isNamed = i >= args.length && named.has(parameter.name)
        if (i >= args.length && !isNamed) missing.push(parameter)
        const none = new Undefined(`parameter '${parameter.name}' was not provided`)
        inner.set(parameter.name, i < args.length ? args[i] : isNamed ? named.get(parameter.name) : none)
        if (isNamed) named.delete(parameter.name)
      }
      if (reads.has('caller')) {
        inner.set('caller', named.get('caller') ?? new Undefined('No caller defined'))
        named.delete('caller')
      }
      if (reads.has('kwargs')) inner.set('kwargs', named)
      else if (named.size)
        throw new TemplateError(`macro ${repr(name)} takes no keyword argument '${[...named.keys()][0]}'`)
      if (reads.has('varargs')) inner.set('varargs', Tuple.from(args.slice(parameters.length)))
      else if (args.length > parameters.length)
        throw new TemplateError(`macro ${repr(name)} takes not more than ${parameters.length} argument(s)`)
      for (const { name, fallback } of missing) if (fallback) inner.set(name, fallback(inner))
      return render(inner)
    },
    true,
  )
}
