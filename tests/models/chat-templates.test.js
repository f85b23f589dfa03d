// Chat templates compared with jinja2 (tests/goldens/make-chat-templates.py): one for each construct, and random ones.
// tests/goldens/random_templates.py makes thousands more.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compile } from '../../src/models/jinja/render.js'
import { strftime } from '../../src/models/jinja/strftime.js'
import { compareTemplate } from '../goldens/compare-templates.js'

const { given, constructs, variables, random, directives, dates } = JSON.parse(
  readFileSync(new URL('../goldens/chat-templates.json', import.meta.url), 'utf8'),
)

test('165 constructs give the text of jinja2, or an error that names the construct', t => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date(2024, 1, 9, 15, 4, 5, 67) })
  const refused = []
  for (const [name, construct] of Object.entries(constructs)) {
    const { kind, got } = compareTemplate(construct, given)
    assert.notEqual(kind, 'differs', `${name}: ${construct.template}\n${got}\n${construct.text ?? construct.error}`)
    if (kind === 'not covered') refused.push(`${name}: ${got}`)
  }
  assert.deepEqual(refused, [
    'the template itself: the variable self, which stands for the template, is not covered here',
    'a key with underscores as an attribute: __a__ of a dict with such a key is not covered here',
    'format: the attribute format of a str is not covered here',
    'the filter format: the filter format is not covered here',
    'the operator % of a text: the operator % of a text is not covered here',
    'a recursive loop: a recursive loop is not covered here',
    'a block: the tag block is not covered here',
    'groupby: the filter groupby is not covered here',
    'a joiner: the function joiner is not covered here',
    'a generator that is printed: printing a generator, such as the result of map or select, is not covered here',
    'an item of an escaped text: an item of a value that went through safe or escape is not covered here',
    'a difference of items: the operator - of the items or the keys of a dict is not covered here',
  ])
})

test('random templates give the text of jinja2, or an error where it has none', () => {
  const counts = { equal: 0, 'both refuse': 0, 'not covered': 0, differs: 0 }
  for (const each of random) {
    const { kind, got } = compareTemplate(each, variables)
    counts[kind]++
    assert.notEqual(kind, 'differs', `${JSON.stringify(each)}\n${got}`)
  }
  assert.ok(counts.equal > 100 && counts['not covered'] < 0.15 * counts.equal, JSON.stringify(counts))
})

test('times are written as by strftime of Python, with all of its directives and those of Linux', () => {
  for (const [[year, month, ...rest], text] of dates)
    assert.equal(strftime(new Date(year, month - 1, ...rest), directives), text)
  assert.throws(() => strftime(new Date(), '%Q'), /%Q of strftime_now is not covered/)
})

test('values that no JSON has are refused by name', () => {
  const render = compile('{{ x }}')
  assert.equal(render({ x: { a: [1, 1.5, null], b: undefined } }), "{'a': [1, 1.5, None]}")
  for (const [x, message] of [
    [() => 1, /^x: .*got a function/],
    [{ y: new Date() }, /^x\.y: expected a text, a number/],
    [[2 ** 60], /^x\.0: expected a number within 2\^53.*got 1152921504606847000/],
    [10n, /^x: /],
  ])
    assert.throws(() => render({ x }), { message })
  const circle = /** @type {any[]} */ ([])
  circle.push(circle)
  assert.throws(() => render({ x: circle }), /500 deep or without end/)
})
