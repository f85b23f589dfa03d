// Weights read in several chunks, and loads that run out of memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { gelu, layerNorm } from '../../src/entries/nn.js'
import { coreOf } from '../../src/runtime/core-of.js'
import { makeFolder } from './made-folder.js'

/** @import { FloatTensor } from '../../src/base/tensor.js' */

const qkv = await load()
for (const [stored, dtype, limit] of /** @type {const} */ ([
  ['F32', 'float32', 0],
  ['F32', 'int8', 3e-2],
  ['F32', 'int4', 0.2],
  ['F16', 'int4', 0.2],
  ['F16', 'int8', 3e-2],
  ['BF16', 'int8', 3e-2],
  ['BF16', 'int4', 0.2],
  ['F32', 'bfloat16', 2e-2],
  ['F16', undefined, 2e-6],
  ['F16', 'float32', 0],
]))
  test(`tensors of several chunks, ${stored} as ${dtype ?? 'stored'}, are those of the file`, async () => {
    const { tensors, folder } = makeFolder(qkv, stored)
    const get = (/** @type {string} */ name) => tensors.get(name) ?? assert.fail(name)
    const seen = /** @type {string[]} */ ([])
    const model = await loadModel(qkv, folder, { dtype, tokenizer: false, onProgress: ({ name }) => seen.push(name) })
    assert.ok(seen.filter(name => name === 'wte.weight').length >= (stored === 'F32' ? 3 : 2), 'it is read in chunks')
    assert.equal(
      seen.filter(name => name === 'h.0.mlp.c_fc.weight').length > 1,
      (dtype === 'float32' || dtype === 'int4') && stored === 'F32',
    )
    /** @type {Record<string, FloatTensor>} */
    const at = {}
    const hooks = Object.fromEntries(
      ['input', 'attention.output', 'mlp.output'].map(name => [
        `layers.0.${name}`,
        (/** @type {FloatTensor} */ x) => {
          at[name] = x
        },
      ]),
    )
    const ids = [5, 9000, 4444]
    const { logits, lastHiddenState } = model.forwardSync({ ids }, { hooks })
    const close = (
      /** @type {FloatTensor | undefined} */ got,
      /** @type {FloatTensor} */ want,
      /** @type {string} */ name,
    ) => {
      assert.ok(got)
      const size = Math.sqrt(want.data.reduce((sum, x) => sum + x * x, 0))
      const error = Math.sqrt(want.data.reduce((sum, x, n) => sum + (x - got.data[n]) ** 2, 0))
      assert.ok(error <= Math.max(limit, 1e-6) * size, `${name}: ${error / size}`)
    }
    const entered = new Float32Array(3 * 64)
    ids.forEach((id, i) => {
      for (let c = 0; c < 64; c++) entered[i * 64 + c] = get('wte.weight').at(id, c) + get('wpe.weight').at(i, c)
    })
    close(at.input, /** @type {any} */ ({ data: entered }), 'embedding')
    const stream = { dims: [1, 3, 64], data: at.input.data.map((x, n) => x + at['attention.output'].data[n]) }
    const x = layerNorm(qkv, stream, get('h.0.ln_2.weight'), get('h.0.ln_2.bias'))
    const layout = /** @type {const} */ ('in,out')
    const inner = gelu(qkv, qkv.linear(x, get('h.0.mlp.c_fc.weight'), get('h.0.mlp.c_fc.bias'), { layout }), {
      approximate: 'tanh',
    })
    close(
      at['mlp.output'],
      qkv.linear(inner, get('h.0.mlp.c_proj.weight'), get('h.0.mlp.c_proj.bias'), { layout }),
      'mlp',
    )
    close(logits, qkv.linear(lastHiddenState, get('wte.weight')), 'logits')
    model.dispose()
    assert.equal(qkv.memory.resident, 0)
  })

test('without memory the error of a load has the bytes needed, and everything is freed, at the start and half way', async () => {
  const own = await load()
  const core = coreOf(own) ?? assert.fail()
  const { memory } = core.exports
  const refuse = () => {
    throw new RangeError('no more')
  }
  const { folder } = makeFolder(qkv, 'F32')
  const message =
    /loadModel: out of memory: the weights need \d{7} bytes, as int8 \d{6,7}: out of memory: the engine gave no/
  Object.defineProperty(memory, 'grow', { value: refuse, configurable: true })
  await assert.rejects(loadModel(own, folder, { tokenizer: false }), { name: 'RangeError', message })
  assert.equal(own.memory.resident, 0)
  Reflect.deleteProperty(memory, 'grow')

  /** @type {{ dispose: () => void }[]} memory that other calls take during the load */
  const taken = []
  let steps = 0
  const onProgress = () => {
    if (++steps !== 4) return
    Object.defineProperty(memory, 'grow', { value: refuse, configurable: true })
    for (let n = 2 ** 20; n >= 4; n /= 2)
      try {
        for (;;) taken.push(own.alloc([n]))
      } catch {}
  }
  await assert.rejects(loadModel(own, folder, { tokenizer: false, onProgress }), { name: 'RangeError', message })
  Reflect.deleteProperty(memory, 'grow')
  for (const tensor of taken) tensor.dispose()
  assert.equal(steps >= 4, true)
  assert.equal(own.memory.resident, 0)
  const model = await loadModel(own, folder, { tokenizer: false })
  assert.ok(model.forwardSync({ ids: [1] }).logits)
  model.dispose()
})

test('a load beside other calls of the module gives the same weights', async () => {
  const folder = fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url))
  const alone = await loadModel(qkv, folder, { tokenizer: false })
  const own = await load()
  /** @type {{ dispose: () => void }[]} */
  const others = []
  const onProgress = () => {
    others.push(own.alloc([1000 + others.length * 77]))
    if (others.length % 3 === 0) others[others.length - 2].dispose()
    own.softmax([[1, 2, 3]])
  }
  const model = await loadModel(own, folder, { tokenizer: false, onProgress })
  assert.deepEqual(model.forwardSync({ ids: [5, 9, 130] }).logits, alone.forwardSync({ ids: [5, 9, 130] }).logits)
  alone.dispose()
  model.dispose()
})
