// Heads built by hand. Their expected weights are computed here independently, from the words alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell, plain, printed } from './browser.js'
import { becomes, choose, go, page, reads, set, type, usePage } from './open.js'

usePage()
const SHARPNESS = 8

/** What each kind scores query i and key j with, of `tokens`. @type {Record<string, (tokens: string[], i: number, j: number) => number>} */
const SCORES = {
  previous: (_, i, j) => (j === i - 1 ? 1 : 0),
  first: (_tokens, _i, j) => (j === 0 ? 1 : 0),
  same: (tokens, i, j) => (tokens[j] === tokens[i] ? 1 : 0),
  induction: (tokens, i, j) => (j > 0 && tokens[j - 1] === tokens[i] ? 1 : j === 0 ? 0.375 : 0),
  uniform: () => 0,
}

/** @param {string} kind @param {string[]} tokens @param {boolean} isCausal @returns {number[]} row after row */
function weightsOf(kind, tokens, isCausal) {
  return tokens.flatMap((_, i) => {
    const row = tokens.map((_, j) => (isCausal && j > i ? 0 : Math.exp(SHARPNESS * SCORES[kind](tokens, i, j))))
    const sum = row.reduce((a, b) => a + b)
    return row.map(x => x / sum)
  })
}

/** @param {string[]} got @param {number[]} want @param {string} what */
function same(got, want, what) {
  assert.equal(got.length, want.length, what)
  want.forEach((x, i) => {
    if (!(Math.abs(Number(got[i]) - x) <= 6e-5)) assert.fail(`${what}[${i}]: ${got[i]} for ${x}`)
  })
}

/** @param {number} head */
async function pick(head) {
  await page.locator('qkv-heads').getByRole('radio').nth(head).click()
  await page
    .locator('.steps-panel .of-head', { hasText: `head ${head + 1}` })
    .first()
    .waitFor()
}

const KINDS = Object.keys(SCORES)

test('each head of the handBuilt looks where its name says, by queries and keys that are real', async () => {
  await choose('handBuilt')
  const tokens = 'the cat sat and the cat slept'.split(' ')
  for (const [head, kind] of KINDS.entries()) {
    await pick(head)
    same(await printed(page, 'weights'), weightsOf(kind, tokens, true), kind)
    const [Q, K, scores] = [await printed(page, 'Q'), await printed(page, 'K'), await printed(page, 'scores')]
    const size = K.length / tokens.length
    const products = tokens.flatMap((_, i) =>
      tokens.map((_, j) =>
        Array.from({ length: size }, (_, d) => Number(Q[i * size + d]) * Number(K[j * size + d])).reduce(
          (a, b) => a + b,
        ),
      ),
    )
    same(scores, products, `scores of ${kind}`)
  }
})

test('the induction head says which word comes next', async () => {
  await choose('handBuilt')
  await reads('.answer-first', /^the₅ looks almost only at cat₂ \(99\.2%\)/)
  const output = (await printed(page, 'output')).map(Number)
  const words = ['and', 'cat', 'sat', 'slept', 'the']
  for (const [row, next] of /** @type {const} */ ([
    [4, 'cat'],
    [5, 'sat'],
  ])) {
    const line = output.slice(row * 5, row * 5 + 5)
    assert.equal(words[line.indexOf(Math.max(...line))], next)
    assert.ok(Math.max(...line) > 0.95)
  }
  const columns = await page.locator('[data-matrix="output"] .column-name').allTextContents()
  assert.deepEqual(columns.map(plain), words)
})

test('kinds are picked for each head and mixed, without a mask and for other words, and travel in a link', async () => {
  await choose('handBuilt')
  await set('heads', '2')
  await set('hand-built-0', 'same')
  await set('hand-built-1', 'previous')
  await set('mask', 'none')
  await type('#sentence', 'a b a a')
  const tokens = ['a', 'b', 'a', 'a']
  const check = async () => {
    for (const [head, kind] of ['same', 'previous'].entries()) {
      await pick(head)
      same(await printed(page, 'weights'), weightsOf(kind, tokens, false), kind)
    }
    const heads = await Promise.all([0, 1].map(head => weightsOf(['same', 'previous'][head], tokens, false)))
    const mixed = tokens.flatMap((_, i) =>
      heads.flatMap(weights =>
        ['a', 'b'].map(word => tokens.reduce((sum, token, j) => sum + (token === word ? weights[i * 4 + j] : 0), 0)),
      ),
    )
    same(await printed(page, 'joined'), mixed, 'both heads side by side')
  }
  await check()
  await page.waitForFunction(() => location.hash.includes('sentence=a+b+a+a'))
  await go(new URL(page.url()).hash)
  await check()
  const link = new URL(page.url()).hash.replace(/~\w+/, '')
  await go(link.replace('handBuilt=same.previous', 'handBuilt=same.nonsense'))
  await becomes(() => page.locator('.said').getAttribute('data-message'), 'linkDamaged')
})

test('their numbers are explained, and a sentence too long for them is refused', async () => {
  await choose('handBuilt')
  await cell(page, 'Wq', 0, 0).click()
  await reads('.panel .steps', /Built by hand/)
  await cell(page, 'X', 1, 1).click()
  await reads('.panel .steps', /One where the token has this position/)
  await page.fill('#sentence', 'word '.repeat(129))
  await reads('#sentence-problem', /up to 128 tokens, but there are 129/)
})
