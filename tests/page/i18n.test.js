import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { createServer } from 'vite'

// Vite finds the languages; a server without a port runs the file as the page does.
const vite = await createServer({ server: { middlewareMode: true, ws: false }, appType: 'custom', logLevel: 'error' })
after(() => vite.close())
/** @type {typeof import('../../web/i18n/index.js')} */
const { ELEMENTS, LANGUAGES, languageFor, translator } = /** @type {any} */ (await vite.ssrLoadModule('/i18n/index.js'))

test('every folder of web/i18n is a language with the same files', () => {
  const folder = new URL('../../web/i18n/', import.meta.url)
  const tags = readdirSync(folder).filter(name => !name.includes('.'))
  assert.deepEqual(Object.keys(LANGUAGES).sort(), tags.sort())
  for (const tag of tags) assert.deepEqual(readdirSync(new URL(tag, folder)), readdirSync(new URL('en', folder)), tag)
})

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
  assert.deepEqual(['zh', 'zh-CN', 'zh-Hant-TW', 'en-GB', 'tlh', ''].map(languageFor), [
    'zh',
    'zh',
    'zh',
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

test('what a first reader did not understand was replaced, in the words that were agreed', () => {
  const all = Object.values(en).join('\n')
  for (const text of [
    'largest score, then take e to that power',
    'Scores spread like √d; dividing keeps softmax from picking a single word.',
    '0 if the key is visible, −inf if it is hidden',
    'Step by step',
    'Tensor shapes',
    'Differences from the source notebook',
    'Restore',
    'your text, shifted by one token',
  ])
    assert.ok(all.includes(text), text)
  for (const old of [/as a power of e/, /shout/, /0 v −?-?inf/, /as loud as/, /Document 00\d/i])
    assert.doesNotMatch(all, old)
})
