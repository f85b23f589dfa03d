// Tests that Next.js, Jest and Vitest need no configuration for qkv. Next.js bundles server components. In Jest and Vitest with jsdom, ArrayBuffers
// belong to another realm.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { launch } from '../browser/browsers.js'
import { install } from '../packed.js'
import { freePort } from './project.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const { installed, remove } = install()
after(remove)
// The project lies below the folder that has the packages of Next.js, because Turbopack follows no link out of its root.
const project = mkdtempSync(join(here, '.project-'))
after(() => rmSync(project, { recursive: true, force: true }))
cpSync(installed, join(project, 'node_modules/qkv'), { recursive: true })

/** @param {Record<string, string>} files by path */
function write(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
}

const env = Object.assign({}, process.env, { NEXT_TELEMETRY_DISABLED: '1', CI: '1', NODE_ENV: undefined })
/** @param {string} tool its path in node_modules @param {string[]} args @param {{ options?: string, node?: string }} [how] options: of Node */
function run(tool, args, { options = '', node = process.execPath } = {}) {
  const { status, stdout, stderr } = spawnSync(node, [join(here, 'node_modules', tool), ...args], {
    cwd: project,
    encoding: 'utf8',
    env: Object.assign({}, env, { NODE_OPTIONS: options }),
  })
  assert.equal(status, 0, `${tool} ${args.join(' ')}\n${stdout}\n${stderr}`)
  return stdout + stderr
}

/** The source of a page whose map is rendered only on the client. */
const CLIENT_PAGE = `'use client'
import dynamic from 'next/dynamic'
const Map = dynamic(() => import('./map'), { ssr: false })
export default () => <Map />`
const MAP = `import 'qkv/elements/heatmap'
const matrix = { data: [1, 0, 0.5, 0.5], dims: [2, 2] }
export default () => <qkv-heatmap matrix={matrix} label="Weights" />`
/** The source of a route that runs the package's model, with weights of int8. */
const MODEL = `import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { packLinear } from 'qkv/nn'
import { stories } from 'qkv/stories'
export const dynamic = 'force-dynamic'
export async function GET() {
  const qkv = await load({ integers: true })
  const model = await loadModel(qkv, stories)
  const { value } = await model.generate('Lily and Tom are friends. Is he', { maxNewTokens: 1 }).next()
  const { data } = packLinear(qkv, [[1]], undefined, { dtype: 'int8' }).forward({ data: new Float32Array([2]), dims: [1, 1] })
  return new Response(value.text + ' ' + data[0])
}`
const SEVEN = 'String((await load()).attention([[1]], [[1]], [[7]]).output)'

for (const bundler of ['turbopack', 'webpack'])
  test(`Next.js with ${bundler}: a server component and a route that is called compute`, {
    timeout: 600_000,
  }, async t => {
    write({
      'package.json': '{ "type": "module", "private": true }',
      'next.config.mjs': `export default { turbopack: { root: ${JSON.stringify(here)} }, outputFileTracingRoot: ${JSON.stringify(here)}, distDir: '.next-${bundler}' }`,
      'app/layout.jsx': 'export default ({ children }) => <html><body>{children}</body></html>',
      'app/page.jsx': `import { load } from 'qkv'\nexport default async () => <p>{${SEVEN}}</p>`,
      'app/map/page.jsx': CLIENT_PAGE,
      'app/map/map.jsx': MAP,
      'app/now/route.js': `import { load } from 'qkv'\nexport const dynamic = 'force-dynamic'\nexport const GET = async () => new Response(${SEVEN})`,
      'app/model/route.js': MODEL,
    })
    run('next/dist/bin/next', ['build', `--${bundler}`])
    assert.match(readFileSync(join(project, `.next-${bundler}/server/app/index.html`), 'utf8'), /tensor\(\[\[7\.\]\]\)/)
    const port = await freePort()
    const server = spawn(
      process.execPath,
      [join(here, 'node_modules/next/dist/bin/next'), 'start', '-p', String(port)],
      {
        cwd: project,
        env: /** @type {any} */ (env),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
    t.after(() => server.kill())
    await new Promise((resolve, reject) => {
      server.stdout.on('data', data => /Ready/.test(String(data)) && resolve(undefined))
      server.on('exit', code => reject(new Error(`next start ended with ${code}`)))
    })
    assert.equal(await (await fetch(`http://localhost:${port}/now`)).text(), 'tensor([[7.]])')
    assert.equal(await (await fetch(`http://localhost:${port}/model`)).text(), ' tom 2')
    const address = `http://localhost:${port}/map`
    assert.doesNotMatch(await (await fetch(address)).text(), /<qkv-heatmap/)
    const browser = await launch('chromium')
    t.after(() => browser.close())
    const page = await browser.open(address)
    await page.until(
      () =>
        /** @type {any} */ (document.querySelector('qkv-heatmap'))?.describe?.({ row: 1, column: 0 }) ===
        'row 2 to column 1: 0.5000',
    )
    assert.deepEqual(browser.complaints, [])
  })

const CASES = `import { load } from 'qkv'
import { packLinear } from 'qkv/nn'
import 'qkv/elements'

test('a matrix of int8, from memory of this realm', async () => {
  const qkv = await load({ integers: true })
  const x = { data: new Float32Array([2]), dims: [1, 1] }
  expect(packLinear(qkv, [[1]], undefined, { dtype: 'int8' }).forward(x).data[0]).toBe(2)
})

test('a heat map in jsdom', async () => {
  const map = Object.assign(document.createElement('qkv-heatmap'), { matrix: { data: [1, 0, 0.5, 0.5], dims: [2, 2] } })
  document.body.append(map)
  await map.updateComplete
  expect(map.describe({ row: 1, column: 0 })).toBe('row 2 to column 1: 0.5000')
  expect(await map.toSVG()).toMatch(/^<svg .*<\\/svg>$/s)
})

test('heads in jsdom', async () => {
  const heads = Object.assign(document.createElement('qkv-heads'), { weights: { data: [1, 0, 0.5, 0.5], dims: [1, 2, 2] } })
  document.body.append(heads)
  await heads.updateComplete
  expect(heads.shadowRoot.textContent).toMatch(/Head 1/)
})
`

test('Jest with jsdom: int8 and an element', { timeout: 300_000 }, () => {
  write({
    'package.json': '{ "type": "module", "private": true }',
    'jest/map.test.js': CASES,
    'jest/jest.config.js': "export default { testEnvironment: 'jsdom', transform: {} }",
  })
  const said = run('jest/bin/jest.js', ['--rootDir', 'jest', '--config', 'jest/jest.config.js'], {
    options: '--experimental-vm-modules',
  })
  assert.match(said, /Tests: +3 passed, 3 total/)
})

test('Vitest with jsdom: int8 and an element', { timeout: 300_000 }, () => {
  write({ 'vitest/map.test.js': `import { expect, test } from 'vitest'\n${CASES}` })
  const said = run(
    'vitest/vitest.mjs',
    ['run', '--root', 'vitest', '--environment', 'jsdom', '--reporter', 'verbose'],
    {
      node: join(here, 'node_modules/node-22/bin/node'), // Vitest 5 needs 22.12
    },
  )
  assert.match(said, /3 passed/)
})
