// Tests that no English remains in Chinese, in any text, label or title that can be reached, in every preset.

import { test } from 'node:test'
import { pinWeight } from './browser.js'
import { becomes, choose, go, page, reads, set, unfold, usePage } from './open.js'

usePage()

/** Names that are the same in every language, and texts by the reader or an article. */
const NAMES = new Set(
  [
    'qkv PyTorch AVX MultiheadAttention float inf nan Softmax softmax tanh exp max sin cos log sqrt bit CSV JSON SVG PNG npy MB Shift Ctrl',
    'NaN Esc Enter Python JavaScript attentionBackward weights tokens keyTokens data dims array astype English dot GPT BERT Llama',
  ]
    .join(' ')
    .split(' '),
)

/** Returns all texts that are visible or that a screen reader reads, also in shadow roots. */
function spoken() {
  /** @type {string[]} */
  const texts = []
  const walk = (/** @type {Node} */ node) => {
    if (node instanceof Text) texts.push(node.data)
    if (node instanceof Element) {
      // Skips words of the sentence, formulas and code.
      if (node.matches('style, script, math, bdi, textarea, pre, option[lang], .name, qkv-heatmap .name')) return
      for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'label']) {
        const text = node.getAttribute(name)
        if (text && !node.matches('.name, [role=columnheader], [role=rowheader], #paste')) texts.push(text)
      }
      if (node.shadowRoot) node.shadowRoot.childNodes.forEach(walk)
    }
    node.childNodes.forEach(walk)
  }
  walk(document.body)
  return [document.title, ...texts].filter(text => /[a-z]/i.test(text))
}

test('html lang follows the choice, and no English stays in Chinese', async () => {
  await becomes(() => page.locator('html').getAttribute('lang'), 'en')
  await set('language', 'zh')
  await becomes(() => page.locator('html').getAttribute('lang'), 'zh-CN')
  /** Words of all sentences so far, because an announcement stays until the next one and may quote an earlier sentence. @type {Set<string>} */
  const words = new Set()
  for (const preset of await page
    .locator('#examples [data-item]')
    .evaluateAll(all => all.map(each => each.getAttribute('data-item')))) {
    await choose(String(preset))
    await pinWeight(page)
    await page.click('[data-matrix="weights"] .save-open')
    const typed = await page.locator('textarea').evaluateAll(all => all.map(each => /** @type {any} */ (each).value))
    for (const word of typed.join(' ').match(/[A-Za-z]+/g) ?? []) words.add(word)
    const left = async () =>
      (await page.evaluate(spoken)).flatMap(text =>
        (text.replace(/\w+_\w+/g, '').match(/[A-Za-z]{3,}/g) ?? [])
          .filter(word => !NAMES.has(word) && !words.has(word))
          .map(word => `${word}: ${text}`),
      )
    await becomes(left, [], String(preset))
  }
  await page.evaluate(() => localStorage.clear())
})

test('messages are Chinese, too', async () => {
  await set('language', 'zh')
  await page.fill('#sentence', '')
  await reads('#sentence-problem', '请至少输入一个词。')
  await unfold('import')
  await page.click('#import-example')
  await page.locator('.said span').waitFor()
  await reads('.said span', '已读取。头数：2。')
  await go('#3~abc&planes=7')
  await reads('.notice', /更新版本/)
  await page.evaluate(() => localStorage.clear())
})
