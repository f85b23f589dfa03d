// A bias of attention scores by distance, as an operation of a tape.

import { shape } from '../../base/errors.js'
import { checkDims } from '../../base/tensor.js'
import { prepareRows } from '../embedding/embedding.js'
import { toOperation } from '../operation.js'

/**
 * Prepares the operation bias[h, i, j] = table[h, clamp(i - j, 0, T - 1)], with a table (H, T) for T distances.
 * @type {import('../operation.js').Prepare}
 */
function prepare(core, [{ dims }], { L, S }, where) {
  const [H, T] = dims
  if (dims.length !== 2) throw new RangeError(`${where}: table: expected dims (H, T), got ${shape(dims)}`)
  checkDims([H, L, S], `${where}: (H, L, S)`)
  const ids = Int32Array.from({ length: H * L * S }, (_, n) => {
    const distance = (Math.floor(n / S) % L) - (n % S)
    return Math.floor(n / S / L) * T + Math.max(0, Math.min(T - 1, distance))
  })
  const rows = prepareRows(core, [H * T, 1], [H, L, S], undefined, where)
  return { ...rows, dims: [H, L, S], run: (at, y, saved) => rows.run(at, y, saved, ids) }
}

export const relativeBias = toOperation(['table'], { options: ['L', 'S'], prepare })
