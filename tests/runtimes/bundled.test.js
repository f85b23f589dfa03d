// Tests programs that are bundled into one file: by Vite for a server, as a library, by Bun, for a service worker, by Parcel.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'rolldown'
import { build } from 'vite'
import { launch } from '../browser/browsers.js'
import { install, root } from '../packed.js'
import { serve } from './project.js'

const tool = (/** @type {string} */ path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
const { project, installed, run, remove } = install()
after(remove)
const away = mkdtempSync(join(tmpdir(), 'qkv-away-')) // no node_modules above it
after(() => rmSync(away, { recursive: true }))
const PRINT = "import { load } from 'qkv'\nconsole.log(String((await load()).attention([[1]], [[1]], [[7]]).output))"
writeFileSync(join(project, 'server.js'), PRINT)
writeFileSync(
  join(project, 'library.js'),
  "import { load } from 'qkv'\nexport const seven = async () => String((await load()).attention([[1]], [[1]], [[7]]).output)",
)

/** Runs a program in a folder without packages. @param {string} file @returns what it printed, and its errors */
function node(file) {
  const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: away, encoding: 'utf8' })
  return { stdout, stderr }
}

test('vite build --ssr with noExternal: the error says to copy the file, and where; then it runs', async () => {
  const outDir = join(away, 'ssr')
  await build({
    root: project,
    logLevel: 'silent',
    configFile: false,
    ssr: { noExternal: true },
    build: { ssr: 'server.js', outDir, emptyOutDir: true },
  })
  const [, wanted] =
    /cannot read file:\/\/(\S+\/qkv\.wasm): .* copy the file from qkv\/dist beside the bundle/.exec(
      node(join(outDir, 'server.js')).stderr,
    ) ?? assert.fail(node(join(outDir, 'server.js')).stderr)
  copyFileSync(join(installed, 'dist/qkv.wasm'), wanted)
  assert.deepEqual(node(join(outDir, 'server.js')), { stdout: 'tensor([[7.]])\n', stderr: '' })
})

test('a library by Vite holds the wasm file, or has it beside it, and runs without node_modules', async () => {
  const outDir = join(away, 'library')
  const lib = { entry: join(project, 'library.js'), formats: /** @type {['es']} */ (['es']), fileName: 'library' }
  await build({ root: project, logLevel: 'silent', configFile: false, build: { lib, outDir, emptyOutDir: true } })
  const name = readdirSync(outDir).find(file => /^library\.m?js$/.test(file))
  writeFileSync(join(outDir, 'use.mjs'), `import { seven } from './${name}'\nconsole.log(await seven())`)
  assert.equal(node(join(outDir, 'use.mjs')).stdout, 'tensor([[7.]])\n')
})

test('bun build --compile: the wasm file is in the program', { timeout: 300_000 }, () => {
  writeFileSync(
    join(project, 'bun.js'),
    "import file from 'qkv/qkv.wasm' with { type: 'file' }\nimport { load } from 'qkv'\nconst qkv = await load({ wasm: await Bun.file(file).arrayBuffer() })\nconsole.log(String(qkv.attention([[1]], [[1]], [[7]]).output))",
  )
  run(tool('.bin/bun'), ['build', '--compile', 'bun.js', '--outfile', join(away, 'program')])
  const { stdout, stderr } = spawnSync(join(away, 'program'), { cwd: away, encoding: 'utf8' })
  assert.equal(stdout, 'tensor([[7.]])\n', stderr)
})

test('a service worker: everything in one file, without import(), with a model and int8', {
  timeout: 300_000,
}, async t => {
  const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8')
  const [, program] = /```js service\.js\n([\s\S]*?)```/.exec(page) ?? assert.fail('there is no recipe')
  writeFileSync(join(project, 'service.js'), program)
  const site = join(project, 'service')
  const { output } = await bundle({
    input: join(project, 'service.js'),
    platform: 'browser',
    logLevel: 'silent',
    output: { file: join(site, 'service.js'), format: 'iife', codeSplitting: false },
  })
  assert.equal(output.length, 1)
  for (const name of ['qkv.wasm', 'qkv.integers.wasm']) copyFileSync(join(installed, 'dist', name), join(site, name))
  cpSync(join(root, 'tests/goldens/models/gpt2-tiny'), join(site, 'model'), { recursive: true })
  writeFileSync(
    join(site, 'index.html'),
    "<!doctype html><link rel='icon' href='data:,'><script>navigator.serviceWorker.register('service.js').catch(error => (globalThis.problem = String(error)))</script>",
  )
  const server = await serve(site)
  t.after(server.close)
  const browser = await launch('chromium')
  t.after(browser.close)
  const opened = await browser.open(server.url)
  await opened.until(() => navigator.serviceWorker.controller || 'problem' in globalThis)
  assert.equal(await opened.evaluate(() => /** @type {any} */ (globalThis).problem), undefined)
  assert.deepEqual(await opened.evaluate(async () => (await fetch('logits')).json()), [1, 1, 384])
})

test('Parcel 2 builds a page', { timeout: 300_000 }, async t => {
  mkdirSync(join(project, 'parcel'))
  writeFileSync(
    join(project, 'parcel/index.html'),
    '<!doctype html><link rel="icon" href="data:,"><script type="module" src="main.js"></script>',
  )
  writeFileSync(
    join(project, 'parcel/main.js'),
    "import { load } from 'qkv'\nimport { loadModel } from 'qkv/models'\nload().then(qkv => { globalThis.loadModel = loadModel; globalThis.answer = String(qkv.attention([[1]], [[1]], [[7]]).output) }, error => { globalThis.answer = String(error) })",
  )
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      type: 'module',
      '@parcel/resolver-default': { packageExports: true },
      alias: { '@huggingface/tokenizers': false },
    }),
  )
  const args = [
    'build',
    'parcel/index.html',
    '--dist-dir',
    'parcel-site',
    '--public-url',
    './',
    '--no-cache',
    '--no-source-maps',
  ]
  run(tool('.bin/parcel'), args)
  assert.ok(existsSync(join(project, 'parcel-site')))
  const server = await serve(join(project, 'parcel-site'))
  t.after(server.close)
  const browser = await launch('chromium')
  t.after(browser.close)
  const page = await browser.open(server.url)
  await page.until(() => 'answer' in globalThis)
  assert.equal(await page.evaluate(() => /** @type {any} */ (globalThis).answer), 'tensor([[7.]])')
})
