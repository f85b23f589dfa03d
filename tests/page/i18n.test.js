import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ELEMENTS, LANGUAGES, languageFor, translator } from '../../web/i18n/index.js'

const { en, ...others } = LANGUAGES
const blanks = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).sort()

for (const [language, texts] of Object.entries(others)) {
  test(`${language} has the texts of en, each with the same blanks`, () => {
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort())
    for (const [key, text] of Object.entries(en)) {
      const other = texts[/** @type {keyof typeof en} */ (key)]
      assert.ok(other.trim(), `${key} is not empty`)
      assert.deepEqual(blanks(other), blanks(text), key)
    }
  })
}

test('the elements speak every language, with the same blanks', () => {
  for (const texts of Object.values(ELEMENTS)) {
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(ELEMENTS.en).sort())
    for (const [key, text] of Object.entries(texts))
      assert.deepEqual(blanks(text), blanks(ELEMENTS.en[/** @type {keyof typeof texts} */ (key)]), key)
  }
})

test("the browser's language is taken if there is one, else English", () => {
  assert.deepEqual(['zh', 'zh-CN', 'zh-Hant-TW', 'en-GB', 'fr', ''].map(languageFor), [
    ...['zh', 'zh', 'zh'],
    'en',
    'en',
    'en',
  ])
})

test('blanks are filled with what is given, once', () => {
  assert.equal(
    translator('en')('pinnedStatus', { matrix: 'X', row: '{column}', column: '$&', value: 1 }),
    'X, row {column}, column $& = 1',
  )
})
