// Small checkpoints of seven families against their exact activations: tests/goldens/models/README.md.

import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { load } from '../../src/index.js'
import { checkGolden } from './golden.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()

for (const name of [
  'gpt2-tiny',
  'bert-tiny',
  'llama-tiny-sharded',
  'qwen3-tiny-bf16',
  'gemma2-tiny',
  't5-tiny',
  'marian-tiny',
])
  test(`${name} has the hidden states, attentions, logits, greedy ids and token ids of its golden file`, async t => {
    const folder = fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url))
    const shares = await checkGolden(qkv, folder, { tokenizer: Tokenizer })
    t.diagnostic(`shares of the tolerances used: ${JSON.stringify(shares)}`)
  })
