// Tests the command of qkv/corpus, its files opened in Python, and a run that is killed halfway.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { corpus } from '../src/entries/corpus.js'

const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'
const has = (/** @type {string} */ name) => spawnSync(PYTHON, ['-c', `import ${name}`]).status === 0
const folder = mkdtempSync(join(tmpdir(), 'qkv-corpus-files-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const model = fileURLToPath(new URL('goldens/models/gpt2-tiny', import.meta.url))
const cli = fileURLToPath(new URL('../src/corpus/cli.js', import.meta.url))
const words = ['the', 'cat', 'sat', '"on"', 'a,b', 'mat']
const file = join(folder, 'texts.txt')
writeFileSync(
  file,
  Array.from({ length: 400 }, (_, n) =>
    Array.from({ length: 3 + (n % 9) }, (_, i) => words[(n + i * i) % 6]).join(' '),
  ).join('\n'),
)
const what = [
  '--losses',
  '--head-scores',
  '--means',
  'layers.*.mlp.output',
  '--top',
  'layers.0.mlp.hidden',
  '--top-count',
  '2',
]
const command = (/** @type {string} */ out, /** @type {string[]} */ ...more) => [
  cli,
  'corpus',
  file,
  '--model',
  model,
  '--out',
  join(folder, out),
  ...what,
  ...more,
]
const run = (/** @type {string} */ out, /** @type {string[]} */ ...more) =>
  execFileSync(process.execPath, command(out, ...more), { encoding: 'utf8' })

/** Runs Python code and parses the JSON that it prints. @param {string} code */
const python = code =>
  JSON.parse(execFileSync(PYTHON, ['-c', `import json\n${code}`], { cwd: folder, encoding: 'utf8' }))

test('the command writes CSV that Python’s csv reads, quotes and commas in texts with it', () => {
  const printed = run('csv', '--format', 'csv')
  assert.match(printed, /^400 texts, \d+ tokens\n.*texts\.csv\n.*means\.csv\n.*top\.csv\n$/)
  const read = python(`import csv
rows = list(csv.DictReader(open('csv/texts.csv', newline='', encoding='utf8')))
top = list(csv.DictReader(open('csv/top.csv', newline='', encoding='utf8')))
print(json.dumps([len(rows), len(rows[0]), sum(float(r['losses']) for r in rows), len(top), top[0]['line'], top[0]['text'], rows[3]['n']]))`)
  const lines = readFileSync(file, 'utf8').split('\n')
  assert.equal(read[0], 400)
  assert.equal(read[4], lines[read[5]])
  assert.equal(read[6], '3')
})

test('numpy opens the npz, with the numbers of the CSV', { skip: !has('numpy') && `${PYTHON} has no numpy` }, () => {
  run('npz')
  const read = python(`import csv, numpy as np
z = np.load('npz/results.npz')
rows = list(csv.DictReader(open('csv/texts.csv', newline='', encoding='utf8')))
assert np.array_equal(z['losses'], np.array([r['losses'] for r in rows], dtype=np.float32))
assert np.array_equal(z['headScores.first'][:, 1, 2], np.array([r['headScores.first.1.2'] for r in rows], dtype=np.float32))
means = [r for r in csv.DictReader(open('csv/means.csv')) if r['place'] == 'layers.1.mlp.output']
assert np.array_equal(z['means.layers.1.mlp.output'], np.array([float(r['mean']) for r in means]))
assert np.array_equal(z['variances.layers.1.mlp.output'], np.array([float(r['variance']) for r in means]))
print(json.dumps([sorted(z.files)[:3], [str(z[k].dtype) for k in ('losses', 'tokens', 'means.layers.0.mlp.output')], list(z['top.values.layers.0.mlp.hidden'].shape)[1]]))`)
  assert.deepEqual(read, [
    ['headScores.duplicate', 'headScores.entropy', 'headScores.first'],
    ['float32', 'int32', 'float64'],
    2,
  ])
})

test('pandas reads the CSV with numbers in every column', {
  skip: !has('pandas') && `${PYTHON} has no pandas: apt-get install python3-pandas`,
}, () => {
  const read = python(`import pandas as pd
texts, top = pd.read_csv('csv/texts.csv'), pd.read_csv('csv/top.csv')
print(json.dumps([list(texts.shape)[0], sorted({str(t) for t in texts.dtypes}), sorted({str(t) for t in top.dtypes})]))`)
  assert.deepEqual(read, [400, ['float64', 'int64'], ['float64', 'int64', 'object']])
})

test('Parquet has the columns and numbers of the CSV', async () => {
  run('parquet', '--format', 'parquet')
  const { asyncBufferFromFile, parquetReadObjects } = /** @type {any} */ (await import('hyparquet'))
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'parquet/texts.parquet')) })
  const [head, ...lines] = readFileSync(join(folder, 'csv/texts.csv'), 'utf8').trim().split('\n')
  assert.deepEqual(Object.keys(rows[0]), head.split(','))
  for (const [n, line] of lines.entries())
    assert.deepEqual(
      Object.values(rows[n]),
      line.split(',').map(field => Math.fround(Number(field))),
    )
  const top = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, 'parquet/top.parquet')) })
  assert.equal(top[0].line, readFileSync(file, 'utf8').split('\n')[top[0].text])
})

test('a run that is killed with kill -9 continues, on any number of workers, to the same bytes', async () => {
  const out = join(folder, 'killed')
  const parts = join(out, 'parts')
  const hold = join(folder, 'hold.mjs') // code of the run that never finishes text 90 if HOLD is set
  writeFileSync(
    hold,
    'export default ({ n }) => (n === 90 && process.env.HOLD ? new Promise(() => setTimeout(() => {}, 1e9)) : { n })',
  )
  const many = ['--part-size', '20', '--function', hold]
  const env = Object.assign({}, process.env, { HOLD: '1' })
  const child = spawn(process.execPath, command('killed', ...many), { stdio: 'ignore', env })
  const ended = new Promise(resolve => child.once('close', (_, signal) => resolve(signal)))
  while (!(existsSync(parts) && readdirSync(parts).includes('000003.part')))
    await new Promise(resolve => setTimeout(resolve, 5))
  child.kill('SIGKILL')
  assert.equal(await ended, 'SIGKILL')
  assert.ok(!existsSync(join(out, 'results.npz')))
  run('killed', ...many, '--workers', '2')
  run('whole', ...many)
  assert.deepEqual(readFileSync(join(out, 'results.npz')), readFileSync(join(folder, 'whole/results.npz')))
  assert.ok(readdirSync(parts).filter(name => name.endsWith('.part')).length === 20)
})

test('options of embeddings and of the model on the command line are those of corpus', async () => {
  const sentences = fileURLToPath(new URL('goldens/models/sentence-bert-tiny', import.meta.url))
  const args = [cli, 'corpus', file, '--model', sentences, '--format', 'csv', '--embeddings']
  const more = [
    '--normalize',
    '--truncate-dim',
    '8',
    '--pooling',
    'cls_token',
    '--dtype',
    'int8',
    '--activations',
    'int8',
  ]
  execFileSync(process.execPath, [...args, ...more, '--out', join(folder, 'command')])
  await corpus(file, {
    model: sentences,
    what: { embeddings: { normalize: true, truncateDim: 8, pooling: 'cls_token' } },
    out: join(folder, 'call'),
    format: 'csv',
    modelOptions: { dtype: 'int8', activations: 'int8' },
  })
  const [one, other] = ['command', 'call'].map(out => readFileSync(join(folder, out, 'texts.csv'), 'utf8'))
  assert.equal(one, other)
  const [names, row] = one.split('\n').map(line => line.split(','))
  const numbers = row.filter((_, n) => names[n].startsWith('embeddings.')).map(Number)
  assert.equal(numbers.length, 8)
  assert.ok(Math.abs(Math.hypot(...numbers) - 1) < 1e-5)
})

test('--help prints every option; a mistake is one sentence', () => {
  const help = execFileSync(process.execPath, [cli, 'corpus', '--help'], { encoding: 'utf8' })
  const source = readFileSync(cli, 'utf8')
  const [, options] = /const options = \{([\s\S]*?)\n\}/.exec(source) ?? []
  for (const [, name] of options.matchAll(/^ {2}'?([\w-]+)'?:/gm)) assert.ok(help.includes(`--${name}`), name)
  for (const [args, message] of /** @type {const} */ ([
    [
      ['corpus', 'no.txt', '--model', model, '--out', folder, '--losses'],
      /^qkv: corpus: texts: expected the path of a file, but "no\.txt" cannot be read \(ENOENT\); texts themselves are given as a list\n$/,
    ],
    [['corpus', file, '--out', folder, '--losses'], /^qkv: expected --model MODEL/],
    [['corpus', file, '--model', model, '--losses'], /^qkv: expected --out FOLDER/],
    [['corpus', file, '--model', model, '--out', folder], /^qkv: expected at least one of --embeddings, --losses, /],
    [
      ['corpus', file, '--model', model, '--out', folder, '--losses', '--workers', 'four'],
      /^qkv: --workers: expected a number or auto, got "four"/,
    ],
    [
      ['corpus', file, '--model', model, '--out', folder, '--losses', '--truncate-dim', '8'],
      /^qkv: --truncate-dim needs --embeddings\n$/,
    ],
    [['corpse', file], /^qkv: corpse: no such command/],
    [['corpus', file, '--loss'], /^qkv: there is no option --loss; did you mean "--losses"\?/],
  ])) {
    const { status, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, message)
  }
})
