// Measures whole training steps on one thread and on --threads N (default 2), interleaved with PyTorch on one thread.

import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/entries/index.js'
import { Adam, parameters, tape } from '../../../src/entries/train.js'
import { induction, inductionWeights } from '../../training/small-models.js'

const PYTHON = '/usr/bin/python3'
const MODELS = fileURLToPath(new URL('../../training/models.py', import.meta.url))

/** [name, batch, sizes, goal] @type {[string, number, import('../../training/small-models.js').Sizes, string][]} */
const STEPS = [
  ['induction recipe, B32 T24 d32', 32, { numHeads: 2, d: 32, V: 32, T: 24 }, '<= 6 ms, PyTorch / ours >= 1'],
  ['B64 T32 d64, 4 heads, 2 layers, Adam', 64, { numHeads: 4, d: 64, V: 64, T: 32 }, '<= 14 ms'],
]

/**
 * Starts a process that runs the same step in PyTorch on each call of `run`. Returns undefined if PyTorch is not installed.
 * @param {Record<string, any>} state
 * @param {{ data: Int32Array, dims: readonly number[] }} ids
 * @param {number} heads
 */
async function openPyTorch(state, { data, dims: [B, T] }, heads) {
  if (spawnSync(PYTHON, ['-c', 'import torch']).status !== 0) return undefined
  const rows = Array.from({ length: B }, (_, b) => [...data.subarray(b * T, (b + 1) * T)])
  const job = {
    turns: true,
    model: 'induction',
    seed: 5,
    heads,
    clip: 0,
    optimizer: { name: 'Adam' },
    state: Object.fromEntries(Object.entries(state).map(([name, { data, dims }]) => [name, { data: [...data], dims }])),
    batches: [{ ids: rows, targets: rows }],
  }
  const child = spawn(PYTHON, [MODELS], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (/** @type {string} */ line) => {
    child.stdin.write(`${line}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`${MODELS} ended`)
    return value
  }
  const title = await ask(JSON.stringify(job))
  return { title, run: () => ask(''), dispose: () => child.kill() }
}

/** @param {import('../only.js').Means} means @returns {AsyncGenerator<import('../only.js').Comparison>} */
export async function* steps({ threads, shape }) {
  for (const [name, B, sizes, goal] of STEPS) {
    if (!name.includes(shape)) continue
    for (const count of [1, Math.max(2, threads)]) {
      const qkv = await load({ threads: count })
      const g = qkv.generator(1)
      const state = inductionWeights(g, sizes)
      const ids = g.randint(0, sizes.V, [B, sizes.T])
      const peer = await openPyTorch(state, ids, sizes.numHeads)
      const p = parameters(qkv, state)
      const optimizer = new Adam(p)
      const run = () => {
        tape(qkv, p, t => t.crossEntropy(induction(t, p.values, ids, sizes), ids)).backward()
        optimizer.step()
      }
      const dispose = () => {
        peer?.dispose()
        qkv.dispose()
      }
      const beside = peer ? `${peer.title}, 1 thread` : `no PyTorch in ${PYTHON}: apt-get install python3-torch`
      const means = { beside, other: peer, isSpeedup: true, dispose }
      yield { name: `${name}, ${count} thread${count > 1 ? 's' : ''}`, ours: { run }, goal, ...means }
    }
  }
}
