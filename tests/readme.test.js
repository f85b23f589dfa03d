// Every JavaScript example of README.md and docs/ runs, and prints the text below it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { exports, files } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].concat(
  readdirSync(`${root}/docs`).flatMap(name => (name.endsWith('.md') ? `docs/${name}` : [])),
)
const texts = new Map(pages.map(page => [page, readFileSync(`${root}/${page}`, 'utf8')]))

/** The sources behind the public entries: 'qkv' is src/index.js, 'qkv/onnx' src/onnx.js. @param {string} code */
const withSources = code =>
  code.replace(/from 'qkv(?:\/([\w-]+))?'/g, (_, entry = 'index') =>
    existsSync(`${root}/src/${entry}.js`) ? `from './src/${entry}.js'` : `from './src/${entry}/index.js'`,
  )

for (const [page, text] of texts) {
  const blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, body]) => ({ language, body }))
  const examples = blocks.flatMap(({ language, body }, i) => (language === 'js' ? [{ body, next: blocks[i + 1] }] : []))
  if (page === 'README.md') test('the README has examples', () => assert.ok(examples.length >= 3))
  for (const [i, { body, next }] of examples.entries())
    test(`example ${i + 1} of ${page} prints what it says`, async () => {
      assert.equal(next?.language, 'text', 'an example is followed by what it prints')
      const run = promisify(execFile)
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', withSources(body)], {
        cwd: root,
      })
      assert.equal(stdout, next.body)
    })
}

test('the README has at most 10 KB', () => assert.ok(Buffer.byteLength(texts.get('README.md') ?? '') <= 10_240))

test('every link of the README and the docs leads to a file that the package holds', () => {
  for (const [page, text] of texts)
    for (const [, link] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      const path = new URL(link, `file:///${page}`).pathname.slice(1)
      assert.ok(existsSync(`${root}/${path}`), `${page} links to ${link}, which is not there`)
      const isPacked =
        /^(?:README|LICENSE)/.test(path) || files.some((/** @type {string} */ held) => path.startsWith(held))
      assert.ok(isPacked, `${page} links to ${link}, which "files" of package.json leaves out`)
    }
})

test('the README and the docs name every entry of the package', () => {
  const all = [...texts.values()].join('')
  for (const entry of Object.keys(exports))
    if (!/\.(json|wasm)$/.test(entry))
      assert.ok(
        all.includes(`'${entry.replace('.', 'qkv')}'`) || all.includes(`\`${entry.replace('.', 'qkv')}\``),
        entry,
      )
})
