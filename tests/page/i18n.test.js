import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { texts } from '../../web/elements/all-texts.js'
import { headsTexts } from '../../web/elements/element-texts.js'
import { languageFor, loadTexts } from '../../web/i18n/index.js'
import { LANGUAGES } from '../../web/i18n/languages.js'

const folder = new URL('../../web/i18n/', import.meta.url)
const tags = Object.keys(LANGUAGES)
const files = readdirSync(new URL('en', folder)).filter(name => name !== 'elements.js')

/** Returns the texts of a file in a language. @param {string} tag @param {string} file @returns {Promise<Record<string, string>>} */
const textsOf = async (tag, file) => (await import(new URL(`${tag}/${file}`, folder).href)).texts
/** @param {string} tag @returns {Promise<Record<string, string>>} */
const elementsOf = async tag => (await import(new URL(`${tag}/elements.js`, folder).href)).elements

/** Symbols in DejaVu Sans and in the fonts of Windows, macOS, Android and iOS. None of them is only an emoji. */
const SIGNS = '−√∞→←↑↓–—…‖“”’‹›↵⇥␣⋯✓☰●○▸▾⚠ᵀ₀₁₂₃₄₅₆₇₈₉'

test('the page has no sign that few fonts have: others are drawn', () => {
  const web = new URL('../../web/', import.meta.url)
  const names = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(name => /\.(js|css)$/.test(name))
  const found = names.flatMap(name => {
    const text = readFileSync(new URL(name, web), 'utf8')
    const others = text.match(
      /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Han}\p{ASCII}\u0080-\u036f\u3000-\u303f\uff00-\uffef]/gu,
    )
    return (others ?? []).filter(sign => !SIGNS.includes(sign)).map(sign => `${name}: ${sign}`)
  })
  assert.deepEqual(found, [])
})

test('text in ‹ › is for a mouse or keys: without it each text of a phone is still a sentence', async () => {
  for (const tag of tags)
    for (const file of files)
      for (const text of Object.values(await textsOf(tag, file)).filter(text => /[‹›]/.test(text))) {
        assert.match(text, /^[^‹›]+(‹[^‹›]+›[^‹›]*)+$/)
        assert.match(text.replace(/‹.*?›/g, ''), /[.?。？]$/)
      }
  const t = await loadTexts('en', ['shell', 'learn'])
  assert.equal(
    t(/** @type {any} */ ('learnFactorHint')),
    'Double-click a head, or press F2, to multiply its output by a factor.',
  )
})

test('every folder of web/i18n is a language with the same files', () => {
  assert.deepEqual(
    readdirSync(folder).filter(name => !name.includes('.')),
    [...tags].sort(),
  )
  for (const tag of tags) assert.deepEqual(readdirSync(new URL(tag, folder)), readdirSync(new URL('en', folder)), tag)
})

test('no other file of the page lists the languages, so a new one is a folder and a line of languages.js', () => {
  const web = new URL('../../web/', import.meta.url)
  const names = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(name => /\.(js|ts)$/.test(name))
  const [first, second] = tags
  const listed = new RegExp(`(['"])${first}\\1\\W{1,9}${second}\\1`)
  assert.match("['en', 'zh']", listed)
  assert.deepEqual(
    names.filter(name => listed.test(readFileSync(new URL(name, web), 'utf8'))),
    [],
  )
})

/** Names of the placeholders that stand for a number of things. */
const COUNTS =
  'all batch bytes columns copies count edges heads held here hidden kinds layers least length models most n of on padding parameters parts positions rows step steps there threads tokens'.split(
    ' ',
  )

/** Texts whose number is never 1: it is a limit, or the size of a shipped file, or the text is shown only for several things. */
const NEVER_ONE = {
  'lens.js': ['lensFrom.fit', 'lensOthers', 'lensPinned', 'lensPinnedBefore', 'lensStory.lenses'],
  'front.js': ['frontIntro', 'frontLearnText'],
  'gallery.js': ['galleryFacts'],
  'graph.js': ['graphMost'],
  'head-exercises.js': ['e11.hint.shared'],
  'head.js': ['change.hideSeveral'],
  'layer-parts.js': ['costText', 'costBoth', 'batchText', 'importMany', 'importColumns', 'importHeads'],
  'layer.js': [
    'problemTokens',
    'trainedLong',
    'problemLong',
    'problemDivide',
    'problemHandBuilt',
    'problemTableSize',
    'differenceRows',
  ],
  'learn.js': [
    'learnTextOwn',
    'learnEnded.heldOutAccuracy',
    'learnEnded.alignment',
    'fileLarge',
    'textKinds',
    'probeCount',
    'probeWords',
  ],
  'models.js': [
    'modelsFacts',
    'modelsTooLong',
    'modelsCannotRead',
    'modelsUnknown',
    'modelsCopies',
    'modelsCopiesFurther',
    'modelsNeverCopies',
    'modelsOfTexts',
    'modelsAllAdders',
    'modelsFirstAdders',
    'modelsLookedBy',
    'modelsLooksTogether',
    'modelsThreads',
    'modelsFull',
    'modelsStoryLong',
  ],
  'long-text.js': ['longTooMany', 'longLooksSome'],
  'shell.js': ['checkedText'],
}
/** Words after a number that need no plural. */
const OTHERS = 'across as by does has in is it makes of reads sees the'

test('a text of a number that may be 1 has no plural beside it, or another text for one thing', async () => {
  const pattern = new RegExp(`\\{(\\w+)\\} (?!(?:${OTHERS.replaceAll(' ', '|')})\\b)(?:[a-z]+ )?[a-z]+s\\b`, 'g')
  for (const file of files) {
    const texts = await textsOf('en', file)
    const many = Object.keys(texts).filter(key => {
      const names = Array.from(texts[key].matchAll(pattern), ([, name]) => name)
      return !(`${key.replace(/\.many$/, '')}.one` in texts) && names.some(name => COUNTS.includes(name))
    })
    const reviewed = /** @type {Record<string, string[]>} */ (NEVER_ONE)[file] ?? []
    assert.deepEqual(many.sort(), [...reviewed].sort(), file)
  }
})

test('each room has one name in a language, and texts of other languages name the same room as in English', async () => {
  const english = await textsOf('en', 'shell.js')
  const rooms = Object.keys(english).filter(key => key.startsWith('room.'))
  let found = 0
  for (const tag of tags) {
    const shell = await textsOf(tag, 'shell.js')
    const names = rooms.map(room => shell[room])
    for (const file of files) {
      const [en, own] = [await textsOf('en', file), await textsOf(tag, file)]
      for (const [key, text] of Object.entries(own)) {
        for (const [, chinese, name = chinese] of text.matchAll(/在“([^”]+)”中打开|^Open in (.+)$/g))
          assert.ok(names.includes(name), `${tag}/${file}: ${key}`)
        for (const room of rooms)
          if (new RegExp(`\\b(in|of|to|and|Open|Back to) ${english[room]}\\b`).test(en[key])) {
            assert.ok(text.includes(shell[room]), `${tag}/${file}: ${key} names ${shell[room]}`)
            found++
          }
      }
    }
  }
  assert.ok(found > 15, `${found} texts name a room`)
})

const blanks = (/** @type {string} */ text) => (text.match(/\{\w+\}/g) ?? []).sort()

/** @param {Record<string, string>} other @param {Record<string, string>} en */
function assertSame(other, en) {
  assert.deepEqual(Object.keys(other).sort(), Object.keys(en).sort())
  for (const [key, text] of Object.entries(en)) {
    assert.ok(other[key].trim() || !text.trim(), `${key} is not empty`)
    assert.deepEqual(blanks(other[key]), blanks(text), key)
  }
}

for (const tag of tags.slice(1))
  for (const file of files)
    test(`${tag}/${file} has the texts of en, each with the same blanks`, async () =>
      assertSame(await textsOf(tag, file), await textsOf('en', file)))

test('the elements speak every language, with the same blanks, and the page reads no text that English lacks', async () => {
  for (const tag of tags.slice(1)) assertSame(await elementsOf(tag), texts)
  assert.deepEqual(await elementsOf('en'), headsTexts)
})

test('no key is in two files that are loaded together', async () => {
  /** @type {Map<string, string>} */
  const owners = new Map()
  const shared = ['shell.js', 'head.js']
  for (const file of [...shared, ...files.filter(name => !shared.includes(name))])
    for (const key of Object.keys(await textsOf('en', file))) {
      assert.ok(!owners.has(key), `${key} stands in ${owners.get(key)} and in ${file}`)
      if (shared.includes(file)) owners.set(key, file)
    }
})

test("the browser's language is used if there are texts for it, else English", () => {
  assert.deepEqual(['zh', 'zh-CN', 'zh-Hant-TW', 'en-GB', 'tlh', ''].map(languageFor), [
    'zh',
    'zh',
    'zh',
    'en',
    'en',
    'en',
  ])
})

test('blanks are filled with what is given, once', async () => {
  const t = await loadTexts('en', ['shell', 'layer'])
  assert.equal(
    t('pinnedStatus', { matrix: 'X', row: '{column}', column: '$&', value: 1 }),
    'X, row {column}, column $& = 1',
  )
})

test('texts that a first-time reader did not understand were replaced, in the agreed words', async () => {
  const files = await Promise.all(['layer.js', 'layer-parts.js'].map(name => textsOf('en', name)))
  const all = files.flatMap(texts => Object.values(texts)).join('\n')
  for (const text of [
    'largest score, then take e to that power',
    'Scores spread like √d; dividing keeps softmax from picking a single word.',
    '0 if the key is visible, −∞ if it is hidden',
    'Step by step',
    'Tensor shapes',
    'Differences from the source',
    'Restore',
    'your text, shifted by one token',
  ])
    assert.ok(all.includes(text), text)
  for (const old of [/as a power of e/, /shout/, /0 v −?-?inf/, /as loud as/, /Document 00\d/i])
    assert.doesNotMatch(all, old)
})
