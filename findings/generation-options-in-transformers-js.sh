#!/usr/bin/env bash
# transformers.js documents the options of generate as transformers has them. It accepts some and silently ignores them: with top_p, it draws words
# outside of the nucleus; with two beams, it returns the greedy continuation, not the likelier one; with three return sequences, it returns one. The
# model here is a table of word pairs, so the right answers can be read from its rows.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @huggingface/transformers@4.3.2
cat >run.mjs <<'JS'
import { mkdirSync, writeFileSync } from 'node:fs'
import { AutoModelForCausalLM, env, Tensor } from '@huggingface/transformers'

/** Probability of the next token (across) after each token (down); the last token ends the text. */
const NEXT = [
  [0, 0.5, 0.4, 0.1, 0, 0],
  [0, 0, 0, 0.4, 0.3, 0.3],
  [0, 0, 0, 0.9, 0.1, 0],
  [0, 0, 0, 0, 0, 1],
  [0, 0, 0, 0, 0, 1],
  [0, 0, 0, 0, 0, 1],
]
const V = NEXT.length
const DRAWS = 200

// Writes the table as an ONNX model with one node, Gather, by encoding its protobuf messages field by field.
const varint = n => (n < 128 ? [n] : [(n % 128) + 128, ...varint(Math.floor(n / 128))])
const number = (field, n) => [...varint(field * 8), ...varint(n)]
const bytes = (field, data) => [...varint(field * 8 + 2), ...varint(data.length), ...data]
const text = (field, name) => bytes(field, Buffer.from(name))
const value = (field, name, type, dims) => {
  const shape = dims.flatMap(dim => bytes(1, text(2, dim)))
  return bytes(field, [...text(1, name), ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, shape)]))])
}
const logits = Float32Array.from(NEXT.flat(), p => Math.log(Math.max(p, 1e-9)))
const [FLOAT, INT64] = [1, 7]
const graph = [
  ...bytes(1, [...text(1, 'table'), ...text(1, 'input_ids'), ...text(2, 'logits'), ...text(4, 'Gather')]),
  ...text(2, 'pairs'),
  ...bytes(5, [...number(1, V), ...number(1, V), ...number(2, FLOAT), ...text(8, 'table'), ...bytes(9, Buffer.from(logits.buffer))]),
  ...value(11, 'input_ids', INT64, ['texts', 'tokens']),
  ...value(12, 'logits', FLOAT, ['texts', 'tokens', 'vocabulary']),
]
mkdirSync('models/pairs/onnx', { recursive: true })
writeFileSync('models/pairs/onnx/model.onnx', Buffer.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, 17))]))
const sizes = { n_layer: 1, n_head: 1, n_embd: 8, vocab_size: V }
const config = { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'], ...sizes, eos_token_id: V - 1 }
writeFileSync('models/pairs/config.json', JSON.stringify(config))
writeFileSync('models/pairs/generation_config.json', JSON.stringify({ eos_token_id: V - 1 }))

env.localModelPath = './models'
env.allowRemoteModels = false
const model = await AutoModelForCausalLM.from_pretrained('pairs', { dtype: 'fp32' })
const generate = async options => {
  const output = await model.generate({ inputs: new Tensor('int64', [0n], [1, 1]), ...options })
  return output.tolist().map(ids => ids.map(Number))
}
const greedy = await generate({ max_new_tokens: 2 })
const beams = await generate({ max_new_tokens: 2, num_beams: 2 })
const several = await generate({ max_new_tokens: 2, do_sample: true, num_return_sequences: 3 })
let outside = 0
for (let n = 0; n < DRAWS; n++) {
  const [[, id]] = await generate({ max_new_tokens: 1, do_sample: true, top_p: 0.4 })
  if (id !== 1) outside++
}
console.log(`transformers.js ${env.version}`)
console.log(`greedy: ${greedy} (probability 0.5 x 0.4); num_beams 2: ${beams}, where 0,2,3 has 0.4 x 0.9`)
console.log(`num_return_sequences 3: ${several.length} text`)
console.log(`top_p 0.4, whose nucleus is token 1 alone: ${outside ? 'others are drawn, too' : 'no other is drawn'}`)
const isAsSeen = String(beams) === '0,1,3' && String(greedy) === '0,1,3' && several.length === 1 && outside > 0
process.exitCode = isAsSeen ? 0 : 1
JS
node run.mjs
