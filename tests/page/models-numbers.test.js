// Tests the arithmetic of an attention weight down to its layer's parameters: a number of the query or key is a row of W times x.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { traceCell } from '../../web/rooms/models/cell/trace.js'
import { Tokenizer } from '../models/tokenizer.js'
import { open, selectCell, typeText } from './golden-models.js'
import { becomes, page, reads, usePage } from './open.js'

usePage({ hash: '#2&room=models&models.checkpoint=stories' })
const goldens = fileURLToPath(new URL('../goldens/models/', import.meta.url))

test('a row that is computed alone, as of a long text, is that of its layer', async () => {
  const qkv = await load()
  for (const [name, stack] of /** @type {const} */ ([
    ['gpt2-tiny', ''],
    ['mistral-made', ''],
    ['gemma2-tiny', ''],
    ['qwen3-tiny-bf16', ''],
    ['modernbert-made', ''],
    ['glm-made', ''],
    ['t5-tiny', 'encoder'],
    ['marian-tiny', 'encoder'],
    ['marian-tiny', 'decoder'],
    ['marian-tiny', 'cross'],
  ])) {
    const model = await loadModel(qkv, goldens + name, { tokenizer: false })
    const both = model.stacks.encoder && model.stacks.decoder
    const ids = [5, 9, 13, 5, 9, 17, 8, 30, 5, 9]
    const input = { ids, ...(both && { decoderIds: [3, 4, 7] }) }
    const hasRows = both && stack !== 'encoder'
    const hooks = { [`${both ? (stack === 'encoder' ? 'encoder.' : 'decoder.') : ''}layers.0.heads.1`]: 0.5 }
    for (const [query, key] of hasRows
      ? [[2, 1]]
      : [
          [7, 2],
          [9, 8],
          [3, 5],
        ]) {
      // biome-ignore format: pairs
      const at = { stack, layer: 1, head: 3, query, key }
      const { scores, weights, ...want } = await traceCell(qkv, model, input, hooks, at)
      const alone = await traceCell(qkv, model, input, hooks, at, undefined, 0)
      for (const [got, row] of [
        [alone.scores, scores],
        [alone.weights, weights],
      ])
        for (const [j, value] of row.entries())
          assert.ok(value === got[j] || Math.abs(value - got[j]) <= 1e-5, `${name} ${query}, ${j}: ${got[j]}, ${value}`)
      for (const field of /** @type {const} */ (['dot', 'score', 'largest', 'sum', 'weight']))
        assert.ok(want[field] === alone[field] || Math.abs(want[field] - alone[field]) <= 1e-4, `${name} ${field}`)
      assert.deepEqual([alone.isSet, alone.q, alone.k], [want.isSet, want.q, want.k])
    }
    model.dispose()
  }
})

test('the listed inputs of a cell’s query and key give them, in every kind of stack', async () => {
  const qkv = await load()
  for (const [name, stack] of /** @type {const} */ ([
    ['gpt2-tiny', ''],
    ['llama-tiny-sharded', ''],
    ['gpt_neox-made', ''],
    ['bert-tiny', ''],
    ['glm-made', ''],
    ['bloom-made', ''],
    ['deberta-v3-made', ''],
    ['t5-tiny', 'encoder'],
    ['marian-tiny', 'decoder'],
    ['marian-tiny', 'cross'],
  ])) {
    const model = await loadModel(qkv, goldens + name, { tokenizer: false })
    const both = model.stacks.encoder && model.stacks.decoder
    const input = { ids: [5, 9, 13, 5, 9, 17], ...(both && { decoderIds: [3, 4, 7] }) }
    const at = { stack, layer: 1, head: 3, query: 2, key: 1 }
    const trace = await traceCell(qkv, model, input, {}, at)
    const sum = (/** @type {ArrayLike<number>} */ numbers) => Array.from(numbers).reduce((a, b) => a + b, 0)
    const near = (/** @type {number} */ got, /** @type {number} */ want, /** @type {string} */ what) =>
      assert.ok(Math.abs(got - want) <= 1e-4 * Math.max(1, Math.abs(want)), `${name} ${what}: ${got}, ${want}`)
    near(sum(trace.q.map((q, i) => q * trace.k[i])), trace.dot, 'q · k')
    near(trace.dot * trace.scale, trace.scaled, 'the scaled score')
    near(sum(trace.scores.map(score => Math.exp(score - trace.largest))), trace.sum, 'the sum of the row')
    near(Math.exp(trace.score - trace.largest) / trace.sum, trace.weight, 'the weight')
    const { rope } = (stack === 'encoder' ? model.stacks.encoder : model.stacks.decoder) ?? {}
    assert.equal(trace.qBare !== undefined, rope !== undefined && stack !== 'cross', 'the rotation is there')
    if (rope)
      for (const [turned, bare, position] of /** @type {const} */ ([
        [trace.q, trace.qBare ?? trace.q, trace.query],
        [trace.k, trace.kBare ?? trace.k, trace.key],
      ])) {
        const half = rope.frequencies.length
        for (let i = 0; i < 2 * half; i++) {
          // A rotation pairs numbers of the two halves of the head, or neighbours (glm).
          const [isFirst, step, pair] = rope.interleaved
            ? [i % 2 === 0, 1, Math.floor(i / 2)]
            : [i < half, half, i % half]
          const angle = position * rope.frequencies[pair]
          const other = bare[isFirst ? i + step : i - step]
          const want = bare[i] * Math.cos(angle) + (isFirst ? -1 : 1) * other * Math.sin(angle)
          near(turned[i], want, `number ${i} after its rotation`)
        }
      }
    const place = `${both ? (stack === 'encoder' ? 'encoder.' : 'decoder.') : ''}layers.1.${stack === 'cross' ? 'cross' : 'attention'}`
    for (const [letter, head, made, x] of /** @type {const} */ ([
      ['q', trace.head, trace.qBare ?? trace.q, trace.xq],
      ['k', trace.kvHead, trace.kBare ?? trace.k, trace.xk],
    ]))
      for (const [i, want] of made.entries()) {
        const { weight, bias } = await model.weightRow(`${place}.${letter}`, head * made.length + i)
        const got = weight.reduce((sum, w, n) => sum + w * x[n], bias)
        assert.ok(
          Math.abs(got - want) <= 1e-4 * Math.max(1, Math.abs(want)),
          `${name} ${stack} ${letter} ${i}: ${got}, ${want}`,
        )
      }
    model.dispose()
  }
})

for (const [name, type, isNormed] of /** @type {const} */ ([
  ['llama-tiny-sharded', 'llama', false],
  ['qwen3-tiny-bf16', 'qwen3', true],
]))
  test(`a number of a rotated query opens down to W x${isNormed ? ' and the norm of the head' : ''}: ${type}`, async () => {
    await open(name, type)
    await typeText('The cat that chased the dog')
    await page.locator('#models-ranked button', { hasText: '2.3' }).click()
    await page.locator('#models-map').waitFor()
    await selectCell(3, 2)
    await page.locator('#models-products .factor').first().click()
    const number = page.locator('[data-side="q"] .factor').first()
    const want = (await number.innerText()).trim()
    await number.click()
    await reads('#models-inspector .note', /^Row \d+ of the matrix W_q of this layer, times x/)
    await page.locator('#models-projection').waitFor()
    await becomes(async () => (await page.innerText('.total output')).trim(), want)
    const product = Number((await page.locator('#models-projection tfoot td').last().innerText()).replace('−', '-'))
    const said = /multiplies it by (−?\d+\.\d+)/.exec(await page.innerText('#models-inspector .note'))
    assert.equal(said !== null, isNormed)
    const made = product * Number((said?.[1] ?? '1').replace('−', '-'))
    assert.ok(Math.abs(made - Number(want.replace('−', '-'))) < 2e-3, `${made} for ${want}`)
    await page.click('#models-inspector-back')
    await page.locator('[data-side="q"]').waitFor()
    await page.click('#models-inspector-forward')
    await page.locator('#models-projection').waitFor()
  })

test("for an encoder, the grid at the masked word has, after each layer, the words of the library's logit lens", async () => {
  await open('bert-tiny', 'bert')
  await page.fill('#models-text', 'The [MASK] wrote to the king')
  await reads('.models-answer', /##ed 58\.0%/)
  await reads('.atlas-lens-title', /^If the model ended here$/)
  const shown = () =>
    page.locator('.atlas-lens li').evaluateAll(items => items.map(item => item.querySelector('span')?.textContent))
  const qkv = await load()
  const model = await loadModel(qkv, `${goldens}bert-tiny`, { tokenizer: Tokenizer })
  const { ids } = model.tokenize('The [MASK] wrote to the king')
  const { hiddenStates } = model.forwardSync({ ids }, { keep: ['hiddenStates'] })
  const want = []
  for (const state of hiddenStates.slice(1)) {
    const logits = await model.logitLens(/** @type {any} */ (state))
    const { data } = qkv.softmax(logits.row(0).row(2))
    const best = data.indexOf(Math.max(...data))
    want.push(`${model.decode([best])} ${(100 * data[best]).toFixed(1)}%`)
  }
  model.dispose()
  await becomes(shown, want)
  await becomes(
    () => page.innerText('.models-prediction'),
    /Norms, and activations after the last layer, are held fixed/,
  )
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('.models-tabs button').nth(1).click()
  await becomes(() => page.locator('.models-layers li').allInnerTexts(), want)
})

test('if no head reaches the minimum score, none is faded', async () => {
  await open('bert-tiny', 'bert')
  await page.fill('#models-text', 'The [MASK] wrote to the king')
  await reads('#models-ranked', /1\.1/)
  await page.click('#models-filter > summary')
  await page.fill('#models-least', '1')
  await becomes(() => page.locator('#models-ranked .is-faded').count(), 0)
  await page.fill('#models-least', '0.2')
  await page.waitForFunction(() => document.querySelectorAll('#models-ranked .is-faded').length > 0)
  await becomes(async () => (await page.locator('#models-ranked .plain:not(.is-faded)').count()) > 0, true)
})
