// Runs many texts through a model, in order. The texts of a batch follow each other in its rows, without padding.

/** @import { Tokenized } from '../tokenizers/tokenizer.js' */
/**
 * @typedef {object} Runner
 * @property {import('../model.js').Model} model
 * @property {boolean} packs true if several texts can run in one batch
 * @property {(texts: readonly Tokenized[], options: import('../run/turns.js').AsyncOptions) => Promise<import('../model.js').ModelOutput>} run
 *   runs a batch of texts; lastHiddenState is (1, T, d), where T counts the rows of all texts
 * @property {{ config: import('../jinja/chat.js').TokenizerConfig, read: import('../jinja/chat.js').ReadChat }} chat context of chat templates
 * @property {(token: string) => number | undefined} [idOf] returns the id of a token, as written in the vocabulary
 */

/**
 * Maximum rows of a batch; a longer text runs alone. Products of more rows are no faster, and the memory of a run grows with its rows.
 */
const ROWS = 384

/**
 * Groups texts into batches.
 * @param {Iterable<string> | AsyncIterable<string>} texts
 * @param {(text: string) => Tokenized} read
 * @param {number} most maximum rows of a batch
 */
async function* batchesOf(texts, read, most) {
  /** @type {Tokenized[]} */
  let batch = []
  let rows = 0
  for await (const text of texts) {
    const input = read(text)
    if (batch.length && rows + input.ids.length > most) {
      yield batch
      batch = []
      rows = 0
    }
    batch.push(input)
    rows += input.ids.length
  }
  if (batch.length) yield batch
}

/**
 * Runs texts in batches. Yields for each batch `inputs`, `output`, `rows`, and `starts`, the first row of each text. For an
 * encoder-decoder, `rows` are those of its encoder, as in sentence-transformers.
 * @param {Runner} runner
 * @param {Iterable<string> | AsyncIterable<string>} texts
 * @param {(text: string) => Tokenized} read
 * @param {{ hooks?: import('../model.js').Hooks, signal?: AbortSignal }} options with hooks, texts are not packed, because hooks must see
 *   one text at a time
 */
export async function* runTexts({ model, packs, run }, texts, read, { hooks, signal }) {
  for await (const inputs of batchesOf(texts, read, packs && !hooks ? ROWS : 0)) {
    if (hooks || !packs) {
      const output = await model.forward(inputs[0], { hooks, signal, logits: 'none' })
      const rows = output.encoderLastHiddenState ?? output.lastHiddenState
      yield { inputs, output, rows, starts: [0, rows.dims[1]] }
      continue
    }
    const starts = [0]
    for (const { ids } of inputs) starts.push(starts[starts.length - 1] + ids.length)
    const output = await run(inputs, { signal })
    yield { inputs, output, rows: output.lastHiddenState, starts }
  }
}
