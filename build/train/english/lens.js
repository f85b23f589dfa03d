// npm run lens -- [jacobian] [tuned]  Fits the lenses that ship with the English model, web/trained/english/lens.pt and tuned-lens.pt, on
// texts of the grammar. Prints their KL divergence from the model's answers on held-out texts, and how much their readout changes when
// they are saved, which rounds them.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { fitLens, readLens, readout, saveLens } from 'qkv/interpret'
import { loadModel } from 'qkv/models'
import { CLOZE, SENTENCES } from './cloze.js'
import { filesOf } from './measure.js'

/** @import { Lens } from 'qkv/interpret' */

/** Tokens per row (the model's context length), and number of rows measured. */
const [ROW, MEASURED] = [128, 20]
const SEED = 4
/** @type {Record<string, { file: string, rows: number, options: import('qkv/interpret').FitLensOptions }>} */
const LENSES = {
  jacobian: { file: 'lens.pt', rows: 100, options: { first: 1 } },
  tuned: { file: 'tuned-lens.pt', rows: 400, options: { kind: 'tuned' } },
}

const folder = fileURLToPath(new URL('../../../web/trained/english', import.meta.url))
const qkv = await load()
const model = await loadModel(qkv, filesOf(folder))

/** Concatenates texts as in training: each text and each row begins with <s>. @param {string[]} texts */
function rowsOf(texts) {
  const ids = texts.flatMap(text => [...model.tokenize(text).ids])
  const rows = []
  for (let at = 0; at + ROW <= ids.length; at += ROW - 1) rows.push([0, ...ids.slice(at, at + ROW - 1)])
  return rows
}

const program = fileURLToPath(new URL('lens-texts.py', import.meta.url))
const printed = execFileSync('python3', [program, '--seed', `${SEED}`], { encoding: 'utf8' })
const rows = rowsOf(printed.trimEnd().split('\n<s>\n'))
const written = SENTENCES.concat(CLOZE.map(([text, [word]]) => `${text} ${word}.`))
/** @type {[string, number[][]][]} */
const MEASURES = [
  ['other rows of the grammar', rows.slice(-MEASURED)],
  ['sentences written by hand', written.map(text => [...model.tokenize(text).ids])],
]
const asked = process.argv.slice(2)
for (const name of asked.length ? asked : Object.keys(LENSES)) {
  const { file, rows: count, options } = LENSES[name]
  if (rows.length < count + MEASURED)
    throw new Error(`expected ${count + MEASURED} rows, the texts make ${rows.length}`)
  const lens = await fitLens(model, rows.slice(0, count), {
    ...options,
    onProgress: ({ done, total }) => process.stderr.write(`\r${done} of ${total} rows`),
  })
  process.stderr.write('\n')
  const bytes = saveLens(lens)
  writeFileSync(`${folder}/${file}`, bytes)
  const errors = lens.sourceLayers.map(layer => lens.standardError(layer) ?? lens.divergence(layer)?.standardError)
  console.log(
    `${file}: ${bytes.length} bytes; standard errors by layer: ${errors.map(one => one?.toFixed(4)).join(', ')}`,
  )
  const saved = await readLens(readFileSync(`${folder}/${file}`))
  for (const [texts, ids] of MEASURES) {
    /** @type {[string, Lens | 'logit'][]} */
    const lenses = [
      ['logit lens', 'logit'],
      [`${name} lens`, saved],
    ]
    for (const [kind, own] of lenses) {
      const { kl, count } = await measured(own, ids)
      console.log(`${texts}, ${kind}: KL ${kl.map(sum => (sum / count).toFixed(3)).join(', ')} nats`)
    }
    const { most, changed, count } = await rounding(lens, saved, ids)
    console.log(
      `${texts}, saved: a probability is off by at most ${most.toExponential(1)}; ${changed} of ${count} first words change`,
    )
  }
}

/** Returns for each layer the lens's KL divergence from the model's answer, summed over all tokens except the first. @param {Lens | 'logit'} own @param {number[][]} texts */
async function measured(own, texts) {
  /** @type {number[]} */
  const sums = []
  let count = 0
  for (const ids of texts) {
    const { kl, layers } = await readout(model, own, { ids }, { topK: 1 })
    for (const n of layers.slice(0, -1).keys())
      for (let at = 1; at < ids.length; at++) sums[n] = (sums[n] ?? 0) + kl.at(n, at)
    count += ids.length - 1
  }
  return { kl: sums, count }
}

/** Returns how much saving a lens changes its readout: the largest change of a probability, and the number of changed top tokens. @param {Lens} lens @param {Lens} saved @param {number[][]} texts */
async function rounding(lens, saved, texts) {
  let [most, changed, count] = [0, 0, 0]
  for (const ids of texts) {
    const [exact, rounded] = await Promise.all(
      [lens, saved].map(own => readout(model, own, { ids }, { logits: true, topK: 1 })),
    )
    exact.topIds.data.forEach((id, n) => {
      if (id !== rounded.topIds.data[n]) changed++
    })
    count += exact.topIds.data.length
    const [p, q] = [exact, rounded].map(
      ({ logits }) => qkv.softmax(/** @type {import('qkv').FloatTensor} */ (logits)).data,
    )
    for (const [n, share] of p.entries()) most = Math.max(most, Math.abs(share - q[n]))
  }
  return { most, changed, count }
}
