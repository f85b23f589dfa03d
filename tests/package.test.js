// What `npm install qkv` brings: packed, unpacked beside a stranger's project, imported and type-checked there.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'qkv-'))
const installed = join(project, 'node_modules/qkv')
after(() => rmSync(project, { recursive: true }))

/** @param {string} command @param {string[]} args */
const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' })

run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], root)
const tarball = join(project, readdirSync(project).find(name => name.endsWith('.tgz')) ?? '')
mkdirSync(installed, { recursive: true })
run('tar', ['xzf', tarball, '-C', installed, '--strip-components=1'])
writeFileSync(join(project, 'package.json'), '{ "type": "module" }')

test('the package holds what a user needs and nothing else', () => {
  const files = run('tar', ['tzf', tarball])
    .trim()
    .split('\n')
    .map(name => name.replace('package/', ''))
  const strange = files.filter(
    name => !/^(LICENSE|README\.md|package\.json|src\/[\w]+\.js|src\/qkv\.wasm|types\/\w+\.d\.ts)$/.test(name),
  )
  assert.deepEqual(strange, [])
  for (const name of ['LICENSE', 'README.md', 'src/index.js', 'src/qkv.wasm', 'types/index.d.ts'])
    assert.ok(files.includes(name), name)
})

test('the package is below 80 KB gzipped', t => {
  const { size } = statSync(tarball)
  t.diagnostic(`${size} bytes`)
  assert.ok(size < 80 * 1024)
})

test('the package has no dependency at run time and publint finds nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
  assert.equal(pkg.dependencies, undefined)
  assert.deepEqual(
    messages.map(message => formatMessage(message, pkg)),
    [],
  )
})

test('a stranger imports it in Node', () => {
  const code = "import { load } from 'qkv'; console.log(String((await load()).attention([[1]], [[1]], [[7]]).output))"
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), 'tensor([[7.]])\n')
})

test('a stranger reaches the wasm file by name', () => {
  const code = "console.log(import.meta.resolve('qkv/qkv.wasm').endsWith('node_modules/qkv/src/qkv.wasm'))"
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), 'true\n')
})

test('a strict TypeScript project compiles against its types and is told of a wrong option', () => {
  const good = `import { load, tensor, type Trace } from 'qkv'
    const qkv = await load()
    const x = tensor(new Float32Array(6), [3, 2])
    const trace: Trace = qkv.trace(x, x, x, { causal: true, score: { kind: 'gaussian', sigma: 2 } })
    const weights: Float32Array = trace.weights.data
    const dims: readonly number[] = qkv.generator(1).multiheadAttention(4, 2).forward([[1, 2, 3, 4]]).output.dims
    console.log(weights, dims)`
  writeFileSync(join(project, 'good.ts'), good)
  writeFileSync(join(project, 'bad.ts'), good.replace('causal', 'casual'))
  const check = (/** @type {string} */ file) =>
    run(process.execPath, [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...[
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--module',
        'nodenext',
        '--types',
        '',
        '--lib',
        'es2022,dom',
        file,
      ],
    ])
  check('good.ts')
  assert.throws(
    () => check('bad.ts'),
    ({ stdout }) => stdout.includes("'casual' does not exist in type"),
  )
})
