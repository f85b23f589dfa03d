// Our results for each row of docs/elsewhere.md, which lists how other runtimes differ from each other.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { toFloat16 } from '../src/base/float16.js'
import { load } from '../src/entries/index.js'
import { loadModel } from '../src/entries/models.js'
import { gelu, layerNorm, onnxAttention, sigmoid, sumRows } from '../src/entries/nn.js'

const qkv = await load()
/** @param {number[]} data @param {number[]} dims */
const of = (data, dims) => ({ data: Float32Array.from(data), dims })
const [Q, K, V] = [of([1, 0], [1, 1, 1, 2]), of([1, 0, 0, 1], [1, 1, 2, 2]), of([1, 3], [1, 1, 2, 1])]
/** Returns the output of one query over two keys, whose values are 1 and 3, with a mask. @param {any} attn_mask @param {import('../src/entries/nn.js').OnnxAttributes} [attributes] */
const masked = (attn_mask, attributes) => onnxAttention(qkv, { Q, K, V, attn_mask }, attributes).Y.data[0]

test('a row that sees no key is 0, by a boolean mask and by -Infinity', () => {
  assert.equal(masked({ data: [false, false], dims: [1, 2] }), 0)
  assert.equal(masked(of([-Infinity, -Infinity], [1, 2])), 0)
})

test('a mask of large negative numbers hides nothing where it is the same for all keys: adding it gives the mean', () => {
  for (const x of [-1e9, -3.4028234663852886e38]) assert.equal(masked(of([x, x], [1, 2])), 2)
})

test('softcap comes before the mask: a hidden key has no weight', () => {
  assert.equal(masked({ data: [true, false], dims: [1, 2] }, { softcap: 2 }), 1)
})

test('causal with nonpad_kv_seqlen counts from the last valid key', () => {
  const inputs = { Q: of([1, 1], [1, 1, 2, 1]), K: of([0, 0, 0, 0], [1, 1, 4, 1]), V: of([1, 10, 100, 1000], [1, 1, 4, 1]) } // biome-ignore format: one line
  const { Y } = onnxAttention(qkv, { ...inputs, nonpad_kv_seqlen: BigInt64Array.of(3n) }, { is_causal: 1 })
  assert.deepEqual(Array.from(Y.data), [5.5, 37])
})

test('float16 with a score above 65504 is finite', () => {
  const half = (/** @type {number[]} */ data, /** @type {number[]} */ dims) => ({
    data: toFloat16(Float32Array.from(data)),
    dims,
    type: 'float16',
  })
  const inputs = { Q: half([300], [1, 1, 1, 1]), K: half([300, 1], [1, 1, 2, 1]), V: half([5, 7], [1, 1, 2, 1]) }
  const { Y } = onnxAttention(qkv, inputs, { scale: 1 })
  assert.deepEqual(
    Array.from(/** @type {Uint16Array} */ (/** @type {unknown} */ (Y.data))),
    Array.from(toFloat16(Float32Array.of(5))),
  )
})

test('a padded key stays hidden under a causal mask', () => {
  const [x, values] = [qkv.alloc([3, 1]), [[1], [2], [4]]]
  const { output } = qkv.attention(x, x, values, { causal: true, mask: [[false, true, true]] })
  assert.deepEqual(Array.from(output.data), [0, 2, 3])
})

test('far from 0 sigmoid and gelu are not 0, and a layer norm of large numbers is right', () => {
  const near = (/** @type {number} */ got, /** @type {number} */ want, most = 1e-4) => {
    if (!(Math.abs(got / want - 1) <= most)) assert.fail(`${got} for ${want}`)
  }
  near(sigmoid(qkv, [-20]).data[0], 2.0611536e-9)
  near(gelu(qkv, [-6]).data[0], -5.9195e-9, 0.01)
  const { data } = layerNorm(qkv, [[1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3]])
  for (const [i, x] of [-1.34163, -0.44721, 0.44721, 1.34163].entries()) near(data[i], x)
})

test('of equal keys the first ones are named', () => {
  const rows = Array.from({ length: 10 }, () => [0])
  const { summary } = qkv.attention([[0]], rows, rows, { summary: { topK: 3 } })
  assert.deepEqual(Array.from(summary?.topKeys?.data ?? []), [0, 1, 2])
})

test('the mean of 2^25 ones is 1', async () => {
  const n = 2 ** 25
  const own = await load() // a separate module, so that its memory is freed with it
  assert.equal(sumRows(own, { data: new Float32Array(n).fill(1), dims: [n, 1] }).data[0] / n, 1)
})

/** Returns the files of gpt2-tiny, with a word tokenizer and two added tokens. */
function files() {
  const read = (/** @type {string} */ name) =>
    readFileSync(new URL(`goldens/models/gpt2-tiny/${name}`, import.meta.url))
  const words = { type: 'WordLevel', vocab: { '<unk>': 0, '<a': 1, '<a>': 2, the: 3, cat: 4 }, unk_token: '<unk>' }
  const rest = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: false }
  const added = ['<a', '<a>'].map((content, n) => ({ id: n + 1, content, ...rest }))
  const tokenizer = { version: '1.0', added_tokens: added, pre_tokenizer: { type: 'Whitespace' }, model: words }
  return {
    'config.json': read('config.json'),
    'model.safetensors': read('model.safetensors'),
    'tokenizer.json': new TextEncoder().encode(JSON.stringify(tokenizer)),
  }
}
const model = await loadModel(qkv, files())
after(() => model.dispose())

test('of two added tokens the longer one is found', () => {
  assert.deepEqual(model.tokenize('<a><a', { addSpecialTokens: false }).ids, [2, 1])
})

test('a logit that is NaN is an error; of equal logits the smallest id is taken', async () => {
  const next = async (/** @type {(logits: Float32Array) => void} */ logits) => {
    for await (const { id } of model.generate('the cat', { maxNewTokens: 1, logits })) return id
  }
  await assert.rejects(
    next(logits => logits.set([Number.NaN], 3)),
    /a logit of the next id is NaN/,
  )
  assert.equal(await next(logits => logits.fill(1)), 0)
})

test('a chat template gives the text of jinja2', async () => {
  const template =
    "{{ messages[0].content.strip('<>') }} {{ '1' == 1 }} {{ [true, none, 'a'] }} {{ -7 % 3 }} {{ {'b': 1, 'a': 2}|tojson }}"
  const text = await model.applyChatTemplate([{ role: 'user', content: '<<a>>' }], { template })
  assert.equal(text, `a False [True, None, 'a'] 2 {"b": 1, "a": 2}`)
})
