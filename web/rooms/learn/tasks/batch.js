// The batch that a task gives to a model, and random draws shared by several tasks. Each draw equals PyTorch's, in the order of the
// exported PyTorch program.

/** @import { Generator } from 'qkv' */

/**
 * A batch of B sequences.
 * @typedef {object} Batch
 * @property {number} B
 * @property {number} T length of the input
 * @property {number} L length of the target: T, except for translation
 * @property {Int32Array} ids (B, T): the input
 * @property {Int32Array} [previous] (B, L): the target shifted by one; translation only
 * @property {Int32Array} targets (B, L): tokens to predict; -1 for none
 * @property {Int32Array} sources (B, L): the position of the answer; -1 for none
 * @property {Int32Array} [others] (B, L): another equally good position; -1 for none
 * @property {readonly number[]} [lengths] (B): ids before the padding; default all
 */

/**
 * Sequences for training, or held-out ones. Held-out sequences have lengths that no training sequence has. For a text, they come from its
 * last tenth.
 * @typedef {'train' | 'heldOut'} Split
 */

/** Default settings shared by the tasks. */
export const COMMON = {
  heads: 1,
  d: 32,
  norm: false,
  mlp: 0,
  batch: 32,
  warmup: 20,
  decay: false,
  seed: 0,
}

/** Returns the sizes of a task on numbers below V, with V as an additional input symbol. @type {import('./task.js').Task['shape']} */
export const shapeWithSign = ({ V, T }) => ({ inputs: V + 1, outputs: V, V, T, L: T })

/**
 * Draws B permutations of 0 to V - 1: torch.rand(B, V).sort(dim=1, stable=True)[1].
 * @param {Generator} generator
 * @param {number} B
 * @param {number} V
 * @returns {Int32Array[]}
 */
export function permutations(generator, B, V) {
  const { data } = generator.rand([B, V])
  return Array.from({ length: B }, (_, b) => {
    const keys = data.subarray(b * V, (b + 1) * V)
    return Int32Array.from({ length: V }, (_, i) => i).sort((i, j) => keys[i] - keys[j] || i - j)
  })
}

/**
 * Converts uniforms to integers below a limit: (torch.rand(B) * limits).long().clamp(max=limits - 1).
 * @param {ArrayLike<number>} uniforms
 * @param {(i: number) => number} limit
 */
export const below = (uniforms, limit) =>
  Int32Array.from(uniforms, (u, i) => Math.min(Math.floor(Math.fround(u * limit(i))), limit(i) - 1))

/** Draws a length for each of B sequences. @param {Generator} generator @param {readonly number[]} lengths @param {number} B */
export const drawLengths = (generator, lengths, B) =>
  Array.from(generator.randint(0, lengths.length, [B]).data, i => lengths[i])

/** Returns the position of the largest number, relative to `from`. @param {Float32Array} data @param {number} from @param {number} n */
export function argmax(data, from, n) {
  let best = 0
  for (let i = 1; i < n; i++) if (data[from + i] > data[from + best]) best = i
  return best
}

/** Runs the model on one sequence of T ids. @param {import('./task.js').Run} run @param {Int32Array} ids */
export function forwardOf({ forward, shape: { T } }, ids) {
  const targets = new Int32Array(T).fill(-1)
  targets[0] = 0 // the loss needs at least one target
  return forward({ B: 1, T, L: T, ids, targets, sources: new Int32Array(T).fill(-1) })
}

/**
 * Answers at every position of the input in one forward pass.
 * @param {import('./task.js').Run} run
 * @param {readonly number[]} ids
 * @returns {import('./task.js').Answered}
 */
export function answerInPlace(run, ids) {
  const row = new Int32Array(run.shape.T)
  row.set(ids)
  return { forward: forwardOf(run, row), from: 0, to: ids.length, inputs: ids }
}
