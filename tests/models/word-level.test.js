// The tokenizer of whole words gives what Hugging Face's libraries give, and takes no file that has more than it reads.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { isWordLevel, WordLevel } from '../../src/models/word-level.js'
import { Tokenizer } from './tokenizer.js'

const read = (/** @type {string} */ name) =>
  JSON.parse(readFileSync(new URL(`../../web/trained/${name}/tokenizer.json`, import.meta.url), 'utf8'))
const json = read('stories')

for (const name of ['stories', 'translation'])
  test(`${name}: ASCII texts have the ids, tokens and texts of @huggingface/tokenizers`, () => {
    const file = read(name)
    assert.ok(isWordLevel(file, {}))
    const [own, theirs] = [new WordLevel(file), new Tokenizer(file, {})]
    const special = file.added_tokens.map((/** @type {{ content: string }} */ { content }) => content)
    const ascii = Object.keys(file.model.vocab).filter(token => /^[!-~]+$/.test(token)) // JavaScript's \w has no other letters
    const pieces = [...ascii, ...special, 'Lily', 'TOM', "don't", '?!', ' ', '\n', '\t', '_x1']
    const text = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.constant(' '), fc.string({ unit: 'grapheme-ascii' })))
      .map(parts => parts.join('').replace(/<\/?\w+>/g, found => found.toLowerCase())) // in capitals JavaScript finds it, Rust does not
    fc.assert(
      fc.property(text, text, fc.boolean(), fc.boolean(), (first, second, hasPair, isWhole) => {
        const options = { text_pair: hasPair ? second : null, add_special_tokens: isWhole }
        const types = /** @type {true} */ (true)
        const [got, want] = [own, theirs].map(each => each.encode(first, { ...options, return_token_type_ids: types }))
        const ids = want.ids.map(id => id ?? file.model.vocab['<unk>']) // of an unknown word it gives none
        assert.deepEqual([got.ids, got.tokens], [ids, want.tokens])
        if (isWhole && file.post_processor) assert.deepEqual(got.token_type_ids, want.token_type_ids)
        for (const skip_special_tokens of ids.length ? [false, true] : [])
          assert.equal(own.decode(ids, { skip_special_tokens }), theirs.decode(ids, { skip_special_tokens }))
      }),
      { numRuns: 300 },
    )
  })

const words = new WordLevel(json)
// Printed by the Rust library 0.20 through @anush008/tokenizers 0.6.0.
for (const [text, ids] of /** @type {[string, number[]][]} */ ([
  ['café', [0, 1]],
  ['<S>', [0, 1, 1, 1]],
  ['a\u00a0b\u3000has', [0, 9, 1, 8]],
  ['', [0]],
]))
  test(`${JSON.stringify(text)} has the ids of the Rust library`, () => assert.deepEqual(words.encode(text).ids, ids))

test('a file with another part is left to the package', () => {
  const { model, post_processor: post } = json
  const changes = [
    { normalizer: null },
    { pre_tokenizer: { type: 'WhitespaceSplit' } },
    { decoder: { type: 'WordPiece' } },
    { truncation: { max_length: 2 } },
    { padding: { strategy: 'BatchLongest' } },
    { post_processor: { type: 'ByteLevel' } },
    { post_processor: { ...post, special_tokens: { '<s>': { ids: [3] } } } },
    { added_tokens: [{ ...json.added_tokens[0], lstrip: true }] },
    { added_tokens: [{ ...json.added_tokens[0], special: false }] },
    { added_tokens: [{ ...json.added_tokens[0], id: 7 }] },
    { model: { ...model, type: 'WordPiece' } },
    { model: { ...model, unk_token: 'absent' } },
  ]
  for (const change of changes) assert.equal(isWordLevel({ ...json, ...change }, {}), false, JSON.stringify(change))
  assert.equal(isWordLevel(json, { additional_special_tokens: ['x'] }), false)
})
