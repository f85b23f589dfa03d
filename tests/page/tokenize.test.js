// Tests that tokenize, which reads long texts in windows, gives the segments of the whole text, and in linear time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tokenize } from '../../web/rooms/layer/tokenize.js'

/** Segments the whole text at once by Intl.Segmenter. @param {string} text @param {boolean} byWord */
function segmented(text, byWord) {
  const segmenter = new Intl.Segmenter(undefined, { granularity: byWord ? 'word' : 'grapheme' })
  return Array.from(segmenter.segment(text))
    .filter(({ segment, isWordLike }) => (byWord ? isWordLike : segment.trim()))
    .map(({ segment }) => segment)
}

/** Compares two texts by code points, for sort: negative if `a` comes first. @param {string} a @param {string} b */
function byCodePoint(a, b) {
  const [x, y] = [a, b].map(text => Array.from(text, character => Number(character.codePointAt(0))))
  const at = x.findIndex((code, i) => code !== y[i])
  return at < 0 ? x.length - y.length : at >= y.length ? 1 : x[at] - y[at]
}

const pieces = [
  'a',
  'B',
  '7',
  ' ',
  '  ',
  '\n',
  '\r',
  '.',
  ',',
  "'",
  '’',
  ':',
  '_',
  '-',
  '\u00ad',
  '\u200d',
  '\u0301',
  '"',
  'א',
  '注意',
  '力',
  '学会',
  '。',
  '，',
  'カタ',
  'ー',
  'ひら',
  '한국',
  'สวัสดี',
  'ชาว',
  'ລາວ',
  'ខ្មែរ',
  'မြန်မာ',
  'क्षि',
  '3.14',
  'can',
  't',
  '😀',
  '👩‍👩‍👧',
  '🇩🇪',
  '🇩',
  '\ud83d',
  '\ude00',
  '\ufe0f',
  '\u{1F1EB}',
  '𠀀',
  '\uff21',
]
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 600, size: 'max' }).map(parts => parts.join(''))

test('words and characters of any text are those that the engine finds in the whole text', () => {
  fc.assert(
    fc.property(texts, text => {
      for (const by of /** @type {const} */ (['segments', 'characters']))
        assert.deepEqual(tokenize(text, { by }).tokens, segmented(text.replaceAll(',', ''), by === 'segments'))
    }),
    { numRuns: 150, seed: 11 },
  )
  const run = '注意力机制让模型学会看哪里'.repeat(60) // no word of it is certain until the whole run is read, so the window must grow
  assert.deepEqual(tokenize(run, { by: 'segments' }).tokens, segmented(run, true))
})

test('ids are places in the order by code point, the last one of a repeated token', () => {
  fc.assert(
    fc.property(texts, text => {
      const { tokens, ids, vocabulary } = tokenize(text, { by: 'characters' })
      const expected = new Map([...tokens].sort(byCodePoint).map((token, id) => [token, id]))
      assert.deepEqual([...vocabulary], [...expected])
      assert.deepEqual(
        [...ids],
        tokens.map(token => expected.get(token)),
      )
    }),
    { numRuns: 100, seed: 12 },
  )
})

test('eight times the text is eight times the work for the engine, not sixty-four', t => {
  const text = (/** @type {number} */ n) => 'The quick brown fox; 注意力机制，学会看。 '.repeat(n)
  const segment = Intl.Segmenter.prototype.segment
  let copied = 0
  /** @this {Intl.Segmenter} @param {string} text */
  function counted(text) {
    const segments = segment.call(this, text)
    copied += [...segments].length * text.length // the engine copies the text for each segment
    return segments
  }
  t.mock.method(Intl.Segmenter.prototype, 'segment', counted)
  for (const by of /** @type {const} */ (['segments', 'characters'])) {
    const [short, long] = [150, 1200].map(n => {
      copied = 0
      tokenize(text(n), { by })
      return copied
    })
    assert.ok(short > 0 && long < 9 * short, `${by}: ${short}, ${long}`)
  }
})

test('words are split at white space and numbered by code point; a repeated word has the last of its numbers', () => {
  const { tokens, ids, vocabulary } = tokenize('Life is short, eat dessert first')
  assert.deepEqual(tokens, ['Life', 'is', 'short', 'eat', 'dessert', 'first'])
  assert.deepEqual([...ids], [0, 4, 5, 2, 1, 3])
  assert.deepEqual([...vocabulary.keys()], ['Life', 'dessert', 'eat', 'first', 'is', 'short'])
  assert.deepEqual([...tokenize('the cat  the\nhat').ids], [3, 0, 3, 1])
  assert.deepEqual([...tokenize(' ').ids], [])
})

test('order is by code point as in Python, not by UTF-16 unit', () => {
  // U+1F600 is D83D DE00 in UTF-16, before U+FF21
  assert.deepEqual([...tokenize('\u{1F600} \uFF21 z').ids], [2, 1, 0])
  assert.deepEqual([...tokenize('ab a abc').ids], [1, 0, 2])
})

test('Chinese is cut into words by the segmenter, and any text into characters', () => {
  const { tokens, ids } = tokenize('一套自动驾驶解决方案', { by: 'segments' })
  assert.deepEqual(tokens, ['一套', '自动', '驾驶', '解决', '方案'])
  assert.deepEqual([...ids], [0, 2, 4, 3, 1])
  assert.deepEqual(tokenize('自动，驾驶。', { by: 'segments' }).tokens.join(''), '自动驾驶')
  assert.deepEqual(tokenize('ae\u0301 b', { by: 'characters' }).tokens, ['a', 'e\u0301', 'b'])
})

test('a vocabulary can be given', () => {
  const vocabulary = new Map([
    ['b', 7],
    ['a', 9],
  ])
  assert.deepEqual([...tokenize('a b a', { vocabulary }).ids], [9, 7, 9])
})
