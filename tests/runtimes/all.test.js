// Tests the packed package in every runtime: the engines and bundlers of this folder's package.json, and Debian's browsers.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { BROWSERS, launch } from '../browser/browsers.js'
import { check, checkPage, freePort, makeProject, serve } from './project.js'

const tool = (/** @type {string} */ path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
const { folder, run, remove } = makeProject()
after(remove)

for (const version of [20, 22, 24, 26]) {
  const node = tool(`node-${version}/bin/node`)
  for (const [word, file] of [
    ['imports', 'main.mjs'],
    ['requires', 'main.cjs'],
  ])
    test(`Node ${version} ${word} it`, t => {
      const answer = run(node, ['--no-warnings', `node/${file}`])
      t.diagnostic(run(node, ['--version']).trim())
      check(JSON.parse(answer))
    })
}

for (const version of [20, 22, 24, 26])
  test(`Node ${version} with two threads`, () => {
    const answer = JSON.parse(run(tool(`node-${version}/bin/node`), ['node/threads.mjs']))
    assert.equal(answer.threads, 2)
    check(answer)
  })

/** The hash that hashOfIntegers must give in every engine, with and without relaxed SIMD, because these results are computed in whole numbers. */
const INTEGERS = 3304856890

/** @param {{ has: boolean, difference: number, isFinite: boolean, integers: number[] }} answer @param {boolean} [has] */
function checkRelaxed(answer, has = answer.has) {
  assert.equal(answer.has, has)
  assert.ok(answer.isFinite && answer.difference <= 2e-6, `differs by ${answer.difference}`)
  if (!has) assert.equal(answer.difference, 0, 'auto takes the default build')
  assert.deepEqual(answer.integers, [INTEGERS, INTEGERS], 'int8, its bytes, and int4')
}

for (const version of [20, 22, 24, 26])
  test(`Node ${version} with relaxed SIMD${version < 22 ? ', which it lacks' : ''}`, t => {
    const answer = JSON.parse(run(tool(`node-${version}/bin/node`), ['node/relaxed.mjs']))
    t.diagnostic(`differs from the default build by ${answer.difference}`)
    checkRelaxed(answer, version >= 22)
  })

for (const name of BROWSERS)
  test(`${name} with relaxed SIMD${name === 'chromium' ? '' : ', where it has it'}`, async t => {
    const server = await serve(folder)
    t.after(server.close)
    const browser = await launch(name)
    t.after(browser.close)
    const page = await browser.open(`${server.url}/page/`)
    const answer = await page.evaluate(async () => {
      const dist = '/node_modules/qkv/dist'
      const [{ load }, { kvCache, packLinear }, { relaxed }] = await Promise.all(
        [`${dist}/index.js`, `${dist}/nn.js`, '/relaxed.js'].map(path => import(path)),
      )
      return relaxed(load, packLinear, kvCache)
    })
    t.diagnostic(JSON.stringify(answer))
    checkRelaxed(answer, name === 'chromium' || answer.has)
  })

test('Deno', t => {
  t.diagnostic(run(tool('.bin/deno'), ['--version']).split('\n')[0])
  check(JSON.parse(run(tool('.bin/deno'), ['run', '--no-prompt', '--allow-read', 'node/main.mjs'])))
})

test('Bun imports it and requires it', t => {
  t.diagnostic(run(tool('.bin/bun'), ['--version']).trim())
  for (const file of ['main.mjs', 'main.cjs']) check(JSON.parse(run(tool('.bin/bun'), [`node/${file}`])))
})

test('Bun with relaxed SIMD', t => {
  const answer = JSON.parse(run(tool('.bin/bun'), ['node/relaxed.mjs']))
  t.diagnostic(`differs from the default build by ${answer.difference}`)
  checkRelaxed(answer)
})

test('an edge function (workerd) with a compiled Module', { timeout: 60_000 }, async t => {
  const port = await freePort()
  const args = ['serve', 'edge/workerd.capnp', '--socket-addr', `http=127.0.0.1:${port}`]
  const workerd = spawn(tool('.bin/workerd'), args, { cwd: folder, stdio: 'inherit' })
  t.after(() => workerd.kill())
  for (let tries = 0; ; tries++)
    try {
      check(await (await fetch(`http://127.0.0.1:${port}/`)).json())
      break
    } catch (error) {
      if (tries === 50 || !/fetch failed/.test(String(error))) throw error
      await new Promise(resolve => setTimeout(resolve, 100))
    }
})

for (const name of BROWSERS)
  test(`${name}, without a bundler and under a strict policy, in a page and in a worker`, async t => {
    const server = await serve(folder)
    t.after(server.close)
    const browser = await launch(name)
    t.after(browser.close)
    await checkPage(browser, `${server.url}/page/`, true)
  })

/** @type {import('../browser/browsers.js').Browser} */
let chromium
before(async () => {
  chromium = await launch('chromium')
})
after(() => chromium.close())

/** Writes the page that runs a bundle. @param {string} out */
function page(out) {
  const html = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>'
  writeFileSync(join(folder, out, 'index.html'), html)
}

const builds = [
  {
    title: 'Vite, nothing configured',
    out: 'vite',
    hasWorker: true,
    build: () => run(tool('.bin/vite'), ['build', 'bundled', '--outDir', '../vite', '--logLevel', 'warn']),
  },
  {
    title: 'webpack, nothing configured',
    out: 'webpack',
    hasWorker: true,
    build() {
      run(tool('.bin/webpack'), ['./bundled/main.js', '--mode', 'production', '-o', 'webpack'])
      page('webpack')
    },
  },
  {
    title: 'esbuild, with its file loader',
    out: 'esbuild',
    inNode: true,
    build() {
      const options = ['--bundle', '--minify', '--format=esm', '--loader:.wasm=file', '--outfile=esbuild/main.js']
      run(tool('.bin/esbuild'), ['alone/loader.js', ...options])
      page('esbuild')
    },
  },
  {
    title: 'Rollup, qkv.wasm copied beside the bundle',
    out: 'rollup',
    inNode: true,
    build() {
      const options = ['-p', tool('@rollup/plugin-node-resolve/dist/es/index.js'), '-f', 'es', '-d', 'rollup']
      run(tool('.bin/rollup'), ['alone/main.js', '--silent', ...options])
      copyFileSync(join(folder, 'node_modules/qkv/dist/qkv.wasm'), join(folder, 'rollup/qkv.wasm'))
      page('rollup')
    },
  },
]
for (const { title, out, hasWorker = false, inNode = false, build } of builds)
  test(`built by ${title}, in Chromium${hasWorker ? ' and its worker' : ''}${inNode ? ' and in Node' : ''}`, async t => {
    build()
    if (inNode) check(JSON.parse(run(process.execPath, [`${out}/main.js`])))
    const server = await serve(join(folder, out))
    t.after(server.close)
    await checkPage(chromium, `${server.url}/`, hasWorker)
  })

for (const version of [5, 6, 7])
  test(`Vite ${version} serves it with optimizeDeps.exclude; without, the error names that`, async t => {
    const { createServer } = await import(tool(`vite-${version}/dist/node/index.js`))
    for (const exclude of [['qkv'], []]) {
      const options = { optimizeDeps: { exclude }, server: { host: '127.0.0.1', port: 0 } }
      const cacheDir = join(folder, `vite-${version}-${exclude.length}`)
      const server = await createServer({
        root: join(folder, 'served'),
        configFile: false,
        logLevel: 'silent',
        cacheDir,
        ...options,
      })
      t.after(() => server.close())
      await server.listen()
      const page = await chromium.open(server.resolvedUrls.local[0])
      await page.until(() => 'answer' in globalThis)
      const answer = await page.evaluate(() => /** @type {any} */ (globalThis).answer)
      assert.match(answer, exclude.length ? /^tensor\(\[\[7\.\]\]\)$/ : /optimizeDeps\.exclude/)
      await page.close()
      await server.close()
    }
  })

test('TypeScript 5.4 compiles against its types, with the DOM and without', () => {
  for (const lib of ['es2022', 'es2022,dom']) {
    const options = `--noEmit --strict --target es2022 --module nodenext --lib ${lib} --typeRoots ./none`
    run(process.execPath, [tool('typescript-5.4/bin/tsc'), ...options.split(' '), 'types/main.ts'])
  }
})
