// The kernels once more as native code, where AddressSanitizer and UndefinedBehaviorSanitizer see every access: the
// tests of numbers run unchanged over them, and a fuzzer holds them against the formula.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { arch, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const profiles = mkdtempSync(join(tmpdir(), 'qkv-native-'))
after(() => rmSync(profiles, { recursive: true }))

const FUZZ_SECONDS = 60
/** Not run here: these test the wasm file, the package and its speed. */
const WASM_ONLY = [
  'abi',
  'activation',
  'bench',
  'package',
  'readme',
  'relaxed',
  'soak',
  'start',
  'sweep',
  'threads',
  'tiny',
  'training',
].map(name => `${name}.test.js`)
const testsIn = (/** @type {string} */ folder) =>
  readdirSync(join(root, 'tests', folder)).flatMap(name => (name.endsWith('.test.js') ? join(folder, name) : []))
const files = [...testsIn('.').filter(name => !WASM_ONLY.includes(name)), ...testsIn('articles')]

execFileSync(join(here, 'build.sh'), ['twin'])
const cpu = arch() === 'arm64' ? 'aarch64' : 'x86_64'
const sanitizer = execFileSync('clang', [`-print-file-name=libclang_rt.asan-${cpu}.so`], { encoding: 'utf8' }).trim()

for (const file of files)
  test(`on native code under the sanitizers, every test of ${file} passes`, t => {
    const run = spawnSync(process.execPath, ['--import', join(here, 'register.js'), join(root, 'tests', file)], {
      encoding: 'utf8',
      env: {
        ...process.env,
        NODE_V8_COVERAGE: '',
        NODE_TEST_CONTEXT: undefined,
        LD_PRELOAD: sanitizer,
        ASAN_OPTIONS: 'detect_leaks=0,allow_user_segv_handler=1', // V8 leaves much to the end of the process
        LLVM_PROFILE_FILE: join(profiles, '%p.profraw'),
        SHARE: '0.2',
      },
      maxBuffer: 1e8,
    })
    const [, passed] = run.stdout.match(/^# pass (\d+)$/m) ?? []
    assert.ok(run.status === 0 && Number(passed) > 0, `${run.stdout.slice(-3000)}\n${run.stderr.slice(-3000)}`)
    t.diagnostic(`${passed} tests`)
  })

test('these tests run at least 95 % of the lines of every kernel', t => {
  const data = join(profiles, 'all.profdata')
  const raw = readdirSync(profiles).map(name => join(profiles, name))
  execFileSync('llvm-profdata', ['merge', '-sparse', ...raw, '-o', data])
  const twin = join(here, 'build/twin.node')
  const json = execFileSync('llvm-cov', ['export', '-summary-only', `-instr-profile=${data}`, twin], {
    encoding: 'utf8',
  })
  /** @type {{ filename: string, summary: Record<'lines' | 'branches', { count: number, covered: number }> }[]} */
  const covered = JSON.parse(json).data[0].files
  const kernels = covered.filter(({ filename, summary }) => filename.includes('src/kernel/') && summary.lines.count > 0)
  assert.ok(kernels.length > 5)
  const share = (/** @type {typeof kernels} */ list, /** @type {'lines' | 'branches'} */ what) => {
    const sum = (/** @type {'count' | 'covered'} */ part) => list.reduce((n, file) => n + file.summary[what][part], 0)
    return (100 * sum('covered')) / sum('count')
  }
  for (const file of kernels) t.diagnostic(`${file.filename.split('/').at(-1)}: ${share([file], 'lines').toFixed(1)} %`)
  t.diagnostic(`lines ${share(kernels, 'lines').toFixed(1)} %, branches ${share(kernels, 'branches').toFixed(1)} %`)
  assert.ok(share(kernels, 'lines') >= 95)
})

test(`${FUZZ_SECONDS} seconds of fuzzing find nothing`, t => {
  const run = spawnSync(join(here, 'fuzz.sh'), [String(FUZZ_SECONDS)], { encoding: 'utf8', maxBuffer: 1e8 })
  assert.equal(run.status, 0, run.stderr.slice(-3000))
  const [, executions] = run.stderr.match(/number_of_executed_units: (\d+)/) ?? []
  assert.ok(Number(executions) > 1000)
  t.diagnostic(`${executions} executions`)
})
