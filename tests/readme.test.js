// Every JavaScript example of README.md and docs/ runs in an empty folder with the packed package and the packages that its page installs,
// prints the text below it, and passes TypeScript.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { install, root } from './packed.js'

const { exports, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].concat(
  readdirSync(`${root}/docs`).flatMap(name => (name.endsWith('.md') ? `docs/${name}` : [])),
)
const texts = new Map(pages.map(page => [page, readFileSync(`${root}/${page}`, 'utf8')]))

const { project, tarball, run, remove } = install()
after(remove)
const packed = run('tar', ['tzf', tarball])
  .trim()
  .split('\n')
  .map(name => name.replace('package/', ''))

/** Lists the packages that the commands in a text install, except the tarball of qkv. @param {string} text */
const installsOf = text =>
  [...text.matchAll(/npm install ([^`\n#;]+)/g)]
    .flatMap(([, names]) => names.trim().split(/\s+/))
    .filter(name => /^@?[a-z]/.test(name) && name !== 'qkv')

/** Makes a folder with the packages that a page installs. @param {string} name @param {string} text */
function folderFor(name, text) {
  const folder = join(project, name)
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  cpSync(join(project, 'node_modules/qkv'), join(folder, 'node_modules/qkv'), { recursive: true })
  for (const each of new Set(installsOf(text)))
    cpSync(join(root, 'node_modules', each), join(folder, 'node_modules', each), { recursive: true })
  return folder
}

/** The paths of the examples' files. @type {string[]} */
const programs = []
for (const [page, text] of texts) {
  const blocks = [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, body]) => ({ language, body }))
  const examples = blocks.flatMap(({ language, body }, i) => (language === 'js' ? [{ body, next: blocks[i + 1] }] : []))
  if (page === 'README.md') test('the README has two examples', () => assert.equal(examples.length, 2))
  if (!examples.length) continue
  const name = page.replace(/\W+/g, '-')
  const folder = folderFor(name, text)
  for (const [i, { body, next }] of examples.entries()) {
    programs.push(`${name}/${i + 1}.js`)
    writeFileSync(join(folder, `${i + 1}.js`), body)
    test(`example ${i + 1} of ${page} prints the text below it, with the packages that the page installs`, async () => {
      assert.equal(next?.language, 'text', 'an example is followed by what it prints')
      const { stdout } = await promisify(execFile)(process.execPath, [`${i + 1}.js`], { cwd: folder })
      assert.equal(stdout, next.body)
    })
  }
}

test('the commands of the README and of the tutorial install the tarball in an empty folder', () => {
  for (const page of ['README.md', 'docs/tutorial.md']) {
    const empty = mkdtempSync(join(tmpdir(), 'qkv-empty-')) // no folder above it has node_modules
    after(() => rmSync(empty, { recursive: true }))
    cpSync(tarball, join(empty, `qkv-${version}.tgz`))
    const [, commands] =
      /```sh\n((?:npm init.*\n)?npm install .*\n)```/.exec(texts.get(page) ?? '') ?? assert.fail(page)
    run('sh', ['-ec', commands], empty)
    const program = "import('qkv').then(async ({ load }) => console.log((await load()).threads))"
    assert.equal(run(process.execPath, ['-e', program], empty), '1\n')
    assert.deepEqual(
      readdirSync(join(empty, 'node_modules')).filter(name => !name.startsWith('.')),
      ['qkv'],
    )
  }
})

test('the examples pass TypeScript, strict and with noUncheckedIndexedAccess', () => {
  const compilerOptions = {
    allowJs: true,
    checkJs: true,
    strict: true,
    noImplicitAny: false, // JavaScript examples do not declare the types of parameters
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true, // skips the types of Node; package.test.js checks ours
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: ['node'],
  }
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
  cpSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'), { recursive: true })
  const config = { compilerOptions, files: programs }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  try {
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
  } catch (error) {
    assert.fail(/** @type {{ stdout: string }} */ (error).stdout)
  }
})

test('the README has at most 10 KB', () => assert.ok(Buffer.byteLength(texts.get('README.md') ?? '') <= 10_240))

test('every link leads to a file, and from a packed page to a packed file', () => {
  /** @type {string[]} */
  const left = []
  for (const [page, text] of texts)
    for (const [, link] of text.replace(/```[\s\S]*?```/g, '').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      const path = new URL(link, `file:///${page}`).pathname.slice(1)
      assert.ok(existsSync(`${root}/${path}`), `${page} links to ${link}, which is not there`)
      if (packed.includes(page) && !packed.includes(path)) left.push(`${page}: ${link}`)
    }
  assert.deepEqual(left, [])
})

test('the index of docs/ names every page', () => {
  for (const page of pages.filter(page => /^docs\/(?!README)/.test(page)))
    assert.ok((texts.get('docs/README.md') ?? '').includes(page.replace('docs/', '')), page)
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
