#!/usr/bin/env node
// npx qkv corpus: qkv/corpus on the command line, with a progress bar in a terminal.

import { parseArgs } from 'node:util'
import { describe, didYouMean, messageOf } from '../base/errors.js'
import { bar } from './bar.js'
import { corpus } from './corpus.js'

const HELP = `npx qkv corpus TEXTS --model MODEL --out FOLDER [what] [options]

Runs a model over texts and writes what it computes to a folder. Run it again after a crash: parts that are done are not done again.

  TEXTS               a file of lines, or .jsonl, .ndjson or .parquet (needs hyparquet)
  --model MODEL       a folder, hf:owner/name, or qkv/stories, the model of the package
  --out FOLDER        for results; parts/ in it holds what is done

What is computed, at least one of
  --embeddings        of each text, as sentence-transformers
  --pooling NAME      of embeddings: mean_tokens, cls_token, ... (default: what the model says)
  --normalize         embeddings of length 1
  --prompt NAME       of embeddings: a prompt that the model names, such as query
  --truncate-dim N    of embeddings: their first N numbers
  --losses            the mean cross-entropy of next tokens, of each text
  --head-scores       previous, first, duplicate, induction and entropy of each head, of each text
  --means PLACE       means and variances over all positions, such as 'layers.*.heads'; repeatable
  --top PLACE         texts with the largest activations, such as 'layers.*.mlp.hidden'; repeatable
  --top-count N       texts for each neuron or head (default 10)
  --function FILE     a module whose default export is called with each text; repeatable

Options
  --format NAME       npz (numpy; default), csv, or parquet (needs hyparquet-writer)
  --workers N         threads, each with its own model, or auto (more than 1 needs piscina; default 1)
  --field NAME        of JSON lines and Parquet: where the text is (default text)
  --dtype NAME        of the weights in memory: float32, float16, bfloat16, int8 or int4 (default: as stored)
  --activations NAME  int8: products of bytes, for weights of int8
  --adapter FOLDER    a LoRA adapter of peft
  --part-size N       texts that are done again after a crash (default 256)
  --no-resume         begins again
  --help
`

const MANY = /** @type {const} */ ({ type: 'string', multiple: true })
const [TEXT, SWITCH] = /** @type {const} */ ([{ type: 'string' }, { type: 'boolean' }])
const options = {
  model: TEXT,
  out: TEXT,
  embeddings: SWITCH,
  pooling: TEXT,
  normalize: SWITCH,
  prompt: TEXT,
  'truncate-dim': TEXT,
  losses: SWITCH,
  'head-scores': SWITCH,
  means: MANY,
  top: MANY,
  'top-count': TEXT,
  function: MANY,
  format: TEXT,
  workers: TEXT,
  field: TEXT,
  dtype: TEXT,
  activations: TEXT,
  adapter: TEXT,
  'part-size': TEXT,
  'no-resume': SWITCH,
  help: SWITCH,
}

/** Options that say what to compute. At least one must be given. */
const WHAT = /** @type {const} */ (['embeddings', 'losses', 'head-scores', 'means', 'top', 'function'])

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    const { code, message } = /** @type {Error & { code?: string }} */ (cause)
    const [, name] = /'--([^' ]+)/.exec(message) ?? []
    const like = name && code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? didYouMean(name, Object.keys(options)) : ''
    const text = name && code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? `there is no option --${name}` : message
    throw new Error(`${text}${like.replace('"', '"--')}; npx qkv corpus --help lists all`, { cause })
  }
}

/** @param {string[]} args */
async function main(args) {
  const { values, positionals } = parse(args)
  const [command, file, ...more] = positionals
  if (values.help || !command) return process.stdout.write(HELP)
  if (command !== 'corpus') throw new Error(`${command}: no such command; npx qkv corpus --help`)
  if (!file || more.length)
    throw new Error(`expected one file of texts, got ${positionals.length - 1}; see npx qkv corpus --help`)
  for (const name of /** @type {const} */ (['model', 'out']))
    if (!values[name])
      throw new Error(`expected --${name} ${name === 'model' ? 'MODEL' : 'FOLDER'}; see npx qkv corpus --help`)
  if (!WHAT.some(name => values[name]))
    throw new Error(`expected at least one of ${WHAT.map(name => `--${name}`).join(', ')}: what is computed`)
  const { losses, means, top, format, workers = '1', field } = values
  const ofEmbeddings = {
    pooling: values.pooling,
    normalize: values.normalize,
    prompt: values.prompt,
    truncateDim: numberOf('truncate-dim', values['truncate-dim']),
  }
  if (!values.embeddings && Object.values(given(ofEmbeddings)).length)
    throw new Error(`--${dashed(Object.keys(given(ofEmbeddings))[0])} needs --embeddings`)
  const result = await corpus(field === undefined ? file : { file, field }, {
    model: /** @type {string} */ (values.model),
    out: /** @type {string} */ (values.out),
    what: {
      ...(values.embeddings && { embeddings: given(ofEmbeddings) }),
      losses,
      headScores: values['head-scores'],
      means: /** @type {import('../models/run/model-hooks.js').Place[] | undefined} */ (means),
      top: /** @type {import('../models/run/model-hooks.js').Place[] | undefined} */ (top),
      topCount: numberOf('top-count', values['top-count']),
      functions: values.function,
    },
    format: /** @type {'npz' | undefined} */ (format),
    workers: workers === 'auto' ? workers : numberOf('workers', workers),
    resume: !values['no-resume'],
    partSize: numberOf('part-size', values['part-size']),
    modelOptions: given({ dtype: values.dtype, activations: values.activations, adapter: values.adapter }),
    ...(process.stderr.isTTY && {
      onProgress: progress => process.stderr.write(`\r\x1b[K${bar(progress, process.stderr.columns)}`),
    }),
  })
  if (process.stderr.isTTY) process.stderr.write('\n')
  const cut = result.truncated ? `, ${result.truncated} of them cut to the length of the model` : ''
  process.stdout.write(`${result.texts} texts, ${result.tokens} tokens${cut}\n${result.files.join('\n')}\n`)
}

/** Returns the options without those that are undefined. @param {Record<string, unknown>} all */
const given = all => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))

/** Converts the name of an option of `corpus` to that on the command line: headScores becomes head-scores. @param {string} name */
const dashed = name => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

/** @param {'workers' | 'top-count' | 'part-size' | 'truncate-dim'} name @param {string | undefined} text */
function numberOf(name, text) {
  const number = Number(text)
  if (text !== undefined && !(number > 0))
    throw new Error(`--${name}: expected a number${name === 'workers' ? ' or auto' : ''}, got ${describe(text)}`)
  return text === undefined ? undefined : number
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`qkv: ${messageOf(error)}\n`)
  process.exitCode = 1
}
