// Where the inspector has been: a cell of a head, or a term of its score; Back and Forward.

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {{ at: string, cell?: { query: number, key: number }, term?: number }} Place */
/** @typedef {{ past: readonly Place[], future: readonly Place[] }} Visits */

const MOST = 200

/** @param {Room} room @returns {Place} */
const here = ({ linked, cell, term }) => ({ at: linked.at, cell, term })

/** @param {Room} room @param {Place} place */
function show(room, { at, cell, term }) {
  const isSame = at === room.linked.at && room.cell?.query === cell?.query && room.cell?.key === cell?.key
  if (at !== room.linked.at) room.set({ at })
  if (room.head) room.stack = room.head.stack
  room.cell = cell
  room.term = term
  if (!isSame || !room.traced) room.look()
}

/** Shows another place; Back leads to the current one. @param {Room} room @param {Partial<Place>} patch */
export function visit(room, patch) {
  const now = here(room)
  if (now.cell) room.visits = { past: [...room.visits.past, now].slice(-MOST), future: [] }
  show(room, { ...now, term: undefined, ...patch })
}

/** @param {Room} room */
export function back(room) {
  const { past, future } = room.visits
  const place = past.at(-1)
  if (!place) return
  room.visits = { past: past.slice(0, -1), future: [here(room), ...future] }
  show(room, place)
}

/** @param {Room} room */
export function forward(room) {
  const { past, future } = room.visits
  const [place, ...rest] = future
  if (!place) return
  room.visits = { past: [...past, here(room)], future: rest }
  show(room, place)
}
