// Small checkpoints against their exact activations: tests/goldens/models/README.md, tests/goldens/make-models.py.

import { existsSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/index.js'
import { checkGolden } from './golden.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const folder = fileURLToPath(new URL('../goldens/models', import.meta.url))

for (const name of readdirSync(folder).filter(name => existsSync(`${folder}/${name}/config.json`)))
  test(`${name} has the hidden states, attentions, logits, greedy ids and token ids of its golden file`, async t => {
    const shares = await checkGolden(qkv, `${folder}/${name}`, { tokenizer: Tokenizer })
    t.diagnostic(`shares of the tolerances used: ${JSON.stringify(shares)}`)
  })
