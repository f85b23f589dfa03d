// qkv/corpus gives the numbers of the model itself, the same bits for any number of workers, and resumes after a crash.

import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bar } from '../src/corpus/bar.js'
import { corpus, runPart } from '../src/entries/corpus.js'
import { load } from '../src/entries/index.js'
import { ablate, backwardSync, patch } from '../src/entries/interpret.js'
import { loadModel } from '../src/entries/models.js'

const folder = mkdtempSync(join(tmpdir(), 'qkv-corpus-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const goldens = fileURLToPath(new URL('goldens/models', import.meta.url))
const gpt2 = join(goldens, 'gpt2-tiny')
const bert = join(goldens, 'sentence-bert-tiny')
const qkv = await load()
const words = ['the', 'cat', 'sat', 'on', 'a', 'mat']
/** Texts of 1 to 9 words. */
const texts = Array.from({ length: 50 }, (_, n) =>
  Array.from({ length: 1 + ((n * 7) % 9) }, (_, i) => words[(n + i * i) % words.length]).join(' '),
)
let count = 0
const fresh = () => join(folder, `out-${count++}`)

/** Reads all files of a run, by path. @param {string} out */
const filesOf = out =>
  Object.fromEntries(
    readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter(name => statSync(join(out, name)).isFile())
      .map(name => [name, readFileSync(join(out, name)).toString('base64')]),
  )

/** Reads a CSV table without quoted fields. Each row maps the names of columns to numbers. @param {string} path */
function readTable(path) {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split('\n')
  const names = head.split(',')
  return lines.map(line => Object.fromEntries(line.split(',').map((field, c) => [names[c], Number(field)])))
}

const all = /** @type {const} */ ({
  losses: true,
  headScores: true,
  embeddings: { pooling: 'mean_tokens' },
  means: ['layers.*.mlp.output', 'layers.1.heads'],
  top: ['layers.*.mlp.hidden', 'layers.0.heads'],
  topCount: 3,
})

test('losses, embeddings and head scores are those of the model, text by text', async () => {
  const out = fresh()
  const list = [...texts.slice(0, 20), '']
  const { files, ...result } = await corpus(list, { model: gpt2, what: all, out, format: 'csv', partSize: 8 })
  assert.deepEqual(
    files.map(file => file.slice(out.length + 1)),
    ['texts.csv', 'means.csv', 'top.csv'],
  )
  const model = await loadModel(qkv, gpt2)
  const rows = readTable(files[0])
  assert.equal(rows.length, list.length)
  for (const [n, text] of texts.slice(0, 20).entries()) {
    const { ids } = model.tokenize(text)
    assert.equal(rows[n].tokens, ids.length)
    const scores = await model.headScores(text)
    for (const [name, { data, dims }] of Object.entries(scores))
      for (const [i, value] of data.entries()) {
        const got = rows[n][`headScores.${name}.${Math.floor(i / dims[1])}.${i % dims[1]}`]
        assert.ok(Math.abs(got - value) <= 1e-6, `${name} of text ${n}: ${got}, ${value}`)
      }
    const embedding = (await model.embed(text, all.embeddings)).data
    for (const [i, value] of embedding.entries()) assert.equal(Math.fround(rows[n][`embeddings.${i}`]), value)
    if (ids.length > 1)
      assert.ok(Math.abs(rows[n].losses - Number(backwardSync(model, text, { of: 'loss' }).value)) <= 1e-5)
    else assert.ok(Number.isNaN(rows[n].losses))
  }
  // A text without tokens has NaN for all numbers, and is left out of means.
  assert.equal(rows[20].tokens, 0)
  assert.ok(Number.isNaN(rows[20].losses) && Number.isNaN(rows[20]['headScores.first.0.0']))
  const losses = rows.map(row => row.losses).filter(value => !Number.isNaN(value))
  const mean = losses.reduce((a, b) => a + b) / losses.length
  assert.ok(Math.abs(result.rows.losses.mean.data[0] - mean) <= 1e-5)
  const spread = Math.sqrt(losses.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (losses.length - 1))
  assert.ok(Math.abs(result.rows.losses.spread.data[0] - spread) <= 1e-5)
  model.dispose()
})

test('means and variances are those over all positions in float64, and ablate and patch take them', async () => {
  const { means, variances } = await corpus(texts, {
    model: gpt2,
    what: { means: all.means },
    out: fresh(),
    partSize: 11,
  })
  const model = await loadModel(qkv, gpt2)
  assert.deepEqual(Object.keys(means).sort(), [
    'layers.0.mlp.output',
    'layers.1.heads',
    'layers.1.mlp.output',
    'layers.2.mlp.output',
  ])
  for (const [place, mean] of /** @type {[string, import('../src/base/tensor.js').FloatTensor][]} */ (
    Object.entries(means)
  )) {
    const rows = texts.flatMap(text => {
      const kept = model.forwardSync(text, { keep: [/** @type {'layers.1.heads'} */ (place)] }).kept[
        /** @type {'layers.1.heads'} */ (place)
      ]
      return Array.from({ length: kept?.dims[1] ?? 0 }, (_, i) => /** @type {any} */ (kept).row(0).row(i).data)
    })
    for (let c = 0; c < mean.data.length; c++) {
      const own = rows.reduce((sum, row) => sum + row[c], 0) / rows.length
      const variance = rows.reduce((sum, row) => sum + (row[c] - own) ** 2, 0) / (rows.length - 1)
      assert.ok(Math.abs(mean.data[c] - own) <= 1e-6 * (1 + Math.abs(own)), `${place} ${c}`)
      const got = Number(variances[place].data[c])
      assert.ok(Math.abs(got - variance) <= 1e-5 * variance, `${place} ${c}: ${got}, ${variance}`)
    }
  }
  const { effects } = await ablate(model, texts[8], { of: 'loss', what: 'mlp output', by: means })
  assert.ok(effects.data.every(Number.isFinite) && effects.data.some(value => value !== 0))
  const patched = await patch(model, { corrupted: texts[8], of: 'loss', what: 'mlp output', by: means })
  assert.deepEqual(patched.effects, effects)
  model.dispose()
})

test('the largest activations are those of a search through all, each text once, of equal ones the first', async () => {
  const { top } = await corpus(texts, { model: gpt2, what: { top: all.top, topCount: 3 }, out: fresh(), partSize: 13 })
  const model = await loadModel(qkv, gpt2)
  const place = 'layers.1.mlp.hidden'
  const lists = top[place] ?? []
  /** @type {{ value: number, text: number, position: number }[][]} */
  const found = lists.map(() => [])
  for (const [text, line] of texts.entries()) {
    const { data, dims } = /** @type {import('../src/base/tensor.js').FloatTensor} */ (
      model.forwardSync(line, { keep: [place] }).kept[place]
    )
    for (let u = 0; u < dims[2]; u++) {
      const values = Array.from({ length: dims[1] }, (_, i) => data[i * dims[2] + u])
      const value = Math.max(...values)
      found[u].push({ value, text, position: values.indexOf(value) })
    }
  }
  assert.ok(lists.length > 8)
  for (const [u, list] of lists.entries()) {
    const wanted = found[u].sort((a, b) => b.value - a.value || a.text - b.text).slice(0, 3)
    assert.deepEqual(
      list.map(({ value, text, position }) => ({ value, text, position })),
      wanted,
      `neuron ${u}`,
    )
    for (const { text, line, id, position } of list) {
      assert.equal(line, texts[text])
      assert.equal(id, model.tokenize(line).ids[position])
    }
  }
  assert.equal(top['layers.0.heads']?.length, model.stacks.decoder?.numHeads)
  model.dispose()
})

test('one worker, three, and workers elsewhere: the same bytes', async () => {
  const outs = [fresh(), fresh(), fresh()]
  const own = { run: (/** @type {any} */ part) => runPart(JSON.parse(JSON.stringify(part))), count: 2 }
  const results = []
  for (const [n, workers] of [1, 3, own].entries())
    results.push(await corpus(texts, { model: gpt2, what: all, out: outs[n], workers, partSize: 6 }))
  const [first, ...others] = outs.map(filesOf)
  assert.equal(Object.keys(first).length, 11)
  for (const other of others) assert.deepEqual(other, first)
  assert.deepEqual(results[1].means, results[0].means)
})

test('finished parts of a run are used again, except truncated ones and those of other texts', async () => {
  const out = fresh()
  const given = /** @type {const} */ ({ model: bert, what: { embeddings: true }, out, partSize: 10 })
  await assert.rejects(corpus(texts, { ...given, what: { losses: true } }), /losses/) // must leave no parts that the next run would refuse
  await corpus(texts, given)
  const before = filesOf(out)
  for (const name of readdirSync(join(out, 'parts'))) utimesSync(join(out, 'parts', name), 1, 1)
  truncateSync(join(out, 'parts/000001.part'), 200)
  rmSync(join(out, 'parts/000003.part'))
  /** @type {import('../src/corpus/corpus.js').CorpusProgress[]} */
  const told = []
  await corpus(texts, { ...given, onProgress: progress => told.push(progress) })
  assert.deepEqual(filesOf(out), before)
  assert.deepEqual({ ...told.at(-1), seconds: 0 }, { texts: 50, parts: 5, resumed: 3, seconds: 0 })
  const written = readdirSync(join(out, 'parts')).filter(name => statSync(join(out, 'parts', name)).mtimeMs > 1000)
  assert.deepEqual(written, ['000001.part', '000003.part'])
  await corpus([...texts.slice(0, 45), 'a cat'], { ...given, onProgress: progress => told.push(progress) })
  assert.deepEqual([told.at(-1)?.parts, told.at(-1)?.resumed], [5, 4])
  await assert.rejects(
    corpus(texts, { ...given, what: { headScores: true } }),
    /has results with another what: choose another folder, or say resume: false \(--no-resume\)/,
  )
  await corpus(texts, { ...given, what: { headScores: true }, resume: false })
})

test('a signal ends a run with its reason, and finished parts stay', async () => {
  for (const workers of [1, 2]) {
    const out = fresh()
    const controller = new AbortController()
    const stop = () => controller.abort(new Error('enough'))
    await assert.rejects(
      corpus(texts, {
        model: gpt2,
        what: { losses: true },
        out,
        partSize: 5,
        workers,
        signal: controller.signal,
        onProgress: stop,
      }),
      /enough/,
    )
    const { length } = readdirSync(join(out, 'parts'))
    assert.ok(length >= 1 && length < 10, `${length} parts`)
  }
})

test('texts are read from lines, JSON lines and Parquet, and from a generator', async () => {
  const { parquetWriteFile } = /** @type {any} */ (await import('hyparquet-writer'))
  const paths = Object.fromEntries(['txt', 'jsonl', 'parquet'].map(end => [end, join(folder, `texts.${end}`)]))
  const list = ['the cat', '', 'a “mat”, on', 'the\u2028cat'] // U+2028 does not end a line here
  writeFileSync(paths.txt, `\uFEFF${list.join('\r\n')}\n`)
  writeFileSync(paths.jsonl, list.map(body => `${JSON.stringify({ body })}\n`).join('\n'))
  parquetWriteFile({ filename: paths.parquet, columnData: [{ name: 'body', data: list, type: 'STRING' }] })
  const options = /** @type {const} */ ({ model: bert, what: { embeddings: true } })
  const generator = (async function* () {
    yield* list
  })()
  const outs = []
  for (const source of [
    list,
    generator,
    paths.txt,
    { file: paths.jsonl, field: 'body' },
    { file: paths.parquet, field: 'body' },
  ]) {
    outs.push(fresh())
    await corpus(source, { ...options, out: outs[outs.length - 1] })
  }
  const [first, ...others] = outs.map(out => filesOf(out)['results.npz'])
  for (const [n, other] of others.entries()) assert.equal(other, first, String(n))
  const out = fresh()
  await assert.rejects(
    corpus(paths.jsonl, { ...options, out }),
    /line 1 of .*: text: expected a text, got undefined; .*\{ file, field \}/,
  )
  await assert.rejects(corpus(paths.parquet, { ...options, out }), /has no column "text"; its columns: body/)
  writeFileSync(paths.txt, '{')
  await assert.rejects(corpus({ file: paths.txt, format: 'jsonl' }, { ...options, out }), /line 1 of .* is no JSON/)
  await assert.rejects(corpus(join(folder, 'none.txt'), { ...options, out }), /cannot be read \(ENOENT\)/)
})

test("a user's function is called with each text, and its results are columns", async () => {
  mkdirSync(join(folder, 'own'))
  const file = join(folder, 'own/letters.mjs')
  writeFileSync(
    file,
    `export default ({ text, n, ids, tokens, model, qkv }) => ({ n, length: text.length, both: [ids.length, tokens.length], last: model.forwardSync(text, { logits: 'last' }).logits.row(0).row(0).slice(0, 0, 2) })`,
  )
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      'both: [ids.length, tokens.length]',
      'both: { data: [ids.length, tokens.length] }',
    ),
  )
  const out = fresh()
  const { files, rows } = await corpus(texts, {
    model: gpt2,
    what: { functions: [file] },
    out,
    format: 'csv',
    partSize: 20,
    workers: 2,
  })
  const table = readTable(files[0])
  assert.deepEqual(
    table.map(row => row['letters.length']),
    texts.map(text => text.length),
  )
  assert.deepEqual(
    table.map(row => row['letters.n']),
    texts.map((_, n) => n),
  )
  assert.deepEqual(Object.keys(table[0]), [
    'n',
    'tokens',
    'truncated',
    'letters.n',
    'letters.length',
    'letters.both.0',
    'letters.both.1',
    'letters.last.0',
    'letters.last.1',
  ])
  assert.equal(rows['letters.length'].mean.data[0], Math.fround(texts.reduce((sum, text) => sum + text.length, 0) / 50))
  writeFileSync(file, 'export default ({ n }) => ({ x: { data: Array(n).fill(0) } })')
  await assert.rejects(
    corpus(texts, { model: gpt2, what: { functions: [file] }, out: fresh() }),
    /text 2: x: expected dims \(1\), as for the earlier texts, got \(2\)|x: expected dims \(0\).*got \(1\)/,
  )
})

test('texts longer than the model are cut, and marked', async () => {
  const long = Array(3000).fill('cat').join(' ')
  const out = fresh()
  const { truncated, files } = await corpus(['the cat', long], {
    model: gpt2,
    what: { losses: true },
    out,
    format: 'csv',
  })
  assert.equal(truncated, 1)
  const [, row] = readTable(files[0])
  const { n_positions: most } = JSON.parse(readFileSync(join(gpt2, 'config.json'), 'utf8'))
  assert.deepEqual([row.tokens, row.truncated], [most, 1])
})

for (const [title, given, message] of /** @type {const} */ ([
  ['no options', {}, /model: .*got undefined/],
  ['no folder for results', { model: gpt2 }, /out: expected the path of a folder.*got undefined/],
  ['nothing to compute', { model: gpt2, out: 'x', what: {} }, /nothing is to be computed: say losses: true/],
  [
    'a wrong name',
    { model: gpt2, out: 'x', what: { loss: true } },
    /there is no option "loss"; did you mean "losses"\?/,
  ],
  [
    'weights as a place',
    { model: gpt2, out: 'x', what: { means: ['layers.0.attention.weights'] } },
    /a number for each pair of positions/,
  ],
  ['a place that is none', { model: gpt2, what: { means: ['layers.0.mlp'] } }, /is no place in this model/],
  ['losses of an encoder', { model: bert, what: { losses: true } }, /losses: bert reads a text as a whole/],
  [
    'workers as a text',
    { model: gpt2, out: 'x', what: { losses: true }, workers: 'all' },
    /expected a number, 'auto' or \{ run, count \}/,
  ],
  [
    'a run that gives nothing',
    { model: gpt2, what: { losses: true }, workers: { run: () => undefined } },
    /run: expected the bytes returned by runPart.*got undefined/,
  ],
  ['a folder that is none', { model: '/nowhere', what: { losses: true } }, /nowhere/],
]))
  test(`${title}: an error states the expected value`, async () => {
    const out = fresh()
    await assert.rejects(
      corpus(texts, /** @type {any} */ ({ out: 'model' in given && !('what' in given) ? undefined : out, ...given })),
      message,
    )
  })

test('two calls at once in one thread wait for each other: the first to end closes no model of the other', async () => {
  const many = Array.from({ length: 8 }, () => texts).flat()
  const long = { model: bert, what: { embeddings: true }, out: fresh(), partSize: 400 }
  const short = { model: gpt2, what: { losses: true }, out: fresh() }
  await Promise.all([corpus(texts.slice(0, 3), short), corpus(many, long)])
})

test('an invalid text is named, and memory is freed after an error', async () => {
  const { resident } = qkv.memory
  await assert.rejects(
    corpus(/** @type {any} */ (['the', 5]), { model: gpt2, what: { losses: true }, out: fresh() }),
    /text 1: expected a text, got 5/,
  )
  await assert.rejects(corpus([], { model: gpt2, what: { losses: true }, out: fresh() }), /texts: there is none/)
  assert.equal(qkv.memory.resident, resident)
})

test('the progress bar has the width of the terminal, and shows the remaining time', () => {
  const progress = { texts: 5120, parts: 20, resumed: 0, fraction: 0.5, seconds: 60 }
  assert.equal(bar(progress, 80), '[===============               ] 50 % 5,120 texts, 85/s, 60 s left')
  assert.ok(bar(progress, 50).length <= 50)
  assert.equal(bar({ texts: 3, parts: 1, resumed: 0, seconds: 2 }, 80), '3 texts, 2/s')
})
