// Runs the kernels as native code, in which AddressSanitizer and UndefinedBehaviorSanitizer check every access. The tests of numbers run unchanged
// over it, and a fuzzer compares the kernels with their formulas.

import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { arch, availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const profiles = mkdtempSync(join(tmpdir(), 'qkv-native-'))
after(() => rmSync(profiles, { recursive: true }))

const run = promisify(execFile)
/** How many inputs the fuzzer tries. 2,500 long inputs reach as many branches as 50,000 that begin short and grow. */
const INPUTS = 2_500
/** Test files that do not run on the native build. They test the wasm file, the package or its speed, or call no kernel. */
const WASM_ONLY = [
  'abi',
  'activation',
  'api',
  'architecture',
  'bench',
  'build',
  'clang',
  'corpus',
  'corpus-files',
  'delivery',
  'elsewhere',
  'layout',
  'package',
  'readme',
  'relaxed',
  'security',
  'soak',
  'sweep',
  'tensor',
  'threads',
  'training',
].map(name => `${name}.test.js`)
const testsIn = (/** @type {string} */ folder) =>
  readdirSync(join(root, 'tests', folder))
    .filter(name => name.endsWith('.test.js') && !WASM_ONLY.includes(name))
    .map(name => join(root, 'tests', folder, name))
const files = [...testsIn('.'), ...testsIn('articles')]

await Promise.all(['twin', 'fuzz'].map(what => run(join(here, 'build.sh'), [what])))
const cpu = arch() === 'arm64' ? 'aarch64' : 'x86_64'
const sanitizer = execFileSync('clang', [`-print-file-name=libclang_rt.asan-${cpu}.so`], { encoding: 'utf8' }).trim()

/** Runs a program; if it fails, the error is the end of its output. @param {string} file @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
const passes = (file, args, env = {}) =>
  run(file, args, { env: { ...process.env, ...env }, maxBuffer: 1e8 }).catch(({ message, stdout, stderr }) => {
    throw new Error([message, stdout, stderr].map(text => text.slice(-3000)).join('\n'))
  })

describe('on native code under the sanitizers', { concurrency: 2 }, () => {
  test(`${INPUTS} random inputs agree with the formula`, async t => {
    const options = ['-seed=11', `-runs=${INPUTS}`, '-max_len=400', '-len_control=0', '-print_final_stats=1']
    const { stderr } = await passes(join(here, 'build/fuzz'), [...options, `-artifact_prefix=${here}build/`])
    assert.match(stderr, new RegExp(`number_of_executed_units: ${INPUTS}`))
    t.diagnostic(`${stderr.match(/new_units_added: +(\d+)/)?.[1]} of them ran something new`)
  })

  test(`every test of ${files.length} files passes`, async t => {
    const runner = [join(root, 'tests/run-files.js'), '--at-once', String(availableParallelism())]
    const { stdout } = await passes(process.execPath, [...runner, ...files], {
      NODE_OPTIONS: `--import=${join(here, 'register.js')}`,
      NODE_V8_COVERAGE: '',
      NODE_TEST_CONTEXT: undefined,
      LD_PRELOAD: sanitizer,
      // Leaks are not detected, because V8 does not free everything at exit. Most allocations are V8's, so little is recorded about them.
      ASAN_OPTIONS: 'detect_leaks=0,allow_user_segv_handler=1,quarantine_size_mb=16,malloc_context_size=1',
      LLVM_PROFILE_FILE: join(profiles, '%p.profraw'),
      SHARE: '0.2',
    })
    const passed = Number(stdout.match(/^ℹ pass (\d+)$/m)?.[1])
    assert.ok(passed > files.length, stdout.slice(-3000))
    t.diagnostic(`${passed} tests`)
    t.diagnostic(stdout.slice(stdout.indexOf('Seconds of each file')))
  })
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
