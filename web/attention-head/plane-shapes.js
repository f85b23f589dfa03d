// Computes the positions of query and key arrows in a picture. Pure.

/** @typedef {{ side: 'queries' | 'keys', position: number, name: string, x: number, y: number, size: number, align: 'left' | 'right', isOwn: boolean }} Arrow x, y: end of the arrow in the picture; size: its length in the plane; isOwn: true for the current query */
/** @typedef {{ data: ArrayLike<number>, dims: readonly number[] }} Points (n, 2) */

/** In pixels: size of the picture, its margin, and the distance between names. */
export const [WIDTH, HEIGHT] = [640, 420]
const [MARGIN, LINE] = [56, 15]

/** @param {Points} points @param {number} i */
const at = ({ data }, i) => [Number(data[2 * i]), Number(data[2 * i + 1])]

/**
 * Returns the dot product of two arrows, their lengths, and the angle between them in degrees.
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 */
function between([ax, ay], [bx, by]) {
  const [sizeA, sizeB] = [Math.hypot(ax, ay), Math.hypot(bx, by)]
  const product = ax * bx + ay * by
  const cosine = sizeA && sizeB ? Math.min(1, Math.max(-1, product / (sizeA * sizeB))) : 0
  return { product, sizeA, sizeB, degrees: (Math.acos(cosine) * 180) / Math.PI }
}

/** @param {Points} q @param {Points} k @param {number} query @param {number} key */
export const pairOf = (q, k, query, key) => between(at(q, query), at(k, key))

/**
 * Returns the origin, an arrow for each key and query, and the places for the names of the keys and of the current query.
 * @param {Points} q
 * @param {Points} k
 * @param {readonly string[]} queries
 * @param {readonly string[]} keys
 * @param {number} query
 */
export function shapesOf(q, k, queries, keys, query) {
  const all = [q, k].flatMap(points => Array.from({ length: points.dims[0] }, (_, i) => at(points, i)))
  const [xs, ys] = [0, 1].map(c => [0, ...all.map(point => point[c])])
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  // The same scale for both axes, so that angles are preserved.
  const scale = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max(right - left, 1e-9),
    (HEIGHT - 2 * MARGIN) / Math.max(high - low, 1e-9),
  )
  const x = (/** @type {number} */ value) => WIDTH / 2 + (value - (left + right) / 2) * scale
  const y = (/** @type {number} */ value) => HEIGHT / 2 - (value - (low + high) / 2) * scale
  /** @param {'queries' | 'keys'} side @param {Points} points @param {readonly string[]} names @returns {Arrow[]} */
  const arrows = (side, points, names) =>
    Array.from({ length: points.dims[0] }, (_, position) => {
      const [a, b] = at(points, position)
      const isOwn = side === 'queries' && position === query
      const align = a < 0 ? 'right' : 'left'
      return { side, position, name: names[position], x: x(a), y: y(b), size: Math.hypot(a, b), align, isOwn }
    })
  const shown = [...arrows('keys', k, keys), ...arrows('queries', q, queries)]
  return {
    origin: { x: x(0), y: y(0) },
    arrows: shown,
    names: apart(shown.filter(({ side, isOwn }) => side === 'keys' || isOwn)),
  }
}

/** Places the names of arrows; moves a name down if it would overlap another with the same alignment. @param {readonly Arrow[]} arrows */
function apart(arrows) {
  /** @type {{ arrow: Arrow, x: number, y: number }[]} */
  const placed = []
  for (const arrow of [...arrows].sort((a, b) => a.y - b.y)) {
    const x = arrow.x + (arrow.align === 'left' ? 8 : -8)
    let { y } = arrow
    for (const other of placed)
      if (Math.abs(other.x - x) < 70 && other.arrow.align === arrow.align && y < other.y + LINE && y > other.y - LINE)
        y = other.y + LINE
    placed.push({ arrow, x, y })
  }
  return placed
}
