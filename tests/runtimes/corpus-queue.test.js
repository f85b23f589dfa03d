// Tests the recipe of docs/corpus.md with Redis: two workers, one of which is killed in the middle, write the same files as a run without a queue.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { install, root } from '../packed.js'
import { freePort } from './project.js'

const { project, run, remove } = install()
after(remove)
for (const name of ['bullmq', 'ioredis'])
  symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, import.meta.url)), join(project, 'node_modules', name))
const page = readFileSync(join(root, 'docs/corpus.md'), 'utf8')
const recipes = new Map(
  [...page.matchAll(/```(?:js|yaml) (\S+)\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text]),
)
for (const [name, text] of recipes) writeFileSync(join(project, name), text)

/** @param {AbortSignal} signal of the test @param {() => boolean} isTrue */
async function until(signal, isTrue) {
  for (; !isTrue(); signal.throwIfAborted()) await new Promise(resolve => setTimeout(resolve, 20))
}

test('the recipe has at most 30 lines, and the compose file starts its programs', () => {
  const lines = ['study.js', 'worker.js'].map(name => recipes.get(name)?.trim().split('\n').length ?? Infinity)
  assert.ok(lines[0] + lines[1] <= 30, `${lines} lines`)
  const commands = [...(recipes.get('compose.yaml') ?? '').matchAll(/command: node (\S+?),? /g)].map(([, name]) => name)
  assert.deepEqual(commands, ['study.js', 'worker.js'])
})

test('parts of a worker that is killed with kill -9 go to another one, and the files have the same bytes', {
  timeout: 120_000,
}, async t => {
  const data = mkdtempSync(join(tmpdir(), 'qkv-redis-'))
  t.after(() => rmSync(data, { recursive: true }))
  const port = String(await freePort())
  const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', data], {
    stdio: 'ignore',
  })
  t.after(() => redis.kill())
  await until(
    t.signal,
    () => spawnSync('redis-cli', ['-p', port, 'ping'], { encoding: 'utf8' }).stdout?.trim() === 'PONG',
  )
  writeFileSync(
    join(project, 'texts.txt'),
    Array.from(
      { length: 600 },
      (_, n) => `Lily and ${['Tom', 'Ben', 'Mia'][n % 3]} are friends.${' She is happy.'.repeat(n % 5)}`,
    ).join('\n'),
  )
  // HOLD is set in the worker that is killed. With it the computation never ends.
  writeFileSync(
    join(project, 'own.mjs'),
    `import { writeFileSync } from 'node:fs'
export default ({ n }) => {
  if (!process.env.HOLD) return { n }
  writeFileSync('held', String(n))
  return new Promise(() => setTimeout(() => {}, 1e9))
}`,
  )
  const study = (recipes.get('study.js') ?? '').replace('losses: true,', "losses: true, functions: ['own.mjs'],")
  assert.notEqual(study, recipes.get('study.js'))
  writeFileSync(join(project, 'study.js'), study)
  const env = Object.assign({}, process.env, { PORT: port, LOCK: '4000' })
  const start = (/** @type {string} */ file, more = {}) => {
    const child = spawn(process.execPath, [file], {
      cwd: project,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: Object.assign({}, env, more),
    })
    t.after(() => child.kill('SIGKILL'))
    return child
  }
  const lost = start('worker.js', { HOLD: '1' })
  const coordinator = start('study.js')
  const ended = new Promise(resolve => coordinator.once('close', resolve))
  await until(t.signal, () => existsSync(join(project, 'held')))
  start('worker.js')
  const results = join(project, 'study/parts')
  await until(t.signal, () => existsSync(join(results, '000004.part')))
  lost.kill('SIGKILL')
  assert.equal(await ended, 0)
  const alone = study
    .replace(/^import (?:\{ Queue|Redis).*$/gm, '')
    .replace(/^const (?:connection|queue|events) .*$|^await .*$/gm, '')
    .replace(/^async function run[\s\S]*?^\}$/m, '')
    .replace("out: 'study'", "out: 'alone'")
    .replace(/workers: \{[^}]*\}/, 'workers: 1')
  writeFileSync(join(project, 'alone.js'), alone)
  run(process.execPath, ['alone.js'])
  const [queued, single] = ['study', 'alone'].map(out => readFileSync(join(project, out, 'results.npz')))
  assert.ok(queued.equals(single))
})
