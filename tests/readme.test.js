// Every JavaScript example of README.md and docs/ runs in an empty folder with the packed package, prints the text below it, and
// passes TypeScript.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { install, root } from './packed.js'

const { exports, files } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].concat(
  readdirSync(`${root}/docs`).flatMap(name => (name.endsWith('.md') ? `docs/${name}` : [])),
)
const texts = new Map(pages.map(page => [page, readFileSync(`${root}/${page}`, 'utf8')]))

const { project, run, remove } = install()
after(remove)
for (const name of ['@huggingface/tokenizers', '@types/node'])
  cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })

/** The file of each example. @type {string[]} */
const programs = []
for (const [page, text] of texts) {
  const blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, body]) => ({ language, body }))
  const examples = blocks.flatMap(({ language, body }, i) => (language === 'js' ? [{ body, next: blocks[i + 1] }] : []))
  if (page === 'README.md') test('the README has examples', () => assert.ok(examples.length >= 3))
  for (const [i, { body, next }] of examples.entries()) {
    const program = `${page.replace(/\W+/g, '-')}-${i + 1}`
    programs.push(program)
    writeFileSync(join(project, `${program}.js`), body)
    test(`example ${i + 1} of ${page} prints what it says`, async () => {
      assert.equal(next?.language, 'text', 'an example is followed by what it prints')
      const { stdout } = await promisify(execFile)(process.execPath, [`${program}.js`], { cwd: project })
      assert.equal(stdout, next.body)
    })
  }
}

test('the examples pass TypeScript, strict and with noUncheckedIndexedAccess', () => {
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    noImplicitAny: false, // functions of JavaScript do not say the types of their parameters
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true, // of Node; package.test.js checks our own
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: ['node'],
  }
  const config = { compilerOptions, files: programs.map(name => `${name}.js`) }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  try {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
  } catch (error) {
    assert.fail(/** @type {{ stdout: string }} */ (error).stdout)
  }
})

test('the README has at most 10 KB', () => assert.ok(Buffer.byteLength(texts.get('README.md') ?? '') <= 10_240))

test('every link of the README and the docs leads to a file that the package holds', () => {
  for (const [page, text] of texts)
    for (const [, link] of text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
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
