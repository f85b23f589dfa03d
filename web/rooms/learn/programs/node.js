// A run as a program for qkv in Node: the same draws, the same model, the same steps, so that its losses are the same.

import { blocksOf } from '../recipes.js'
import { reverseLengths, sortLengths } from '../tasks/one-layer.js'
import { grammar } from '../tasks/translation.js'
import { weightLines } from '../weight-tensors.js'

/** @typedef {import('../recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('../training-run.js').Task} Task */

/** Draws that several tasks share. */
const SHARED = {
  permutations: `
// torch.rand(B, V).sort(dim=1, stable=True)[1]
const permutations = g => {
  const { data } = g.rand([B, V])
  return Array.from({ length: B }, (_, b) => {
    const keys = data.subarray(b * V, (b + 1) * V)
    return Int32Array.from({ length: V }, (_, i) => i).sort((i, j) => keys[i] - keys[j] || i - j)
  })
}
`,
  below: `
// (torch.rand(B) * limit).long()
const below = (u, limit) => Math.min(Math.floor(Math.fround(u * limit)), limit - 1)
`,
}

/** How many numbers each sequence has. @param {import('../tasks/one-layer.js').Lengths} of */
const lengths = ({ train }) => `const LENGTHS = [${train.join(', ')}]
const lengthsOf = g => Array.from(g.randint(0, LENGTHS.length, [B]).data, i => LENGTHS[i])
`

/** Batches: ids and targets (-1: no loss), and of translation the words before and the lengths. @type {Record<Task, (s: LearnSettings, text: string) => string>} */
const DATA = {
  induction: ({ V, T }) => `const [V, T] = [${V}, ${T}]
const [INPUTS, OUTPUTS] = [V, V]
const LENGTHS = [4, 5, 6, 9, 10, 11].filter(n => 2 * n <= T + 1 && n < V)
${SHARED.permutations}${SHARED.below}
function batch(g) {
  const n = Array.from(g.randint(0, LENGTHS.length, [B]).data, i => LENGTHS[i])
  const orders = permutations(g)
  const a = Array.from(g.rand([B]).data, (u, b) => below(u, T + 2 - 2 * n[b]))
  const gap = Array.from(g.rand([B]).data, (u, b) => below(u, T + 2 - a[b] - 2 * n[b]))
  const rest = Array.from(g.rand([B, T + 1]).data, (u, i) => below(u, V - n[Math.floor(i / (T + 1))]))
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T).fill(-1)
  for (let b = 0; b < B; b++) {
    const second = a[b] + n[b] + gap[b]
    const token = t => {
      for (const start of [a[b], second]) if (t >= start && t < start + n[b]) return orders[b][t - start]
      return orders[b][n[b] + rest[b * (T + 1) + t]]
    }
    for (let t = 0; t < T; t++) {
      ids[b * T + t] = token(t)
      if (t + 1 > second && t + 1 < second + n[b]) targets[b * T + t] = token(t + 1)
    }
  }
  return { ids, targets }
}
`,
  sort: ({ V, T }) => `const [V, T] = [${V}, ${T}]
const [INPUTS, OUTPUTS] = [V + 1, V]
${lengths(sortLengths(T))}${SHARED.permutations}
function batch(g) {
  const lengths = lengthsOf(g)
  const ids = new Int32Array(B * T).fill(V)
  const targets = new Int32Array(B * T).fill(-1)
  for (const [b, order] of permutations(g).entries()) {
    const n = lengths[b]
    const given = order.subarray(0, n)
    const ordered = given.slice().sort()
    ids.set([...given, V, ...ordered.subarray(0, n - 1)], b * T)
    targets.set(ordered, b * T + n)
  }
  return { ids, targets }
}
`,
  reverse: ({ V, T }) => `const [V, T] = [${V}, ${T}]
const [INPUTS, OUTPUTS] = [V + 1, V]
${lengths(reverseLengths(T))}
function batch(g) {
  const lengths = lengthsOf(g)
  const x = g.randint(0, V, [B, T]).data
  const isInside = i => Math.abs(2 * (i % T) - T + 1) < lengths[Math.floor(i / T)] // the numbers stand in the middle
  const ids = Int32Array.from(x, (id, i) => (isInside(i) ? id : V))
  return { ids, targets: Int32Array.from(x, (_, i) => (isInside(i) ? x[i - (i % T) + T - 1 - (i % T)] : -1)) }
}
`,
  text: ({ T }, text) => `const T = ${T}
const TEXT = Array.from(${JSON.stringify(text)})
const CHARACTERS = [...new Set(TEXT)].sort((a, b) => a.codePointAt(0) - b.codePointAt(0))
const NUMBERS = new Map(CHARACTERS.map((character, id) => [character, id]))
const TRAIN = Int32Array.from(TEXT, character => NUMBERS.get(character)).subarray(0, Math.floor(0.9 * TEXT.length))
const [INPUTS, OUTPUTS] = [CHARACTERS.length, CHARACTERS.length]

function batch(g) {
  const ids = new Int32Array(B * T)
  const targets = new Int32Array(B * T)
  g.randint(0, TRAIN.length - T, [B]).data.forEach((start, b) => {
    ids.set(TRAIN.subarray(start, start + T), b * T)
    targets.set(TRAIN.subarray(start + 1, start + T + 1), b * T)
  })
  return { ids, targets }
}
`,
  translation: () => `const G = ${JSON.stringify(grammar)}
const { source: T, target: L } = G.longest
const [INPUTS, OUTPUTS] = [G.sourceWords.length, G.targetWords.length]
const SOURCE = new Map(G.sourceWords.map((word, id) => [word, id]))
const TARGET = new Map(G.targetWords.map((word, id) => [word, id]))

function pair(uniform) {
  const source = []
  const pick = words => words[Math.min(words.length - 1, Math.floor(uniform() * words.length))]
  const link = word => {
    source.push(word)
    return G.words[word]
  }
  const phrase = (nouns, isSubject, isModified) => {
    const noun = pick(nouns)
    const u = uniform()
    let determiner = u < 0.4 ? 'a' : u < 0.7 ? 'the' : u < 0.85 ? 'this' : 'two'
    if (isSubject) determiner = u < 0.48 ? 'a' : u < 0.84 ? 'the' : 'this'
    const [words, measure, plural] = G.nouns[noun]
    const kind = isModified ? uniform() : 1
    let modifiers = []
    if (kind < 0.5 && G.autonomous.includes(noun)) modifiers = pick(G.compounds)
    else if (kind < 0.55) modifiers = [pick(G.adjectives)]
    source.push(determiner === 'a' && /^[aeiou]/.test(modifiers[0] ?? noun) ? 'an' : determiner)
    const said = modifiers.map(link)
    source.push(determiner === 'two' && plural ? plural : noun)
    const isSpoken = determiner in G.numbers && !(isSubject && determiner === 'a')
    return [...(isSpoken ? [G.numbers[determiner] + measure] : []), ...said, ...words]
  }
  let subject
  if (uniform() < 0.3) subject = [link(pick(G.pronouns))]
  else {
    subject = phrase(G.people, true, uniform() < 0.5)
    if (uniform() < 0.25) {
      const of = link('who')
      const verb = link(pick(G.verbs))
      subject = [verb, ...phrase(G.things, false, false), of, ...subject]
    }
  }
  const verb = link(pick(G.verbs))
  const object = phrase(G.things, false, true)
  const place = []
  if (uniform() < 0.6) {
    place.push(link(pick(G.prepositions)))
    const words = pick(G.places).split(' ')
    if (words.length > 1) source.push(words[0])
    place.push(link(words[words.length - 1]))
  }
  const time = uniform() < 0.6 ? [link(pick(G.times))] : []
  return { source, target: [...subject, ...time, ...place, verb, ...object] }
}

function batch(g) {
  const ids = new Int32Array(B * T)
  const previous = new Int32Array(B * L).fill(OUTPUTS)
  const targets = new Int32Array(B * L).fill(-1)
  const lengths = []
  while (lengths.length < B) {
    const { data } = g.rand([G.draws])
    let at = 0
    const { source, target } = pair(() => data[at++])
    if (G.heldOut.includes(source.length)) continue
    const b = lengths.push(source.length) - 1
    ids.set(source.map(word => SOURCE.get(word)), b * T)
    const y = target.map(word => TARGET.get(word))
    targets.set(y, b * L)
    previous.set(y.slice(0, L - 1), b * L + 1)
  }
  return { ids, targets, previous, lengths }
}
`,
}

const NORMED = `
const normed = (t, x, name) => t.layerNorm(x, p[\`\${name}.weight\`], p[\`\${name}.bias\`])
`

/** @param {LearnSettings} s @param {boolean} isTranslation */
const weights = (s, isTranslation) =>
  weightLines(s, isTranslation, {
    norm: name =>
      `weights['${name}.weight'] = tensor(new Float32Array(d).fill(1), [d])\nweights['${name}.bias'] = tensor(new Float32Array(d), [d])`,
    distanceBias: block => `weights['${block}.bias'] = tensor(new Float32Array(numHeads * T), [numHeads, T])`,
  })

const SINUSOIDS = `
// (n, d), with a root mean square of 1/sqrt(d)
const sinusoids = n => {
  const at = i => {
    const column = i % d
    const angle = Math.floor(i / d) * Math.exp((-Math.log(1000) * (column - (column % 2))) / d)
    return Math.sqrt(2 / d) * (column % 2 ? Math.cos(angle) : Math.sin(angle))
  }
  return tensor(Float32Array.from({ length: n * d }, (_, i) => at(i)), [n, d])
}
`

/** The programs of both models, in the parts that they share. @param {LearnSettings} s @param {string} seen by attention */
function partsOf({ positions, mlp, norm }, seen) {
  const normed = (/** @type {string} */ x, /** @type {string} */ name) => (norm ? `normed(t, ${x}, ${name})` : x)
  const turned = (/** @type {string} */ x) => (positions === 'rope' ? `t.rope(${x}, rope)` : x)
  const hasBias = positions === 'distance'
  const placed = (/** @type {string} */ x, /** @type {string} */ name, /** @type {string} */ waves) =>
    positions === 'learned' ? `t.add(${x}, p.${name})` : positions === 'sinusoids' ? `t.add(${x}, ${waves})` : x
  /** @param {string} name of the attention @param {string} indent */
  const fed = (name, indent) =>
    mlp
      ? `${indent}h = t.add(h, t.linear(t.relu(t.linear(${normed('h', `${name}.norm2\``)}, p[${name}.up\`])), p[${name}.down\`]))\n`
      : ''
  const attend = `${positions === 'rope' ? '\nconst rope = { numHeads, base: 100, interleaved: true }\n' : ''}
function attend(t, name, x, y, z, seen) {
  const [q, k, v] = [t.linear(x, p[\`\${name}.q\`]), t.linear(y, p[\`\${name}.k\`]), t.linear(z, p[\`\${name}.v\`])]
${hasBias ? `  const bias = t.relativeBias(p[\`\${name}.bias\`], x.dims[1], T)\n` : ''}  const out = t.attention(${turned('q')}, ${turned('k')}, v, { numHeads, ...seen${hasBias ? ', bias' : ''} })
  return t.linear(out, p[\`\${name}.o\`])
}
`
  /** Layers of self-attention. @param {readonly string[]} blocks */
  const layers = blocks => `  for (const name of [${blocks.map(block => `'${block}'`).join(', ')}]) {
    const x = ${normed('h', `\`\${name}.norm1\``)}
    h = t.add(h, attend(t, name, x, x, x, ${seen}))
${fed(`\`\${name}`, '    ')}  }
`
  return { normed, placed, fed, attend, layers }
}

/** @param {LearnSettings} s @param {boolean} causal */
const layersModel = (s, causal) => {
  const { normed, placed, attend, layers } = partsOf(s, `{ causal: ${causal} }`)
  return `${s.positions === 'sinusoids' ? 'const places = sinusoids(T)\n' : ''}${attend}
function model(t, { ids }) {
  let h = ${placed('t.embedding({ data: ids, dims: [B, T] }, p.embed)', 'position', 'places')}
${layers(blocksOf(false, s.layers))}  return t.linear(${normed('h', "'norm'")}, p.unembed)
}
`
}

/** @param {LearnSettings} s */
const translationModel = s => {
  const { normed, placed, fed, attend, layers } = partsOf(s, 'seen')
  return `${s.positions === 'sinusoids' ? 'const [places, placesTarget] = [sinusoids(T), sinusoids(L)]\n' : ''}${attend}
function model(t, { ids, previous, lengths }) {
  const seen = { keyLengths: lengths }
  const words = t.embedding({ data: ids, dims: [B, T] }, p.embed)
  let h = ${placed('words', 'position', 'places')}
${layers(blocksOf(true, s.layers).slice(0, -1))}  const before = t.embedding({ data: previous, dims: [B, L] }, p.embedTarget)
  const queries = ${normed(placed('before', 'positionTarget', 'placesTarget'), "'cross.norm1'")}
  h = attend(t, 'cross', queries, h, words, seen)
${fed('`cross', '  ')}  return t.linear(${normed('h', "'norm'")}, p.unembed)
}
`
}

/**
 * @param {Task} task
 * @param {LearnSettings} settings
 * @param {string} [text] of the task 'text'
 * @returns {string}
 */
export function qkvProgram(task, settings, text = '') {
  const { d, heads, norm, positions, seed, rate, batch, warmup, steps, decay } = settings
  const isTranslation = task === 'translation'
  const total = decay ? `, total: ${steps}, least: ${rate} / 10` : ''
  return `import { load, tensor } from 'qkv'
import { Adam, clipGradNorm, parameters, schedule, tape } from 'qkv/train'

const B = ${batch}
${DATA[task](settings, text)}
const [d, numHeads] = [${d}, ${heads}]
const qkv = await load()
const generator = qkv.generator(${seed})
const weights = {}
const draw = (name, rows, columns) => {
  weights[name] = generator.normal([rows, columns], 0, 1 / Math.sqrt(columns))
}
${weights(settings, isTranslation)}
const learned = parameters(qkv, weights)
const p = learned.values
${norm ? NORMED : ''}${positions === 'sinusoids' ? SINUSOIDS : ''}${isTranslation ? translationModel(settings) : layersModel(settings, task !== 'reverse')}
const optimizer = new Adam(learned, { lr: ${rate}, betas: [0.9, 0.99] })
const rate = schedule(${rate}, { warmup: ${warmup}${total} })
const data = qkv.generator(${seed} + 1000003)
for (let step = 0; step < ${steps}; step++) {
  const given = batch(data)
  const targets = { data: given.targets, dims: [B, ${isTranslation ? 'L' : 'T'}] }
  const run = tape(qkv, learned, t => t.crossEntropy(model(t, given), targets, { ignoreIndex: -1 }))
  run.backward()
  clipGradNorm(learned, 1)
  optimizer.lr = rate(step)
  optimizer.step()
  console.log(step + 1, run.loss)
}
`
}
