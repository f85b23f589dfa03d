// Some tables in docs translate names of other libraries. Runs the code that they give for qkv.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load, tensor } from '../src/entries/index.js'
import { patch } from '../src/entries/interpret.js'
import { loadModel, readSafetensors, writeSafetensors } from '../src/entries/models.js'
import * as nn from '../src/entries/nn.js'
import { AdamW, parameters, tape } from '../src/entries/train.js'

/** Returns the pieces of code in the second column of the first table after a heading. @param {string} page @param {string} heading */
function ours(page, heading) {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8')
  const [, section] = text.split(`\n### ${heading}\n`)
  const rows = section
    .split(/\n#+ /)[0]
    .split('\n')
    .filter(line => line.startsWith('| `'))
  assert.ok(rows.length > 15, heading)
  return rows.flatMap(row => {
    const [, , here] = row.split(/(?<!\\)\|/)
    return [...here.matchAll(/`([^`]+)`/g)].map(([, code]) => code)
  })
}

/** Matches entries that are not whole expressions, so they are not run. */
const WORDS =
  /^(qkv\/\w+|backward|\{ accumulate: true \}|for await .*|template|layer\(x\)|model\.describe\(\)\.tensors|qkv\.linear\(a, b\))$/

/** Evaluates an expression with some variables. @param {string} code @param {Record<string, unknown>} variables */
const evaluate = (code, variables) =>
  new Function(...Object.keys(variables), `return (async () => (${code}))()`)(...Object.values(variables))

const qkv = await load()

test('what docs/pytorch-and-onnx.md gives in place of methods of PyTorch runs', async () => {
  const g = qkv.generator(1)
  const [x, y, w, weight, bias] = [[4, 8], [4, 8], [8, 5], [5, 8], [5]].map(dims => g.randn(dims))
  const p = parameters(qkv, { x })
  const bytes = writeSafetensors(p.stateDict())
  const variables = {
    ...nn,
    qkv,
    tensor,
    tape,
    AdamW,
    writeSafetensors,
    readSafetensors,
    g,
    x,
    y,
    w,
    weight,
    bias,
    p,
    bytes,
  }
  for (const code of ours('pytorch-and-onnx.md', 'Tensors, layers and training'))
    if (!WORDS.test(code))
      assert.ok(((await evaluate(code, variables)) ?? null) !== null || code.endsWith('.step()'), code)
  assert.deepEqual(await evaluate('x.T', variables), x.permute([1, 0]))
  p.dispose()
})

test('what docs/models.md gives in place of methods of TransformerLens and transformers.js runs', async () => {
  const stories = fileURLToPath(new URL('../web/trained/stories', import.meta.url))
  const model = await loadModel(qkv, stories)
  const [text, pair] = ['Lily and Tom are friends. Is he', 'Lily and Tom are friends. Is she']
  const { ids } = model.tokenize(text)
  const template = '{{ messages[0].content }}'
  const of = { logits: [{ position: -1, token: ' tom' }] }
  const residual = (await model.forward(text)).lastHiddenState
  const messages = [{ role: 'user', content: text }]
  const variables = { qkv, loadModel, patch, model, stories, text, pair, ids, template, of, residual, messages }
  // The model `stories` has no classes, so these two calls are refused with errors that say this.
  const refused = { 'await model.classify(text)': /has no classes/, 'await model.entities(text)': /classes of tokens/ }
  let n = 0
  for (const code of ours('models.md', 'If you know TransformerLens or transformers.js')) {
    if (WORDS.test(code) || (/Array\.fromAsync/.test(code) && !('fromAsync' in Array))) continue
    n++
    const message = Object.entries(refused).find(([call]) => call === code)?.[1]
    if (message) await assert.rejects(evaluate(code, variables), message)
    else assert.ok(((await evaluate(code, variables)) ?? null) !== null, code)
  }
  assert.ok(n > 20)
  model.dispose()
})
