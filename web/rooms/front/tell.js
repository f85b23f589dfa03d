// Runs the model on a story: with all heads, without the one that finds the name, with that one only, and with none.

import { present } from '../../shell/known.js'
import { BOYS, GIRLS, HEADS, LAYERS, NAMED, tokensOf } from './pronoun-story.js'

/** @import { Runs, Story, Told } from './pronoun-story.js' */
/** @typedef {{ model: import('qkv/models').Model, words: readonly string[] }} Reader a model, and the words of its vocabulary by id */

const TOP = 6

/** Returns the words by id. @param {Record<string, number>} vocabulary ids by word, from tokenizer.json */
export function wordsOf(vocabulary) {
  /** @type {string[]} */
  const words = []
  for (const [word, id] of Object.entries(vocabulary)) words[id] = word
  return words
}

const PLACES = Array.from({ length: LAYERS * HEADS }, (_, i) => ({ layer: Math.floor(i / HEADS), head: i % HEADS }))

/** @param {import('qkv').Qkv} qkv @param {Reader} reader @param {Story} story @returns {Runs} */
export function tell(qkv, reader, story) {
  const named = NAMED[story.pronoun]
  const isNamed = (/** @type {import('./pronoun-story.js').HeadAt} */ { layer, head }) =>
    layer === named.layer && head === named.head
  const off = (/** @type {typeof PLACES} */ places) =>
    Object.fromEntries(places.map(({ layer, head }) => [`layers.${layer}.heads.${head}`, 0]))
  const run = (/** @type {typeof PLACES} */ places) => toldBy(qkv, reader, story, off(places))
  return {
    all: run([]),
    without: run(PLACES.filter(isNamed)),
    alone: run(PLACES.filter(at => !isNamed(at))),
    none: run(PLACES),
  }
}

/** @param {import('qkv').Qkv} qkv @param {Reader} reader @param {Story} story @param {Record<string, number>} hooks @returns {Told} */
function toldBy(qkv, { model, words }, story, hooks) {
  const ids = tokensOf(story).map(token => words.indexOf(token))
  const { layer, head } = NAMED[story.pronoun]
  const { logits, attentions } = model.forwardSync({ ids }, { keep: [`attentions.${layer}`], logits: 'last', hooks })
  const { data: p } = qkv.softmax(present(logits))
  const { data, dims } = present(attentions[layer])
  const [, , L, S] = dims
  const from = (head * L + L - 1) * S
  const sum = (/** @type {readonly string[]} */ names) =>
    names.reduce((total, name) => total + p[words.indexOf(name)], 0)
  return {
    top: Array.from(words.keys())
      .sort((a, b) => p[b] - p[a])
      .slice(0, TOP)
      .map(id => [words[id], p[id]]),
    girls: sum(GIRLS),
    boys: sum(BOYS),
    row: Array.from(data.subarray(from, from + S)),
  }
}
