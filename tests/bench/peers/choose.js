// Chooses a peer's best way to do a task: tries all, and keeps the fastest with right results.

/** @import { Candidate, Task } from '../task.js' */
/** @typedef {(task: Task) => Record<string, () => Candidate | Promise<Candidate>>} Peer */
/** @typedef {{ candidate: Candidate, error: number } | { failure: string }} Choice */

const TRIES = 3
const LARGEST_ERROR = 1e-3 // an operator that differs more from float64 computes another formula

/** @typedef {{ threads?: number, from?: string }} Place from: where a browser finds the files of the packages */

/** @type {[string, () => Promise<{ open: (place: Place) => Promise<Peer> }>][]} */
const PEERS = [
  ['onnxruntime-web', () => import('./onnxruntime.js')],
  ['tfjs-wasm', () => import('./tfjs.js')],
  ['jax-js', () => import('./jax.js')],
]

/**
 * Loads the peers. Returns for each name the peer, or the error that prevented loading.
 * @param {Place} [place]
 */
export function openPeers(place = {}) {
  const open = PEERS.map(async ([name, module]) => {
    const peer = await module()
      .then(({ open }) => open(place))
      .catch(error => ({ failure: short(error) }))
    return /** @type {const} */ ([name, peer])
  })
  return Promise.all(open)
}

/**
 * @param {Peer | { failure: string }} peer
 * @param {Task} task
 * @param {(output: Float32Array) => number} errorOf
 * @param {number} limit milliseconds; a candidate that takes longer is not tried again
 * @returns {Promise<Choice>}
 */
export async function choose(peer, task, errorOf, limit) {
  if ('failure' in peer) return peer
  /** @type {Map<string, string[]>} the operators that failed, by the message of their failure */
  const failures = new Map()
  /** @type {{ candidate: Candidate, error: number, time: number }[]} */
  const working = []
  for (const [op, make] of Object.entries(peer(task)))
    try {
      const candidate = await make()
      working.push({ candidate, ...(await trial(candidate, errorOf, limit)) })
    } catch (error) {
      failures.set(short(error), [...(failures.get(short(error)) ?? []), op])
    }
  working.sort((a, b) => a.time - b.time)
  for (const { candidate } of working.slice(1)) await candidate.dispose?.()
  return working[0] ?? { failure: [...failures].map(([what, ops]) => `${ops.join(', ')}: ${what}`).join('; ') }
}

/** @param {Candidate} candidate @param {(output: Float32Array) => number} errorOf @param {number} limit */
async function trial(candidate, errorOf, limit) {
  let start = performance.now()
  const error = errorOf(await candidate.output())
  let time = performance.now() - start
  if (!(error <= LARGEST_ERROR)) {
    await candidate.dispose?.()
    throw new Error(`wrong by ${error.toExponential(1)}`)
  }
  for (let i = 0; i < TRIES && time <= limit; i++) {
    start = performance.now()
    await candidate.run()
    time = Math.min(time, performance.now() - start)
  }
  return { error, time }
}

/** Returns the message of an error without onnxruntime's paths and signatures. @param {unknown} error */
function short(error) {
  const message = String(/** @type {Error} */ (error)?.message ?? error)
  const [line] = message.replace(/^.*(ERROR_MESSAGE: |\(\) )/, '').split('\n')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
