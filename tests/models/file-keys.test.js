// The tables of docs/models.md name the keys that src/models reads from the files of a folder, and no others. In the code, names with underscores
// are such keys, apart from a few exceptions.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const docs = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8')
const sourceOf = (/** @type {string} */ name) =>
  readFileSync(new URL(`../../src/models/${name}.js`, import.meta.url), 'utf8')
/** The sources that read files other than config.json and the weights. */
const READERS = [
  'weights/adapter',
  'jinja/chat',
  'generate/generation-settings',
  'sentences/module-settings',
  'sentences/rank',
  'sentences/sentence-input',
  'sentences/sentence-layers',
  'sentences/sentence-modules',
  'config/text-files',
  'tokenizers/open-files',
  'tokenizers/tokenizer-config',
]
/** Names with underscores that are not such keys: tensors, methods of PEFT, a Python argument that is refused, and parts of tokenizer.json. */
const OTHERS = new Set(
  'base_model base_layer merge_and_unload path_initial_model_for_weight_conversion continue_final_message handle_chinese_chars mask_token sep_token unk_token'.split(
    ' ',
  ),
)

/** Returns the code of a file, without its comments. @param {string} name */
const codeOf = name => sourceOf(name).replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')

test('each key that is read of the files of a folder is named in docs/models.md', () => {
  for (const name of READERS) {
    const words = codeOf(name).match(/(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+(?![\w-])/g) ?? []
    const missing = [...new Set(words)].filter(word => !docs.includes(word) && !OTHERS.has(word))
    assert.deepEqual(missing, [], name)
  }
})

test('each key that the tables name is read', () => {
  const all = readdirSync(new URL('../../src/models', import.meta.url), { recursive: true })
    .filter(name => String(name).endsWith('.js'))
    .map(name => sourceOf(String(name).slice(0, -3)))
    .join('\n')
  const rows = docs.split('\n').filter(line => /^\| (?:`[^`]+\.(?:json|jinja|txt|spm)`|\| `)/.test(line))
  assert.ok(rows.length > 25, String(rows.length))
  const keys = rows.flatMap(row => row.match(/(?<=`)[a-z]+(?:_[a-z0-9]+)+(?=`)/g) ?? [])
  assert.ok(keys.length > 60, String(keys.length))
  assert.deepEqual(
    [...new Set(keys)].filter(key => !all.includes(key)),
    [],
  )
})
