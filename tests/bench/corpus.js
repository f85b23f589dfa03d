// npm run bench:corpus -- LINES ROUNDS: embeds LINES texts of 20 words with a model of all-MiniLM-L6-v2's size and random weights: text by text, as
// one list, and with qkv/corpus on one worker and on two, interleaved. Prints the median wall-clock time and processor time of a text. The last line
// is the processor time of a text's arithmetic at the speed of a register tile, the machine's limit without fused instructions.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corpus } from '../../src/entries/corpus.js'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { compilePeak } from './compile.js'
import { writeFolder } from './gpt2/checkpoint.js'
import { flops, makeMiniLM, SIZES } from './minilm/sentence-model.js'
import { loadPeak } from './peak.js'

const [lines = 2000, rounds = 3] = process.argv.slice(2).map(Number)
const qkv = await load()
const folder = writeFolder(makeMiniLM(qkv.generator(1)))
const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const words = Array.from(
  { length: SIZES.vocab - special.length },
  (_, n) => `w${[...String(n)].map(c => 'abcdefghij'[Number(c)]).join('')}`,
)
writeFileSync(join(folder.path, 'vocab.txt'), `${[...special, ...words].join('\n')}\n`)
const texts = Array.from({ length: lines }, (_, n) =>
  Array.from({ length: 20 }, (_, i) => words[(n * 7919 + i * 104_729) % words.length]).join(' '),
)
const out = mkdtempSync(join(tmpdir(), 'qkv-corpus-'))
const embeddings = /** @type {const} */ ({ pooling: 'mean_tokens' })
const model = await loadModel(qkv, folder.path)
/** @param {number} workers */
const byCorpus = workers => (/** @type {string[]} */ part) =>
  corpus(part, { model: folder.path, what: { embeddings }, out, workers, resume: false })

/** Ways to process the texts. Each gets 1/share of them, so that all take about the same time. @type {[name: string, share: number, run: (texts: string[]) => Promise<unknown>][]} */
const WAYS = [
  [
    'text by text',
    4,
    async part => {
      for (const text of part) await model.embed(text, embeddings)
    },
  ],
  ['as a list', 2, part => model.embed(part, embeddings)],
  ['corpus, one worker', 2, byCorpus(1)],
  ['corpus, two workers', 1, byCorpus(2)],
]
const peak = await (await loadPeak(compilePeak())).arithmetic()
/** The number of peak.run() calls that do as many operations as a text takes. */
const tiles = flops([model.tokenize(texts[0]).ids.length]) / peak.flops
/** @type {number[]} */
const limits = []
const found = WAYS.map(([name]) => ({
  name,
  clock: /** @type {number[]} */ ([]),
  processor: /** @type {number[]} */ ([]),
}))
for (let round = 0; round < rounds; round++) {
  for (const [n, [, share, run]] of WAYS.entries()) {
    const part = texts.slice(0, Math.ceil(lines / share))
    const [used, start] = [process.cpuUsage(), performance.now()]
    await run(part)
    const { user, system } = process.cpuUsage(used)
    found[n].clock.push((performance.now() - start) / part.length)
    found[n].processor.push((user + system) / 1000 / part.length)
    const before = process.cpuUsage()
    for (let turn = 0; turn < 40; turn++) peak.run()
    const tile = process.cpuUsage(before)
    limits.push(((tile.user + tile.system) / 1000 / 40) * tiles)
  }
}
const median = (/** @type {number[]} */ all) => all.sort((a, b) => a - b)[all.length >> 1].toFixed(2)
for (const { name, clock, processor } of found)
  console.log(`${name}: ${median(clock)} ms a text by the clock, ${median(processor)} of the processor`)
console.log(`the arithmetic of a text: ${median(limits)} of the processor at the speed of the register tile`)
folder.dispose()
rmSync(out, { recursive: true })
