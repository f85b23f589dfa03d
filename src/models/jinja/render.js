// Renders chat templates as Python does, by jinja2 with the settings of transformers.
// https://github.com/huggingface/transformers: utils/chat_template_utils.py

import { bound, expectInt, expectText } from './methods.js'
import { parse, textOfBody } from './parse.js'
import { Scope } from './scope.js'
import { strftime } from './strftime.js'
import { Callable, fromJS, iterate, keyOf, Namespace, NotCovered, Numbers, str, TemplateError } from './values.js'

/** Implements dict(...). @param {unknown[]} args @param {Map<string, unknown>} kwargs */
function dictOf(args, kwargs) {
  if (args.length > 1) throw new TemplateError(`dict expected at most 1 argument, got ${args.length}`)
  const [from] = args
  const pairs =
    from instanceof Map || from === undefined ? from : Array.from(iterate(from), pair => Array.from(iterate(pair)))
  const made = new Map()
  for (const pair of pairs ?? []) {
    if (pair.length !== 2 || typeof keyOf(pair[0]) !== 'string')
      throw new NotCovered('dict of anything but pairs of a text and a value')
    made.set(pair[0], pair[1])
  }
  for (const [name, value] of kwargs) made.set(name, value)
  return made
}

/** @param {unknown[]} args */
function rangeOf(args) {
  if (!args.length || args.length > 3) throw new TemplateError(`range expected 1 to 3 arguments, got ${args.length}`)
  const [first, second, step = 1] = args.map(expectInt)
  if (step === 0) throw new TemplateError('range() arg 3 must not be zero')
  const range = second === undefined ? new Numbers(0, first, 1) : new Numbers(first, second, step)
  if (range.size > 100000)
    throw new TemplateError('Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).')
  return range
}

/** @param {string} name @returns {import('./values.js').Calling} */
const refused = name => () => {
  throw new NotCovered(`the function ${name}`)
}

/** @type {Record<string, import('./values.js').Calling>} */
const GLOBALS = {
  range: (args, kwargs) =>
    rangeOf(bound('range', ['start', 'stop', 'step'], args, new Map(kwargs)).filter(each => each !== undefined)),
  dict: dictOf,
  namespace: (args, kwargs) => new Namespace(dictOf(args, kwargs)),
  lipsum: refused('lipsum'),
  cycler: refused('cycler'),
  joiner: refused('joiner'),
  raise_exception(args, kwargs) {
    throw new TemplateError(str(bound('raise_exception', ['message'], args, kwargs)[0]))
  },
  strftime_now: (args, kwargs) =>
    strftime(new Date(), expectText(bound('strftime_now', ['format'], args, kwargs)[0], 'format')),
}

/**
 * Compiles a template.
 * @param {string} source
 * @returns {(variables: Record<string, unknown>) => string} renders the template
 */
export function compile(source) {
  const template = parse(source)
  return variables => {
    const scope = new Scope()
    for (const [name, call] of Object.entries(GLOBALS)) scope.set(name, new Callable(name, call))
    for (const [name, value] of Object.entries(variables))
      if (value !== undefined && name !== 'self') scope.set(name, fromJS(value, name)) // self is the template in jinja2
    return textOfBody(template, scope)
  }
}
