// npm run bench:circuits -- [SEEDS]: measures how well estimated effects find the edges and heads with the largest exact effects. The
// models are those of the page: induction, trained here with SEEDS seeds (default 10), stories and translation. The figures are in
// docs/interpret.md.

import { load } from 'qkv'
import { agreement, compareEffects, inductionModel, question, shippedModel } from './circuit-effects.js'

/** @import { Question } from './circuit-effects.js' */

const STORIES = [
  'Once upon a time there was a cat. The cat saw a dog. The',
  'Tom has a red ball. Anna likes Tom. Tom gave the ball to',
  'Anna saw a big bird. The bird was sad. Anna was',
  'Tom and Anna went to the park. Tom saw a dog. The dog ran to',
  'The little girl had a blue hat. She lost the blue',
  'Once there was a boy. The boy had a cat. The cat was very',
]
const SENTENCES = [
  'the cat sleeps in the garden',
  'an engineer wants a solution today',
  'the teacher reads a book in Beijing',
  'my sister eats an apple',
]
const qkv = await load({ threads: 1 })
const seeds = Number(process.argv[2] ?? 10)
console.log(
  'model             by    weights   heads: area, corr.     edges: area, corr., how many matter   largest edge, exactly',
)

/** @param {string} name @param {import('qkv/models').Model} model @param {readonly Question[]} questions */
async function row(name, model, questions) {
  for (const by of /** @type {const} */ (['mean', 0]))
    for (const weights of /** @type {const} */ (['gradient', 'exact'])) {
      const { heads, edges } = await compareEffects(model, questions, by, weights)
      const [a, b] = [heads, edges].map(agreement)
      const sizes = edges.exact.map(Math.abs)
      const top = edges.names[sizes.indexOf(Math.max(...sizes))]
      const said = (/** @type {typeof a} */ { area, correlation }) =>
        `${Number.isNaN(area) ? 'all matter' : area.toFixed(2)} ${correlation.toFixed(2)}`
      console.log(
        name.padEnd(17),
        String(by).padEnd(5),
        weights.padEnd(9),
        said(a).padEnd(22),
        `${said(b)}, ${b.matter} of ${b.of}`.padEnd(36),
        top,
      )
    }
}

for (let seed = 0; seed < seeds; seed++) {
  const { model, questions, accuracy } = await inductionModel(qkv, seed)
  const { previous, induction } = await model.headScores(/** @type {{ ids: number[] }} */ (questions[0].text).ids)
  const best = (/** @type {Float32Array} */ data) => data.indexOf(Math.max(...data))
  const [a, b] = [previous, induction].map(({ data }) => `${Math.floor(best(data) / 4)}.${best(data) % 4}`)
  console.log(
    `seed ${seed}: ${(100 * accuracy).toFixed(1)} % on lengths that it never saw; reads the word before: ${a}; induction: ${b}`,
  )
  await row(`induction ${seed}`, model, questions)
  model.dispose()
}
for (const [name, texts] of /** @type {const} */ ([
  ['stories', STORIES],
  ['translation', SENTENCES],
])) {
  const model = await shippedModel(qkv, name)
  /** @type {Question[]} */
  const questions = []
  for (const text of texts)
    if (name === 'stories') questions.push(question(model, text))
    else {
      const { ids } = model.tokenize(text)
      /** Ids of the first words of the model's translation. */
      let decoderIds = [Number(model.config.decoder_start_token_id)]
      for await (const { ids: made } of model.generate(text, { maxNewTokens: 3 })) decoderIds = [...made]
      questions.push(question(model, { ids: [...ids], decoderIds }))
    }
  await row(name, model, questions)
  model.dispose()
}
