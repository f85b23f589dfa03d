// Training and saving of loaded models. Losses match PyTorch (tests/goldens/make-torch-finetune.py), and a saved model loads to the same
// bits.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { backwardSync, modelParameters } from '../../src/entries/interpret.js'
import { loadModel, readSafetensors, saveModel, writeSafetensors } from '../../src/entries/models.js'
import { AdamW } from '../../src/entries/train.js'
import { allocations, withFree } from '../growth.js'

const qkv = await load()
const goldens = fileURLToPath(new URL('../goldens', import.meta.url))
const folder = `${goldens}/models`
const folders = readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`))
after(() => assert.equal(qkv.memory.resident, 0))
const ids = [5, 9, 13, 5, 9, 17, 20, 31]

test('30 losses of a fine-tuned checkpoint are those of PyTorch', async t => {
  const golden = JSON.parse(readFileSync(`${goldens}/torch-finetune.json`, 'utf8'))
  const model = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false })
  const p = modelParameters(model)
  const optimizer = new AdamW(p, { lr: golden.lr, weightDecay: golden.weightDecay })
  let most = 0
  for (const [step, want] of golden.losses.entries()) {
    const { value = NaN } = backwardSync(model, { ids: golden.ids[step % golden.ids.length] }, { parameters: p })
    most = Math.max(most, Math.abs(value - want))
    assert.ok(Math.abs(value - want) <= 2e-5, `step ${step}: ${value} for ${want}`)
    optimizer.step()
  }
  t.diagnostic(
    `the losses are off by at most ${most.toExponential(1)}; first ${golden.losses[0]}, last ${golden.losses[29]}`,
  )
  assert.ok(golden.losses[29] < golden.losses[0] / 2)
  // The model uses the values of the last step, and the saved model gives the same bits.
  const saved = await saveModel(model)
  const again = await loadModel(qkv, saved)
  const [a, b] = [model, again].map(one => one.forwardSync({ ids }).logits?.data)
  assert.deepEqual(a, b)
  const values = await readSafetensors(saved['model.safetensors'])
  assert.deepEqual(values['h.1.attn.c_attn.weight'].data, p.values['h.1.attn.c_attn.weight'].data)
  for (const held of [again, optimizer, p, model]) held.dispose()
})

for (const name of folders)
  test(`${name}: weights that an optimiser changes are those of the model, in every layout`, async () => {
    const model = await loadModel(qkv, `${folder}/${name}`, { tokenizer: false, dtype: 'float32' })
    const isBoth = model.stacks.encoder !== undefined && model.stacks.decoder !== undefined
    const input = isBoth ? { ids, decoderIds: [0, 5, 8, 3] } : { ids }
    if (model.hasHead) {
      const p = modelParameters(model)
      const before = model.forwardSync(input).logits
      const { value: first = NaN } = backwardSync(model, input, { parameters: p })
      const adam = new AdamW(p, { lr: 1e-3 })
      for (let step = 0; step < 3; step++) {
        adam.step()
        backwardSync(model, input, { parameters: p })
      }
      const { value: last = NaN } = backwardSync(model, input, { parameters: p })
      assert.ok(last < first, `${last} after ${first}`)
      assert.notDeepEqual(model.forwardSync(input).logits?.data, before?.data)
      for (const tensor of Object.keys(p.values))
        assert.deepEqual((await model.weight(tensor)).data, p.values[tensor].data, tensor)
      adam.dispose()
      p.dispose()
    }
    // A saved model loads to the same bits.
    const again = await loadModel(qkv, await saveModel(model), { dtype: 'float32' })
    assert.deepEqual(again.forwardSync(input).lastHiddenState.data, model.forwardSync(input).lastHiddenState.data)
    again.dispose()
    model.dispose()
    assert.equal(qkv.memory.resident, 0)
  })

test('an optimiser changes the weights of the model if the memory grows in its step', async () => {
  for (const name of ['gpt2-tiny', 'phi3-made', 'qwen2-made']) {
    const model = await loadModel(qkv, `${folder}/${name}`, { tokenizer: false, dtype: 'float32' })
    const p = modelParameters(model)
    const adam = new AdamW(p)
    backwardSync(model, { ids }, { parameters: p })
    let grown = 0
    for (const free of await allocations(qkv, () => adam.step())) {
      const { size } = qkv.memory
      await withFree(qkv, free, () => adam.step())
      grown += Number(qkv.memory.size > size)
      for (const tensor of Object.keys(p.values))
        assert.deepEqual((await model.weight(tensor)).data, p.values[tensor].data, `${name} ${tensor} ${free}`)
    }
    assert.ok(grown > 1, `${grown}`)
    for (const held of [adam, p, model]) held.dispose()
  }
})

test('weights that are stored narrow are saved narrow, and load again with the same bits', async () => {
  for (const name of folders) {
    const model = await loadModel(qkv, `${folder}/${name}`, { tokenizer: false })
    const isBoth = model.stacks.encoder !== undefined && model.stacks.decoder !== undefined
    const input = isBoth ? { ids, decoderIds: [0, 5, 8, 3] } : { ids }
    const again = await loadModel(qkv, await saveModel(model))
    const dtypes = [model, again].map(one =>
      one
        .describe()
        .tensors.map(({ name, dtype }) => `${name} ${dtype}`)
        .sort(),
    )
    assert.deepEqual(dtypes[1], dtypes[0])
    assert.deepEqual(again.forwardSync(input).lastHiddenState.data, model.forwardSync(input).lastHiddenState.data)
    again.dispose()
    model.dispose()
  }
})

test('a config and tensors by their names are saved as a model, and misfits are refused', async () => {
  const config = JSON.parse(readFileSync(`${folder}/gpt2-tiny/config.json`, 'utf8'))
  const tensors = await readSafetensors(readFileSync(`${folder}/gpt2-tiny/model.safetensors`))
  const own = Object.fromEntries(Object.entries(tensors).filter(([name]) => !/\.attn\.(masked_)?bias$/.test(name)))
  const model = await loadModel(qkv, await saveModel({ config, tensors: own }))
  const want = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false })
  assert.deepEqual(model.forwardSync({ ids }).logits?.data, want.forwardSync({ ids }).logits?.data)
  const { 'wte.weight': _, ...rest } = own
  await assert.rejects(saveModel({ config, tensors: rest }), /wte\.weight/)
  await assert.rejects(saveModel({ config, tensors: { ...own, 'ln_f.bias': own['h.0.mlp.c_fc.bias'] } }), /ln_f\.bias/)
  await assert.rejects(saveModel({ config: { ...config, model_type: 'none' }, tensors: own }), /none/)
  assert.throws(() => writeSafetensors(/** @type {any} */ ([1])), /expected an object of tensors by name/)
  assert.throws(
    () => writeSafetensors({ __metadata__: { data: [1], dims: [1] } }),
    /expected another tensor name, got __metadata__/,
  )
  await assert.rejects(readSafetensors(/** @type {any} */ ('file')), /expected the bytes of a file/)
  await assert.rejects(readSafetensors(new Uint8Array(4)), RangeError)
  const narrow = await loadModel(qkv, `${folder}/gpt2-tiny`, { tokenizer: false, dtype: 'int8' })
  await assert.rejects(saveModel(narrow), /in memory as int8/)
  assert.throws(() => modelParameters(narrow), /load the model with dtype: 'float32'/)
  const p = modelParameters(want, ['wte.weight'])
  assert.throws(() => backwardSync(model, { ids }, { parameters: p }), /got that of another model/)
  const adam = new AdamW(p)
  for (const held of [want, narrow, model]) held.dispose()
  assert.throws(() => adam.step(), /was disposed/)
  adam.dispose()
  p.dispose()
})
