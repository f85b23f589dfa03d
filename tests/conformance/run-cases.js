// Runs ONNX's node tests against this package.

import { tensor } from '../../src/entries/index.js'
import { onnxAttention } from '../../src/entries/nn.js'
import { ATTENTION_ATTRIBUTES, ATTENTION_INPUTS } from '../../src/ops/attention/onnx-names.js'
import { findCases, Unsupported } from './onnx-cases.js'

/** @import { Case, OnnxTensor } from './onnx-cases.js' */
/** @import { Qkv } from '../../src/entries/index.js' */
/** @typedef {{ data: ArrayLike<number>, dims: readonly number[], dtype: string } | undefined} Got */

/** Tolerances t, by dtype: |got - want| <= t + t |want|. @type {Record<string, number>} */
const TOLERANCE = { float32: 1e-5, float16: 1e-3 }

/** Returns the attributes of a case. Throws Unsupported if one of them is not in `known`. @param {Case} test @param {readonly string[]} known */
function only({ attributes }, known) {
  for (const name of Object.keys(attributes)) if (!known.includes(name)) throw new Unsupported(`attribute ${name}`)
  return attributes
}

/**
 * Converts an output y to float16 if the input x is float16.
 * @param {any} x
 * @param {Got} y
 * @returns {Got}
 */
const as = (x, y) => (x.dtype === 'float16' ? /** @type {any} */ (y).half() : y)

/**
 * For each operator, the first opset whose semantics we implement, and a function that computes the outputs.
 * @type {Record<string, { since: number, run: (qkv: Qkv, test: Case, inputs: any[]) => Got[] }>}
 */
const OPERATORS = {
  Attention: {
    since: 23,
    run(qkv, test, given) {
      const attributes = only(test, ATTENTION_ATTRIBUTES)
      if (attributes.softmax_precision === 11) throw new Unsupported('softmax_precision float64')
      const inputs = /** @type {any} */ (
        Object.fromEntries(ATTENTION_INPUTS.map((name, i) => [name, given[i] ?? undefined]))
      )
      const mode = test.outputs[3] ? { qk_matmul_output_mode: 0 } : {}
      const { Y, present_key, present_value, qk_matmul_output } = onnxAttention(qkv, inputs, { ...mode, ...attributes })
      return [Y, present_key, present_value, qk_matmul_output]
    },
  },
  RotaryEmbedding: {
    since: 23,
    run(qkv, test, [x, cos, sin, positions]) {
      const {
        interleaved = 0,
        num_heads,
        rotary_embedding_dim,
      } = only(test, ['interleaved', 'num_heads', 'rotary_embedding_dim'])
      const y = qkv.rope(x, {
        cos,
        sin,
        interleaved: interleaved === 1,
        ...(positions && { positions }),
        ...(num_heads && { numHeads: num_heads }),
        ...(rotary_embedding_dim && { rotaryDim: rotary_embedding_dim }),
      })
      return [as(x, y)]
    },
  },
  Softmax: {
    since: 13,
    run: (qkv, test, [x]) => [as(x, qkv.softmax(x, { dim: only(test, ['axis']).axis ?? -1 }))],
  },
}

/**
 * Returns the largest error, and a sentence about the first value outside the tolerance. Throws if the output is missing or has another type or dims.
 * @param {Got} got
 * @param {OnnxTensor} want
 * @param {boolean} isCopy true if the output copies inputs, so that it must be exact
 */
function compare(got, want, isCopy) {
  if (!got) throw new Error(`${want.name}: nothing came`)
  if (got.dtype !== want.dtype) throw new Error(`${want.name}: ${got.dtype} came, ${want.dtype} expected`)
  if (`${got.dims}` !== `${want.dims}`)
    throw new Error(`${want.name}: dims (${got.dims}) came, (${want.dims}) expected`)
  const floats = (/** @type {any} */ { data, dims }) => tensor(data, dims).float().data
  const [a, b] = [floats(got), floats(want)]
  const t = isCopy ? 0 : TOLERANCE[want.dtype]
  let largest = 0
  let bad = ''
  b.forEach((/** @type {number} */ x, /** @type {number} */ i) => {
    const error = a[i] === x ? 0 : Math.abs(a[i] - x)
    const isFine = Number.isFinite(x) ? error <= t + t * Math.abs(x) : a[i] === x
    if (!isFine && !bad) bad = `${want.name}: value ${i} is ${a[i]}, ${x} expected`
    largest = Math.max(largest, error)
  })
  return { largest, bad }
}

/**
 * @param {Qkv} qkv
 * @param {Case} test
 * @returns {{ largest: number, bad: string }}
 */
export function runCase(qkv, test) {
  const operator = OPERATORS[test.op]
  if (!operator) throw new Unsupported(`operator ${test.op}`)
  if (test.opset < operator.since) throw new Unsupported(`${test.op} of opset ${test.opset}, before ${operator.since}`)
  const types = [...test.inputs, ...test.outputs].map(x => x?.dtype)
  const got = operator.run(qkv, test, test.inputs)
  if (!types.some(type => type && type in TOLERANCE)) throw new Unsupported(`${test.op} of ${types[0]}`)
  const results = test.outputs.flatMap((want, i) =>
    want ? [compare(got[i], want, want.name.startsWith('present'))] : [],
  )
  if (results.length === 0) throw new Error('no expected output')
  return {
    largest: Math.max(...results.map(({ largest }) => largest)),
    bad: results.find(({ bad }) => bad)?.bad ?? '',
  }
}

/**
 * @param {Qkv} qkv
 * @param {string} folder
 * @param {(line: string) => void} print
 */
export function runFolder(qkv, folder, print) {
  const counts = { pass: 0, fail: 0, unreadable: 0, unsupported: 0 }
  /** @type {Map<string, number>} */
  const reasons = new Map()
  const line = (/** @type {keyof typeof counts} */ kind, /** @type {string} */ name, /** @type {string} */ text) => {
    counts[kind]++
    print(`${kind.padEnd(11)} ${name}  ${text}`)
  }
  for (const { name, read } of findCases(folder)) {
    /** @type {Case[]} */
    let tests
    try {
      tests = read()
    } catch (error) {
      const { message } = /** @type {Error} */ (error)
      if (error instanceof Unsupported) reasons.set(message, (reasons.get(message) ?? 0) + 1)
      line(error instanceof Unsupported ? 'unsupported' : 'unreadable', name, message)
      continue
    }
    for (const test of tests)
      try {
        const { largest, bad } = runCase(qkv, test)
        line(bad ? 'fail' : 'pass', test.name, `largest error ${largest.toExponential(1)}${bad && `: ${bad}`}`)
      } catch (error) {
        const { message } = /** @type {Error} */ (error)
        if (error instanceof Unsupported) reasons.set(message, (reasons.get(message) ?? 0) + 1)
        line(error instanceof Unsupported ? 'unsupported' : 'fail', test.name, message)
      }
  }
  for (const [reason, n] of [...reasons].sort((a, b) => b[1] - a[1])) print(`not supported: ${reason} (${n})`)
  print(
    Object.entries(counts)
      .map(([kind, n]) => `${n} ${kind}`)
      .join(', '),
  )
  return counts
}
