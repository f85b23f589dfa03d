// Tests, without a browser, the panel "the whole model in one picture": its numbers for every family of golden checkpoints, and its requests.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadModel } from 'qkv/models'
import { load } from '../../src/entries/index.js'
import { loadModel as loadSource } from '../../src/entries/models.js'
import { Model } from '../../src/models/model.js'
import { blockOf } from '../../web/rooms/models/block/task.js'
import { filesOf } from './golden-files.js'
import { begin, qkv, types } from './models-store.js'

const goldens = fileURLToPath(new URL('../goldens/models/', import.meta.url))
const names = readdirSync(goldens).filter(name => existsSync(`${goldens}${name}/config.json`))
const { signal } = new AbortController()
const ids = [5, 9, 30, 5, 9, 17]

/** @param {number} got @param {number} want @param {string} what */
const near = (got, want, what) =>
  assert.ok(Math.abs(got - want) <= 1e-5 * Math.max(1, Math.abs(want)), `${what}: ${got} is not ${want}`)
/** Returns the Euclidean norm of the last row. @param {{ data: Float32Array, dims: readonly number[] }} x */
const lengthOf = ({ data, dims }) => Math.hypot(...data.slice(-dims[2]))

test('each family: the stream flows from layer to layer, norms are where the family has them, shares are those of the sums', async () => {
  assert.ok(names.length > 40)
  const source = await load()
  for (const name of names) {
    const files = Object.fromEntries(
      filesOf(name)
        .filter(path => !/tokenizer|vocab|spm/.test(path))
        .map(path => [basename(path), readFileSync(path)]),
    )
    const model = await loadSource(source, files, { tokenizer: false })
    try {
      const { encoder, decoder } = model.stacks
      const isBoth = encoder && decoder
      const input = isBoth ? { ids, decoderIds: [0, 4, 6] } : { ids }
      for (const stack of /** @type {any[]} */ (isBoth ? ['encoder.', 'decoder.'] : [''])) {
        const used = /** @type {any} */ ({ run: { input }, hooks: {} })
        const block = await blockOf(/** @type {any} */ (model), used, stack, signal)
        const { family } = Model.parts(model)
        const spec = /** @type {any} */ (stack === 'decoder.' || !encoder ? family.decoder : family.encoder)
        assert.equal(block.layers.length, spec.layers.length, name)
        assert.equal(block.isParallel, spec.parallel === true, name)
        const keep = /** @type {any} */ ([`${stack}layers.*.input`, `${stack}layers.*.output`])
        const { kept } = /** @type {any} */ (await model.forward(input, { keep, logits: 'none' }))
        for (const [l, layer] of block.layers.entries()) {
          const parts = spec.layers[l]
          const what = `${name} ${stack}layers.${l}`
          assert.deepEqual(layer.parts.map(({ kind }) => kind), parts.map((/** @type {any} */ { kind }) => kind), what) // biome-ignore format: one line
          for (const [n, part] of parts.entries()) {
            assert.equal(layer.parts[n].isPre, part.before !== undefined, `${what} ${part.kind}`)
            assert.equal(layer.parts[n].after !== undefined, part.post !== undefined, `${what} ${part.kind}`)
          }
          near(/** @type {number} */ (layer.input.at(-1)), lengthOf(kept[`${stack}layers.${l}.input`]), what)
          near(/** @type {number} */ (layer.output.at(-1)), lengthOf(kept[`${stack}layers.${l}.output`]), what)
        }
      }
    } finally {
      model.dispose()
    }
  }
})

test('a share is the projection of what is added onto the sum, with the reader’s changes', async () => {
  const model = await loadModel(
    qkv,
    Object.fromEntries(filesOf('gpt2-tiny').map(path => [basename(path), readFileSync(path)])),
    { tokenizer: false },
  )
  const at = /** @type {any[]} */ (['layers.1.middle', 'layers.1.mlp.output', 'layers.1.output', 'norm'])
  for (const hooks of [{}, { 'layers.0.heads.1': 0 }]) {
    const block = await blockOf(model, /** @type {any} */ ({ run: { input: { ids } }, hooks }), '', signal)
    const { kept } = /** @type {any} */ (await model.forward({ ids }, { keep: at, hooks, logits: 'none' }))
    const [, mlp] = block.layers[1].parts
    const [, L, d] = kept[at[0]].dims
    for (let row = 0; row < L; row++) {
      const [before, added, sum] = at.slice(0, 3).map(place => kept[place].data.slice(row * d, (row + 1) * d))
      const dot = (/** @type {Float32Array} */ x) => x.reduce((total, value, n) => total + value * sum[n], 0)
      near(mlp.share[row], dot(added) / dot(sum), `row ${row}`)
      near(mlp.share[row] + dot(before) / dot(sum), 1, `row ${row}: what was there is the rest`)
      near(mlp.added[row], Math.hypot(...added), `row ${row}`)
    }
    near(/** @type {any} */ (block.norm)[L - 1], lengthOf(kept.norm), 'norm')
  }
  model.dispose()
})

test('the open picture asks for its numbers, of every stack, and they follow the changes', async () => {
  const own = await begin('gpt2-tiny')
  const { store, act } = own
  assert.ok(!types(store).includes('block'))
  act.show({ hasBlock: true })
  await own.settled()
  const first = /** @type {any} */ (store.state.got.block)
  assert.equal(first.is, 'here')
  act.change([{ kind: 'head', isOn: true, stack: '', layer: 0, head: 1, how: 0 }])
  await own.settled()
  const second = /** @type {any} */ (store.state.got.block)
  assert.notDeepEqual(second.value.layers[0].parts[0].added, first.value.layers[0].parts[0].added)
  const other = await begin('t5-tiny')
  other.act.show({ hasBlock: true })
  await other.settled()
  assert.equal(/** @type {any} */ (other.store.state.got.block).value.layers[0].parts.length, 3)
  store.close()
  other.store.close()
})
