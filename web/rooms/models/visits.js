// Where the inspector has been: a cell of a head, a term of its score, or a number of its query or key; Back and Forward.

/** @typedef {import('./room.js').ModelsRoom} ModelsRoom */
/** @typedef {ModelsRoom} Room */
/** @typedef {{ at: string, cell?: { query: number, key: number }, term?: number, number?: ModelsRoom['number'] }} Place */
/** @typedef {{ past: readonly Place[], future: readonly Place[] }} Visits */

const MOST = 200

/** @param {Room} room @returns {Place} */
const here = ({ linked, cell, term, number }) => ({ at: linked.at, cell, term, number })

/** @param {Room} room @param {Place} place */
function show(room, { at, cell, term, number }) {
  const isSame = at === room.linked.at && room.cell?.query === cell?.query && room.cell?.key === cell?.key
  if (at !== room.linked.at) room.set({ at })
  if (room.head) room.stack = room.head.stack
  room.cell = cell
  room.term = term
  room.number = number
  if (!isSame || !room.traced) room.look()
  else askNumber(room)
}

/** The weights that made the number whose page is open. @param {Room} room */
export function askNumber(room) {
  const { number, traced, head } = room
  room.weightRow = undefined
  if (!number || !traced || !head) return
  const { letter, i } = number
  const own = letter === 'q' ? traced.head : traced.kvHead
  const row = own * traced.q.length + i
  room.asked.number = room.session?.ask({ number: { stack: head.stack, layer: head.layer, letter, row } }) ?? 0
}

/** Shows another place; Back leads to the current one. @param {Room} room @param {Partial<Place>} patch */
export function visit(room, patch) {
  const now = here(room)
  if (now.cell) room.visits = { past: [...room.visits.past, now].slice(-MOST), future: [] }
  show(room, { ...now, term: undefined, number: undefined, ...patch })
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
