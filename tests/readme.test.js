import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({ language, text }))
const examples = blocks.flatMap((block, i) =>
  block.language === 'js' ? [{ code: block.text, next: blocks[i + 1] }] : [],
)

test('the README has examples, each followed by what it prints', () => {
  assert.ok(examples.length >= 5)
  for (const { next } of examples) assert.equal(next?.language, 'text')
})

for (const { code, next } of examples)
  test(`the README example "${code.split('\n').find(line => /qkv\.|mha\./.test(line))}" prints what it says`, () => {
    const here = code.replace("from 'qkv'", "from './src/index.js'").replace("from 'qkv/onnx'", "from './src/onnx.js'")
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', here], {
      cwd: root,
      encoding: 'utf8',
    })
    assert.equal(printed, next.text)
  })
