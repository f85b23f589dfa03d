// CodeGen: GPT-J whose q, v and k are stored in one weight, a quarter of the heads at a time.

import { describe as gptj } from './gptj.js'

/** @import { Config } from '../config/config.js' */

export { ALIASES, DEFAULTS } from './gptj.js'

const PARTS = 4
/** Position of q, k and v among the three blocks of rows in each quarter of the weight. */
const PLACES = [0, 2, 1]

/** @param {Config} c */
export const describe = c =>
  gptj(c, (at, d, { numHeads: heads }) => {
    if (heads % PARTS) throw new RangeError(`config.json: n_head: expected a multiple of ${PARTS}, got ${heads}`)
    const size = d / PARTS // rows for a quarter of the heads
    const [q, k, v] = PLACES.map((place, part) => ({
      name: `${at}qkv_proj`,
      out: d,
      in: d,
      of: 3 * d,
      part,
      row: (/** @type {number} */ n) => (Math.floor(n / size) * 3 + place) * size + (n % size),
    }))
    return { q, k, v, o: { name: `${at}out_proj`, out: d, in: d } }
  })
