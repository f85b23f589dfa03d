// Measures the English model as the page reads it: bits per byte on held-out texts, 100 sentences to continue, its continuations of ten
// sentences, and its heads on 200 texts.
//   node build/train/english/evaluate.js FOLDER --held FOLDER [--beside FOLDER] [--about FILE]
//   FOLDER    has config.json, packed.safetensors and tokenizer.json
//   --held    the output folder of corpus.py
//   --beside  another model, to compare bits per byte with
//   --about   path of the about.json to write

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load } from 'qkv'
import { headScores, loadModel } from 'qkv/models'
import { furtherScores } from '../../../web/rooms/models/run/further-score.js'
import { CLOZE, SENTENCES } from './cloze.js'
import { bitsOf, filesOf, wordsAfter } from './measure.js'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { held: { type: 'string' }, beside: { type: 'string' }, about: { type: 'string' } },
})
const qkv = await load()

const model = await loadModel(qkv, filesOf(positionals[0]))
/** @type {Record<string, any>} */
const figures = {}

if (given.held) {
  const other = given.beside ? await loadModel(qkv, filesOf(given.beside)) : undefined
  for (const name of ['stories', 'wordnet', 'kjv', 'moby-dick', 'sotu']) {
    // The first 240 characters of a text fit the context of both models.
    const texts = readFileSync(`${given.held}/held-${name}.txt`, 'utf8').split('\n<s>\n').filter(Boolean)
    const some = texts.map(text => text.slice(0, 240)).slice(0, 200)
    figures.bits = { ...figures.bits, [name]: bitsOf(model, some) }
    if (other) figures.beside = { ...figures.beside, [name]: bitsOf(other, some) }
  }
  const own = SENTENCES.concat(CLOZE.map(([text, words]) => `${text} ${words[0]}.`))
  figures.bits.written = bitsOf(model, own)
  if (other) figures.beside.written = bitsOf(other, own)
  if (other) {
    const hits = CLOZE.filter(([text, words]) => wordsAfter(other, text, 5).some(({ word }) => words.includes(word)))
    figures.besideCloze = hits.length
    other.dispose()
  }
  console.log(JSON.stringify(figures, (_, x) => (typeof x === 'number' ? Number(x.toFixed(3)) : x)))
}

const wrong = []
for (const [text, words] of CLOZE) {
  const found = wordsAfter(model, text, 5).map(({ word }) => word)
  if (!found.some(word => words.includes(word))) wrong.push(`${text} | ${found.join(', ')} | ${words.join(', ')}`)
}
figures.cloze = CLOZE.length - wrong.length
console.log(`cloze: ${figures.cloze} of ${CLOZE.length}`)
for (const line of wrong) console.log('  no:', line)

for (const text of SENTENCES) {
  const { ids } = model.tokenize(text)
  const words = wordsAfter(model, text, 5).map(({ word, probability }) => `${word} ${(100 * probability).toFixed(0)}%`)
  const more = []
  for await (const { id } of model.generate(ids, { maxNewTokens: 24, temperature: 0 })) more.push(id)
  console.log(`${text} | ${words.join(', ')}\n   -> ${model.decode(more)}`)
}

// Measures the heads on 200 texts: the scores that the page computes, and the increase in bits per byte when a head is off.
if (given.held) {
  const texts = readFileSync(`${given.held}/held-stories.txt`, 'utf8').split('\n<s>\n').filter(Boolean).slice(0, 200)
  const fitting = texts.map(text => text.slice(0, 360))
  const { layers, heads } = /** @type {any} */ (model.stacks.decoder)
  const names = /** @type {const} */ (['previous', 'first', 'duplicate', 'induction', 'further'])
  const sums = Array.from({ length: layers * heads }, () => Object.fromEntries(names.map(name => [name, 0])))
  for (const text of fitting) {
    const { ids } = model.tokenize(text)
    const { attentions } = model.forwardSync({ ids }, { keep: ['attentions'], logits: 'none' })
    const scores = headScores(attentions, ids)
    for (let layer = 0; layer < layers; layer++) {
      const further = furtherScores(/** @type {any} */ (attentions[layer]), ids).data
      for (let head = 0; head < heads; head++) {
        const own = sums[layer * heads + head]
        for (const name of names)
          own[name] += (name === 'further' ? further[head] : scores[name].data[layer * heads + head]) / fitting.length
      }
    }
  }
  const whole = bitsOf(model, fitting)
  const rows = []
  for (const [n, own] of sums.entries()) {
    const [layer, head] = [Math.floor(n / heads), n % heads]
    const lost = bitsOf(model, fitting, { [`layers.${layer}.heads.${head}`]: 0 }) - whole
    // The role of a head is the name of its highest score, if this score is at least 0.4 and the model is worse without the head.
    const [role, score] = Object.entries(own)
      .filter(([name]) => layer > 0 || (name !== 'induction' && name !== 'further'))
      .sort((a, b) => b[1] - a[1])[0]
    const round = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, Number(value.toFixed(3))]))
    rows.push({ layer, head, ...round, lost: Number(lost.toFixed(4)), ...(score >= 0.4 && lost > 0.001 && { role }) })
  }
  figures.texts = texts.length
  figures.heads = rows
  console.log(`without a head, of ${whole.toFixed(4)} bits a byte:`)
  for (const row of rows) console.log(' ', JSON.stringify(row))
}
if (given.about) {
  const round = (/** @type {any} */ _, /** @type {any} */ x) => (typeof x === 'number' ? Number(x.toFixed(4)) : x)
  const about = existsSync(given.about) ? JSON.parse(readFileSync(given.about, 'utf8')) : {}
  writeFileSync(
    given.about,
    `${JSON.stringify({ ...about, figures: { ...figures, example: about.figures?.example ?? { text: 'The cat sat on the mat because it was' } } }, round, 1)}\n`,
  )
}
