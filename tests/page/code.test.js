// Tests that the programs which the page writes print the page's numbers.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { qkvCode } from '../../web/rooms/layer/programs/node.js'
import { pytorchCode } from '../../web/rooms/layer/programs/pytorch.js'
import { CASES, numbersIn, traced, wanted } from './cases.js'
import { missing, printedInPyTorch } from './pytorch.js'

const folder = mkdtempSync(join(tmpdir(), 'qkv code '))
after(() => rmSync(folder, { recursive: true }))

/** @param {string} command @param {string} file @param {string} text */
function run(command, file, text) {
  writeFileSync(join(folder, file), text)
  const { status, stdout, stderr, error } = spawnSync(command, [join(folder, file)], { encoding: 'utf8' })
  assert.equal(status, 0, `${text}\n${error ?? stderr}`)
  return stdout
}

/**
 * Compares the numbers that a program printed with the page's.
 * @param {string} name
 * @param {string} got what was printed
 * @param {import('../../web/rooms/layer/trace/layer-trace.js').Result} result
 * @param {boolean} [isWhole]
 */
function compare(name, got, result, isWhole = false) {
  const [numbers, want] = [numbersIn(got), wanted(result, isWhole)]
  assert.equal(numbers.length, want.length, `${name}: as many numbers as the page shows, not\n${got.slice(0, 2000)}`)
  want.forEach((x, i) => {
    const error = Math.abs(numbers[i] - x)
    if (!(error <= 1e-4 * Math.max(1, Math.abs(x))))
      assert.fail(`${name}[${i}]: ${numbers[i]} printed, ${x} on the page`)
  })
}

test('the PyTorch program prints the page’s numbers in PyTorch', async t => {
  if (missing) {
    // If apt exists, setup.sh installs PyTorch, so its absence is an error.
    assert.ok(!existsSync('/usr/bin/apt-get'), `PyTorch could not run: ${missing}. Run ./setup.sh torch`)
    return t.skip(`could not run: ${missing}`)
  }
  const programs = CASES.map(([name, settings]) => ({ name, result: traced(settings) }))
  const printed = await printedInPyTorch(programs.map(({ result }) => pytorchCode(result)))
  programs.forEach(({ name, result }, i) => {
    compare(name, printed[i], result, true)
    if (name === 'layer')
      assert.match(printed[i], /^output torch\.Size\(\[10, 60, 512\]\)$/m, 'as document 002 prints it')
  })
})

/** Returns Node's output of each program. All run unchanged in one process, because starting one takes longer than a program. @param {string[]} texts @returns {string[]} */
function runInNode(texts) {
  texts.forEach((text, i) => {
    writeFileSync(join(folder, `program${i}.mjs`), text)
  })
  const runner = `const out = []
for (let i = 0; i < ${texts.length}; i++) {
  const lines = []
  console.log = (...values) => lines.push(format(...values))
  await import(\`./program\${i}.mjs\`)
  out.push(lines.join('\\n'))
}
process.stdout.write(JSON.stringify(out))`
  return JSON.parse(run(process.execPath, 'runner.mjs', `import { format } from 'node:util'\n${runner}`))
}

test('the qkv program prints the page’s numbers in Node', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  assert.ok(existsSync(join(root, 'dist/index.js')), 'the package is not built: npm run dist')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/qkv'))
  const programs = CASES.map(([name, settings]) => ({ name, result: traced(settings) }))
  const printed = runInNode(programs.map(({ result }) => qkvCode(result)))
  programs.forEach(({ name, result }, i) => {
    compare(name, printed[i], result)
    if (name === 'layer') assert.match(printed[i], /^output \[ 10, 60, 512 \]$/m)
  })
})

test('an unknown model, mask or score is written out', async () => {
  const [, settings] = CASES[0]
  const result = traced({ ...settings, mask: 'causal' })
  const other = /** @type {any} */ ({
    ...result,
    settings: { ...result.settings, model: 'handBuilt', mask: 'checkers' },
  })
  const score = /** @type {any} */ ({ ...result, settings: { ...result.settings, score: 'cosine' } })
  const printed = runInNode([qkvCode(other), qkvCode(score)])
  if (!missing) printed.push(...(await printedInPyTorch([pytorchCode(other), pytorchCode(score)])))
  for (const [i, text] of printed.entries()) compare(i % 2 ? 'another score' : 'another model', text, result)
})
