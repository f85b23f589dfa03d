// Compares calls on --threads N (default 2) threads with the same calls on one thread. Each takes about a millisecond or more; all operands are
// resident. For memory-bound calls, also measures how much faster N modules copy as many bytes than one module does.

import { load } from '../../../src/entries/index.js'
import {
  add,
  attentionBackward,
  crossEntropy,
  gelu,
  geluBackward,
  layerNorm,
  layerNormBackward,
  linearBackward,
} from '../../../src/entries/nn.js'
import { AdamW, parameters, tape } from '../../../src/entries/train.js'
import { gpt, gptWeights, induction, inductionWeights } from '../../training/small-models.js'
import { prepareApart } from '../apart.js'

/** @import { Qkv } from '../../../src/entries/index.js' */
/** @typedef {ReturnType<Qkv['alloc']>} Resident */
/** Makes a resident tensor of random numbers. @typedef {(...dims: number[]) => Resident} Take */

/** @param {number[]} sizes B, H, L, D @param {object} [options] @returns {(qkv: Qkv, take: Take) => () => unknown} */
const differentiate = (sizes, options) => (qkv, take) => {
  const [q, k, v, dOutput, dQ, dK, dV] = Array.from({ length: 7 }, () => take(...sizes))
  return () => attentionBackward(qkv, q, k, v, dOutput, { ...options, out: { dQ, dK, dV } })
}

/** @param {number} M @param {number} K @param {number} N @returns {(qkv: Qkv, take: Take) => () => unknown} */
const linear = (M, K, N) => (qkv, take) => {
  const [x, w, dY] = [take(M, K), take(N, K), take(M, N)]
  const out = { dX: take(M, K), dWeight: take(N, K), dBias: take(N) }
  return () => linearBackward(qkv, x, w, dY, { out })
}

/**
 * Makes a whole step of training: batch 64, T 32, d 64, 4 heads, 2 layers.
 * @param {typeof gpt | typeof induction} model
 * @param {typeof gptWeights} weights
 * @returns {(qkv: Qkv) => () => unknown}
 */
const step = (model, weights) => qkv => {
  const sizes = { numHeads: 4, d: 64, V: 64, T: 32 }
  const g = qkv.generator(1)
  const p = parameters(qkv, weights(g, sizes))
  const optimizer = new AdamW(p)
  const ids = g.randint(0, 64, [64, 32])
  return () => {
    tape(qkv, p, t => t.crossEntropy(model(t, p.values, ids, sizes), ids)).backward()
    optimizer.step()
  }
}

/** The measured calls. `megabytes`, of memory-bound calls only: what the call reads and writes. @type {[name: string, make: (qkv: Qkv, take: Take) => () => unknown, megabytes?: number][]} */
const CALLS = [
  ['trace H4 L512 D64, weights only', trace(4, 512)],
  ['trace H2 L128 D64, weights only', trace(2, 128)],
  ['attentionBackward H12 L512 D64', differentiate([1, 12, 512, 64])],
  ['attentionBackward H12 L512 D64 causal', differentiate([1, 12, 512, 64], { causal: true })],
  ['attentionBackward B64 H4 L32 D16', differentiate([64, 4, 32, 16])],
  ['linearBackward 2048 x 512 by 512', linear(2048, 512, 512)],
  ['linearBackward 2048 x 64 by 64', linear(2048, 64, 64)],
  [
    'layerNorm 2048 x 768',
    (qkv, take) => {
      const [x, out, w, b] = [take(2048, 768), take(2048, 768), take(768), take(768)]
      return () => layerNorm(qkv, x, w, b, { out })
    },
    12.6,
  ],
  [
    'layerNormBackward 2048 x 768',
    (qkv, take) => {
      const [x, dY, dX] = [0, 1, 2].map(() => take(2048, 768))
      const [w, dWeight, dBias] = [0, 1, 2].map(() => take(768))
      return () => layerNormBackward(qkv, x, w, dY, { out: { dX, dWeight, dBias } })
    },
    18.9,
  ],
  [
    'gelu 2048 x 768',
    (qkv, take) => {
      const [x, out] = [take(2048, 768), take(2048, 768)]
      return () => gelu(qkv, x, { out })
    },
    12.6,
  ],
  [
    'geluBackward 2048 x 768',
    (qkv, take) => {
      const [x, dY, dX] = [0, 1, 2].map(() => take(2048, 768))
      return () => geluBackward(qkv, x, dY, { out: { dX } })
    },
    18.9,
  ],
  [
    'add 2048 x 768',
    (qkv, take) => {
      const [a, b, out] = [0, 1, 2].map(() => take(2048, 768))
      return () => add(qkv, a, b, { out })
    },
    18.9,
  ],
  [
    'softmax 6144 x 512',
    (qkv, take) => {
      const [x, out] = [take(6144, 512), take(6144, 512)]
      return () => qkv.softmax(x, { out })
    },
    25.2,
  ],
  [
    'crossEntropy 64 x 50257',
    (qkv, take) => {
      const [logits, out] = [take(64, 50257), take(64, 50257)]
      const targets = qkv.generator(1).randint(0, 50257, [64])
      return () => crossEntropy(qkv, logits, targets, { gradient: true, out })
    },
    25.7,
  ],
  [
    'AdamW, 1.5 million parameters',
    qkv => {
      const optimizer = new AdamW(parameters(qkv, { w: qkv.generator(1).randn([2048, 768]) }))
      return () => optimizer.step()
    },
    44,
  ],
  ['a step of training, attention alone', step(induction, inductionWeights)],
  ['a step of training, with MLP', step(gpt, gptWeights)],
]

/** @param {number} H @param {number} L @returns {(qkv: Qkv, take: Take) => () => unknown} */
function trace(H, L) {
  return (qkv, take) => {
    const [q, k, v] = [0, 1, 2].map(() => take(H, L, 64))
    return () => qkv.trace(q, k, v, { keep: ['weights'] })
  }
}

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* units({ limits, wasm, threads: given, shape }) {
  const threads = Math.max(2, given)
  for (const [name, make, megabytes] of CALLS) {
    if (!name.includes(shape)) continue
    const modules = [await load(), await load({ threads })] // fresh modules, so that the memory of each call is freed with them
    const [other, ours] = modules.map(qkv => {
      const g = qkv.generator(1)
      const take = (/** @type {number[]} */ ...dims) => {
        const { data } = g.randn(dims) // may move the memory behind x.data
        const x = qkv.alloc(dims)
        x.data.set(data)
        return x
      }
      return { run: make(qkv, take) }
    })
    yield {
      name: `${name}, ${modules[1].threads} threads`,
      ours,
      beside: 'one thread',
      other,
      isSpeedup: true,
      goal: '>= 1.75',
      dispose: () => modules[1].dispose(),
    }
    if (!megabytes) continue
    const bytes = megabytes * 1e6
    const apart = await prepareApart({ wasm, bytes: bytes / threads }, threads)
    yield {
      name: `${name}: a copy of ${megabytes} MB by ${threads} modules at once`,
      ours: apart,
      beside: 'by one',
      other: await limits.copies(bytes),
      isSpeedup: true,
      goal: 'the limit of the row above',
      dispose: apart.dispose,
    }
  }
}
