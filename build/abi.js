// Generates from src/kernel/qkv.h the declarations that C and JavaScript share: src/runtime/abi.js, and src/ops/nn-abi.js for declarations
// that only layers, gradients and training need.
//   npm run abi

import { readFileSync, writeFileSync } from 'node:fs'
import { enumOf, fieldsOf, header } from './header.js'

/** @typedef {{ name: string, type: string }} Word */

/**
 * The generated files, and what goes into each:
 * - `enums`: the name in JavaScript, then the name in C and the prefix of its values;
 * - `words`: structs that JavaScript writes by index, as lists of their 32-bit words;
 * - `structs`: structs that writeStruct fills by name, with the names of their float fields.
 */
const FILES = {
  'src/runtime/abi.js': {
    enums: {
      SCORE: ['qkv_score', 'QKV_SCORE_'],
      SOFTMAX_AXIS: ['qkv_softmax_axis', 'QKV_SOFTMAX_'],
      MASKING: ['qkv_masking', 'QKV_MASKING_'],
      ACTIVATION: ['qkv_activation', 'QKV_ACTIVATION_'],
      WEIGHTS: ['qkv_weights', 'QKV_WEIGHTS_'],
      STREAM: ['qkv_stream', 'QKV_STREAM_'],
    },
    words: ['attention', 'trace', 'summary', 'rope', 'cached'],
    structs: [],
  },
  'src/ops/nn-abi.js': {
    enums: { FUNCTION: ['qkv_function', 'QKV_FUNCTION_'] },
    words: ['backward', 'products'],
    structs: [
      'pack_linear',
      'norm',
      'norm_backward',
      'activate',
      'activate_backward',
      'combine',
      'cross_entropy',
      'read_logits',
      'adam',
      'sgd',
    ],
  },
}

/** Lists the 32-bit words of a struct. Fields of a nested struct get its name as a prefix, except those of `attention`. @param {string} struct @param {string} [prefix] @returns {Word[]} */
export const wordsOf = (struct, prefix = '') =>
  fieldsOf(struct).flatMap(({ type, name, pointer }) =>
    type.startsWith('struct ') && !pointer
      ? wordsOf(type.slice(7), name === 'attention' ? prefix : `${prefix}${name}.`)
      : [{ name: prefix + name, type: pointer ? 'pointer' : type }],
  )

const list = (/** @type {string[]} */ names) => `[${names.map(name => `'${name}'`).join(', ')}]`

/** @param {string} struct */
function wordList(struct) {
  const names = wordsOf(`qkv_${struct}`).map(({ name }) => name)
  const shared = struct === 'attention' ? [] : wordsOf('qkv_attention').map(({ name }) => name)
  const isExtended = shared.every((name, i) => names[i] === name) && shared.length
  const text = isExtended ? `[...ATTENTION_WORDS, ${list(names.slice(shared.length)).slice(1)}` : list(names)
  return `/** Fields of struct qkv_${struct} in order, each a 32-bit word. */\nexport const ${struct.toUpperCase()}_WORDS = /** @type {const} */ (${text})`
}

/** @param {string} struct */
function typedStruct(struct) {
  const words = wordsOf(`qkv_${struct}`)
  const floats = words.filter(({ type }) => type === 'float').map(({ name }) => name)
  return `/** struct qkv_${struct}. */\nexport const ${struct.toUpperCase()}_STRUCT = /** @type {const} */ ({ words: ${list(words.map(({ name }) => name))}, floats: ${list(floats)} })`
}

/** Returns the size of struct qkv_generator in bytes. */
const generatorBytes = () =>
  fieldsOf('qkv_generator').reduce((sum, { type, size }) => sum + size * (type === 'double' ? 8 : 4), 0)

/** Returns the source of a generated file, before formatting. @param {keyof typeof FILES} path */
export function abiText(path) {
  const { enums, words, structs } = FILES[path]
  const isFirst = path === 'src/runtime/abi.js'
  const trace = wordsOf('qkv_trace').slice(wordsOf('qkv_attention').length)
  const defined = (/** @type {string} */ name) => header.match(new RegExp(`#define ${name} (\\w+?)u?\\n`))?.[1]
  return [
    `// Made from src/kernel/qkv.h by \`npm run abi\`: edit the header, not this file.`,
    isFirst ? `export const ABI = ${defined('QKV_ABI')}` : `import { ATTENTION_WORDS } from '../runtime/abi.js'`,
    ...words.map(wordList),
    ...structs.map(typedStruct),
    ...Object.entries(enums).map(
      ([name, [of, start]]) => `/** enum ${of}. */\nexport const ${name} = ${JSON.stringify(enumOf(of, start))}`,
    ),
    ...(isFirst
      ? [
          `/** The steps of a trace, in the order in which they are computed. */\nexport const TRACE_STEPS = /** @type {const} */ (${list(trace.filter(({ type }) => type === 'pointer').map(({ name }) => name))})`,
          `/** Window size without a limit (QKV_OPEN). */\nexport const OPEN = ${defined('QKV_OPEN')}`,
          `/** sizeof(struct qkv_generator) */\nexport const GENERATOR_BYTES = ${generatorBytes()}`,
        ]
      : []),
  ].join('\n\n')
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  for (const path of Object.keys(FILES)) {
    const file = new URL(`../${path}`, import.meta.url)
    writeFileSync(file, `${abiText(/** @type {keyof typeof FILES} */ (path))}\n`)
    console.log(`${path}: ${readFileSync(file).length} bytes before formatting`)
  }
