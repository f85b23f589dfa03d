// Tests backward from an objective that is a function of the numbers at a place: in every family, with hooks, asynchronous and aborted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backward, backwardSync, jacobianProducts } from '../../src/entries/interpret.js'
import { coreOf } from '../../src/runtime/core-of.js'
import { folders, gpt2, loaded, open, qkv } from './checkpoints.js'
import { dot, reader, waves } from './waves.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

for (const name of folders)
  test(`${name}: the gradient of a place is that of forward mode, and with a hook that of differences`, async () => {
    const model = await open(name, 'float32')
    const { encoder, decoder } = model.stacks
    const isBoth = encoder && decoder
    const at = isBoth ? 'decoder.' : ''
    const ids = [5, 9, 30, 5, 9, 17, 20, 31]
    const input = isBoth ? { ids, decoderIds: [0, 5, 8, 3] } : { ids }
    const last = ((decoder ?? encoder)?.layers ?? 0) - 1
    const from = /** @type {any} */ (`${at}layers.0.output`)
    for (const what of ['mlp.hidden', 'attention.output', 'output']) {
      const place = /** @type {any} */ (`${at}layers.${last}.${what}`)
      /** @type {(readonly number[])[]} */
      const dims = []
      const hooks = { [from]: reader(x => (dims[0] = x.dims)), [place]: reader(x => (dims[1] = x.dims)) }
      model.forwardSync(input, { hooks, logits: 'none' })
      const [v, u] = dims.map((own, n) => waves(own, n))
      const { gradients, value } = backwardSync(model, input, { of: { place, gradient: u }, at: [from] })
      assert.equal(value, undefined)
      const { data: jv } = await jacobianProducts(model, input, { from, to: place, vectors: v })
      const size = Math.sqrt(dot(u.data, u.data) * dot(jv, jv))
      const [got, want] = [dot(gradients[from].data, v.data), dot(u.data, jv)]
      assert.ok(Math.abs(got - want) <= 2e-6 * size, `${what}: ${got} for ${want}`)
      if (what !== 'output') continue
      // The objective is f = |x|^2 / 2 for the numbers x at the place, while a hook halves one head. Steps along the gradient of f at the input of the
      // last layer check this gradient.
      const halved = { [`${at}layers.${last}.heads.0`]: 0.5 }
      const gradient = (/** @type {FloatTensor} */ x) => ({
        value: dot(x.data, x.data) / 2,
        gradient: { data: x.data, dims: x.dims },
      })
      const start = /** @type {any} */ (`${at}layers.${last}.input`)
      const found = backwardSync(model, input, { of: { place, gradient }, at: [start], hooks: halved })
      const d = found.gradients[start].data
      const length = Math.sqrt(dot(d, d))
      const valueAt = (/** @type {number} */ step) => {
        let sum = 0
        const move = reader(x => {
          for (let i = 0; i < d.length; i++) x.data[i] += (step * d[i]) / length
        })
        const hooks = { ...halved, [start]: move, [place]: reader(x => (sum = dot(x.data, x.data) / 2)) }
        model.forwardSync(input, { hooks, logits: 'none' })
        return sum
      }
      const step = 0.02
      const slope = (valueAt(step) - valueAt(-step)) / (2 * step)
      assert.ok(Math.abs(slope - length) <= 2e-2 * length, `${slope} for ${length}`)
      assert.ok(Math.abs((found.value ?? Number.NaN) - valueAt(0)) <= 1e-5 * valueAt(0))
      const later = await backward(model, input, { of: { place, gradient }, at: [start], hooks: halved })
      assert.deepEqual(later.gradients[start].data, d)
    }
    if (model !== gpt2) model.dispose()
    assert.equal(qkv.memory.resident, loaded)
  })

test('a pass backwards from a place is aborted, and one that cannot fit is refused at its start', async () => {
  const of = { place: /** @type {const} */ ('layers.2.output'), gradient: (/** @type {FloatTensor} */ x) => x }
  const at = /** @type {const} */ (['layers.0.output'])
  const abort = new AbortController()
  const onLayer = ({ layer = 0 }) => {
    if (layer === 5) abort.abort(new Error('enough'))
  }
  await assert.rejects(backward(gpt2, { ids: [1, 2, 3] }, { of, at, signal: abort.signal, onLayer }), /enough/)
  assert.equal(qkv.memory.resident, loaded)
  const { reserve } = Object.getPrototypeOf(core())
  core().reserve = (/** @type {number} */ bytes) => {
    if (bytes > 0) throw new RangeError('full')
  }
  try {
    assert.throws(
      () => backwardSync(gpt2, { ids: [1, 2, 3] }, { of, at }),
      /backward needs at least \d+ bytes .* holds at most 4294967296/,
    )
  } finally {
    core().reserve = reserve
    Reflect.deleteProperty(core(), 'reserve')
  }
})

/** @returns {any} */
const core = () => coreOf(qkv)
