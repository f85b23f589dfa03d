// Writes gguf-tokens.json: digests of the ids that llama.cpp gives for random vocabularies. It needs node-llama-cpp 3.22.1, which may be
// anywhere: NODE_LLAMA_CPP=/path/to/node_modules/node-llama-cpp/dist/index.js node tests/goldens/make-gguf-tokens.js

import { writeFileSync } from 'node:fs'
import { digest, llamaCpp, randomVocabulary } from '../models/gguf/vocabularies.js'

/** Number of vocabularies of each kind. */
const COUNTS = /** @type {const} */ ({ spm: 12, bpe: 22, wpm: 4, ugm: 6 })

const llama = await llamaCpp()
if (!llama) throw new Error('node-llama-cpp is not installed')
/** @type {Record<string, string[]>} */
const expected = {}
for (const [kind, count] of Object.entries(COUNTS))
  for (let seed = 1; seed <= count; seed++) {
    const { bytes, texts } = randomVocabulary(/** @type {keyof typeof COUNTS} */ (kind), seed)
    const ids = await llama.idsOf(bytes, texts)
    expected[`${kind} ${seed}`] = [digest(ids.flat()), ...(kind === 'bpe' ? [] : ids.map(digest))]
  }
writeFileSync(new URL('gguf-tokens.json', import.meta.url), `${JSON.stringify(expected)}\n`)
process.exit(0)
