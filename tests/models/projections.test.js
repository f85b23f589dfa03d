// The rows of weights times the input of each layer's attention give queries, keys and values.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const qkv = await load()
after(() => assert.equal(qkv.memory.resident, 0))
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))
const names = readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`))
const open = (/** @type {string} */ name, options = {}) =>
  loadModel(qkv, `${folder}/${name}`, { tokenizer: false, ...options })

/** Computes a row of W x + b in float64. @param {import('../../src/models/model.js').Model} model @param {string} place @param {number} row @param {ArrayLike<number>} x */
async function product(model, place, row, x) {
  const { weight, bias } = await model.weightRow(place, row)
  assert.equal(weight.length, x.length)
  return weight.reduce((sum, w, i) => sum + w * x[i], bias)
}

test('a row of W_q, W_k or W_v times the input of the attention is the number of the query, key or value', async () => {
  let normed = 0
  for (const name of names) {
    const model = await open(name)
    const { encoder, decoder } = model.stacks
    const both = encoder && decoder
    const stacks = both ? ['encoder.', 'decoder.'] : ['']
    /** @type {Record<string, FloatTensor>} */
    const seen = {}
    const look = (/** @type {string} */ place) => ({
      [place]: (/** @type {FloatTensor} */ x) => {
        seen[place] = x
      },
    })
    const attentions = stacks.map(stack => `${stack}layers.1.attention`)
    if (both) attentions.push('decoder.layers.1.cross')
    const places = attentions.flatMap(at => {
      const bare = at.endsWith('cross') ? [] : ['qBare', 'kBare']
      return ['input', 'q', 'k', 'v', ...bare].map(what => `${at}.${what}`)
    })
    const input = { ids: [5, 9, 13, 5, 9, 17], ...(both && { decoderIds: [3, 4, 7] }) }
    const hooks = Object.assign({}, ...places.map(look))
    const { encoderLastHiddenState } = model.forwardSync(input, { hooks, keep: ['encoderHiddenStates'] })
    for (const at of attentions) {
      const own = /** @type {NonNullable<typeof decoder>} */ (at.startsWith('encoder') ? encoder : (decoder ?? encoder))
      for (const what of ['q', 'k', 'v']) {
        const isKeys = at.endsWith('cross') && what !== 'q'
        const x = (isKeys ? encoderLastHiddenState : seen[`${at}.input`])?.row(0).row(2).data ?? assert.fail(at)
        const want = (seen[`${at}.${what}Bare`] ?? seen[`${at}.${what}`]).row(0).row(2).data
        const D = own.headDim
        const first = what === 'q' || own.numKvHeads > 1 ? D : 0 // the first row of the second head, if there is one
        const rows = await Promise.all(
          Array.from({ length: D }, (_, i) => product(model, `${at}.${what}`, first + i, x)),
        )
        // If a norm of each head follows, it scales each number by a positive factor, so only the signs are compared.
        const isNormed = Boolean(own.qkNorm) && what !== 'v'
        const size = Math.sqrt(rows.reduce((sum, value) => sum + value * value, 0) / D + 1e-6)
        for (const [i, value] of rows.entries()) {
          const got = want[first + i]
          if (isNormed) assert.equal(Math.sign(got), Math.sign(value / size), `${name} ${at}.${what} ${i}`)
          else
            assert.ok(
              Math.abs(got - value) <= 1e-4 * Math.max(1, Math.abs(value)),
              `${name} ${at}.${what} ${i}: ${got}, ${value}`,
            )
        }
        normed += Number(isNormed)
      }
    }
    model.dispose()
  }
  assert.ok(normed >= 4, String(normed))
})

test('the rows of the MLP are those of the checkpoint; missing layers or rows are refused', async () => {
  const model = await open('gpt2-tiny')
  const { weight } = await model.weightRow('layers.2.mlp.output', 47)
  assert.equal(weight.length, 192)
  await assert.rejects(model.weightRow('layers.2.mlp.output', 48), /weightRow: row: expected .* 0 to 47.*got 48/)
  for (const place of [
    'layers.3.mlp.up',
    'layers.0.mlp.gate',
    'layers.0.cross.q',
    'decoder.layers.0.mlp.up',
    'layers.0.attention.weights',
    '',
  ])
    await assert.rejects(
      model.weightRow(place, 0),
      /is no linear layer of this model; such are "layers\.0\.attention\.q"/,
    )
  await assert.rejects(model.weightRow(/** @type {any} */ (undefined), 0), RangeError)
  model.dispose()
  await assert.rejects(model.weightRow('layers.0.mlp.up', 0), /was disposed/)
})

test('a hook at the input of an attention changes its queries, keys and values, and nothing before them', async () => {
  const model = await open('gpt2-tiny')
  const run = (/** @type {Record<string, any>} */ hooks) =>
    model.forwardSync({ ids: [1, 2, 3] }, { hooks, keep: ['hiddenStates'] })
  const [plain, half] = [run({}), run({ 'layers.1.attention.input': 0.5 })]
  assert.deepEqual(half.hiddenStates[1]?.data, plain.hiddenStates[1]?.data)
  assert.notDeepEqual(half.hiddenStates[2]?.data, plain.hiddenStates[2]?.data)
  /** @type {FloatTensor[]} */
  const seen = []
  const see = (/** @type {FloatTensor} */ x) => void seen.push(x)
  run({ 'layers.1.attention.input': 0, 'layers.1.attention.q': see })
  const { bias } = await model.weightRow('layers.1.attention.q', 7)
  assert.ok(Math.abs(seen[0].at(0, 2, 7) - bias) < 1e-6, 'without input the bias is left')
  model.dispose()
})
