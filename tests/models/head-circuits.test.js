// Copying and composition scores of heads, compared with a plain computation with whole matrices in float64.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { headCircuits } from '../../src/entries/interpret.js'
import { loadModel, readSafetensors, writeSafetensors } from '../../src/entries/models.js'
import { eigenvalues } from '../../src/interpret/circuits/eigenvalues.js'
import { Model } from '../../src/models/model.js'
import { embeddingOf } from '../../src/models/weights/weights.js'

/** @typedef {number[][]} Matrix */

const qkv = await load()
const goldens = fileURLToPath(new URL('../goldens/models', import.meta.url))
after(() => assert.equal(qkv.memory.resident, 0))
const near = (/** @type {number} */ got, /** @type {number} */ want, name = '', most = 1e-5) =>
  assert.ok(Math.abs(got - want) <= most, `${name}: ${got} for ${want}`)

const times = (/** @type {Matrix} */ a, /** @type {Matrix} */ b) =>
  a.map(row => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)))
const turn = (/** @type {Matrix} */ a) => a[0].map((_, j) => a.map(row => row[j]))
const size = (/** @type {Matrix} */ a) => Math.sqrt(a.flat().reduce((sum, value) => sum + value ** 2, 0))
const matrix = (/** @type {{ data: Float32Array, dims: readonly number[] }} */ { data, dims: [rows, columns] }) =>
  Array.from({ length: rows }, (_, r) => Array.from(data.subarray(r * columns, (r + 1) * columns)))

test('eigenvalues have the traces of the powers of their matrix, and are known of a polynomial', () => {
  const numbers = qkv.generator(3)
  for (const n of [1, 2, 3, 8, 33]) {
    const a = matrix(numbers.randn([n, n]))
    const { re, im } = eigenvalues(a.flat(), n)
    let [power, pr, pi] = [a, Array.from(re), Array.from(im)]
    for (let k = 1; k <= 4; k++) {
      const trace = power.reduce((sum, row, i) => sum + row[i], 0)
      const [got, rest] = [pr, pi].map(part => part.reduce((sum, value) => sum + value, 0))
      near(got, trace, `${n}, power ${k}`, 1e-10 * size(power) * n)
      near(rest, 0, `${n}, power ${k}: the imaginary part`, 1e-10 * size(power) * n)
      power = times(power, a)
      const next = pr.map((r, i) => r * re[i] - pi[i] * im[i])
      pi = pr.map((r, i) => r * im[i] + pi[i] * re[i])
      pr = next
    }
  }
  // x^3 - 2 x^2 + x - 2 = (x - 2) (x^2 + 1)
  const { re, im } = eigenvalues([0, 0, 2, 1, 0, -1, 0, 1, 2], 3)
  const roots = Array.from(re, (r, i) => `${r.toFixed(6)} ${im[i].toFixed(6)}`.replace(/-(0\.0+\b)/g, '$1'))
  assert.deepEqual(roots.sort(), ['0.000000 -1.000000', '0.000000 1.000000', '2.000000 0.000000'])
})

test('eigenvalues refuses NaN and infinity', () => {
  for (const value of [NaN, Infinity])
    assert.throws(() => eigenvalues([1, 2, value, 4], 2), /eigenvalues: .*got a matrix with NaN or infinity/)
})

/** Returns the linear part of a norm as a matrix. @param {any} weights @param {any} spec @returns {Matrix} */
function normMatrix(weights, spec) {
  const { weight } = weights.norm(spec)
  const d = spec.size
  return Array.from({ length: d }, (_, r) =>
    Array.from({ length: d }, (_, c) => {
      const centred = Number(r === c) - (spec.kind === 'layer' ? 1 / d : 0)
      return centred * (weight.data[r] + Number(spec.plusOne ?? false))
    }),
  )
}

for (const [name, place] of /** @type {const} */ ([
  ['gpt2-tiny', 'decoder'],
  ['gpt_neox-made', 'decoder'],
  ['llama-linear-made', 'decoder'],
  ['qwen3-tiny-bf16', 'decoder'],
  ['gemma2-tiny', 'decoder'],
  ['bert-tiny', 'encoder'],
  ['t5-tiny', 'encoder'],
  ['marian-tiny', 'decoder'],
]))
  test(`${name}: copying and composition are those of whole matrices`, async () => {
    const model = await loadModel(qkv, `${goldens}/${name}`, { tokenizer: false })
    const { family, weights } = Model.parts(model)
    const spec = (place === 'encoder' ? family.encoder : family.decoder) ?? assert.fail()
    const isBoth = family.encoder && family.decoder
    const { numHeads: H } = spec.heads
    /** @type {({ layer: number, h: number } & Record<'q' | 'k' | 'v' | 'o' | 'ov', Matrix>)[]} */
    const heads = []
    for (const [layer, [part]] of spec.layers.entries())
      for (let h = 0; h < H; h++) {
        const own = await model.headWeights(layer, h, isBoth ? { place } : {})
        let [q, k, v, o] = [own.q, own.k, own.v, own.o].map(one => matrix(one.weight))
        const { qNorm, kNorm } = part.attention ?? {}
        if (qNorm) q = times(normMatrix(weights, qNorm), q)
        if (kNorm) k = times(normMatrix(weights, kNorm), k)
        const before = part.before
        if (before) [q, k, v] = [q, k, v].map(one => times(one, normMatrix(weights, before)))
        if (part.after) o = times(normMatrix(weights, part.after), o)
        heads.push({ layer, h, q, k, v, o, ov: times(o, v) })
      }
    /** Multiplies x by the norms after attention and MLP (`post`), from the attention of layer `from` to that of layer `to`. */
    const passed = (/** @type {Matrix} */ x, /** @type {number} */ from, /** @type {number} */ to) => {
      for (const { post } of spec.layers.slice(from, to).flat()) if (post) x = times(normMatrix(weights, post), x)
      return x
    }
    const circuits = await headCircuits(model, isBoth ? { place } : {})
    let compared = 0
    for (const reader of heads)
      for (const writer of heads) {
        const at = [reader.layer, reader.h, writer.layer, writer.h]
        if (writer.layer >= reader.layer) {
          assert.deepEqual([circuits.q.at(...at), circuits.k.at(...at), circuits.v.at(...at)], [0, 0, 0])
          continue
        }
        const x = passed(writer.ov, writer.layer, reader.layer)
        for (const [what, y] of /** @type {const} */ ([
          ['q', times(turn(reader.k), reader.q)],
          ['k', times(turn(reader.q), reader.k)],
          ['v', reader.ov],
        ])) {
          near(circuits[what].at(...at), size(times(y, x)) / (size(y) * size(x)), `${what} ${at}`)
          compared++
        }
      }
    assert.ok(compared >= 3 * H * H)
    if (place === 'encoder') assert.equal(circuits.copying, undefined)
    else {
      const { tokens, norm } = embeddingOf(family, spec)
      const V = family.vocab
      let e = turn(Array.from({ length: V }, (_, t) => Array.from(weights.row(tokens, t))))
      if (norm) e = times(normMatrix(weights, norm), e)
      let u = Array.from({ length: V }, (_, t) => Array.from(weights.head.row(t).weight))
      if (spec.norm) u = times(u, normMatrix(weights, spec.norm))
      for (const { layer, h, v, o } of heads) {
        const left = times(v, passed(e, 0, layer))
        const right = times(u, passed(o, layer, spec.layers.length))
        // W_U W_O W_V W_E has the eigenvalues of W_V W_E W_U W_O and otherwise zeros, so the smaller product is enough.
        const circuit = V > 64 ? times(left, right) : times(right, left)
        const { re, im } = eigenvalues(circuit.flat(), circuit.length)
        const [sum, all] = [re, re.map((value, i) => Math.hypot(value, im[i]))].map(list =>
          list.reduce((a, b) => a + b),
        )
        near(circuits.copying?.at(layer, h) ?? NaN, sum / all, `copying ${layer}.${h}`)
      }
    }
    model.dispose()
  })

test('heads of zeros copy nothing and compose with no head', async () => {
  const [config, weights] = ['config.json', 'model.safetensors'].map(
    name => new Uint8Array(readFileSync(`${goldens}/gpt2-tiny/${name}`)),
  )
  const tensors = await readSafetensors(weights)
  const names = Object.keys(tensors).filter(name => /h\.[02]\.attn\.c_attn\.weight$/.test(name))
  assert.equal(names.length, 2)
  for (const name of names) tensors[name].data.fill(0)
  const files = { 'config.json': config, 'model.safetensors': writeSafetensors(tensors) }
  const model = await loadModel(qkv, files, { tokenizer: false })
  const { copying, q, k, v } = await headCircuits(model)
  for (const { data } of [q, k, v]) assert.ok(data.every(value => value === 0))
  for (const [layer, isZero] of [true, false, true].entries())
    assert.equal(
      copying?.row(layer).data.every(value => value === 0),
      isZero,
    )
  model.dispose()
})

test('places that do not exist and signals end headCircuits', async () => {
  const model = await loadModel(qkv, `${goldens}/marian-tiny`, { tokenizer: false })
  await assert.rejects(
    headCircuits(model, { place: /** @type {any} */ ('cross') }),
    /headCircuits: place: .*got "cross"/,
  )
  const stop = new AbortController()
  await assert.rejects(
    headCircuits(model, { signal: stop.signal, onLayer: () => stop.abort(new Error('enough')) }),
    /enough/,
  )
  model.dispose()
})
