// Tries random sequences of actions on the stores of all rooms for a given time, in Node. `states.test.js` tries a few of them.
//   npm run states -- --seed 7 --minutes 60 [--runs 20000] [--room layer]

import { parseArgs } from 'node:util'
import { giveEnglishModel } from './english-model.js'
import { countOfActions, giveBrowser, holds } from './states/harness.js'
import { layerSubject } from './states/layer.js'
import { learnSubject } from './states/learn.js'
import { modelsSubject } from './states/models.js'
import { pageSubject } from './states/page.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    runs: { type: 'string', default: '20000' },
    room: { type: 'string' },
  },
})
const [SEED, MINUTES, RUNS] = [values.seed, values.minutes, values.runs].map(Number)
/** Number of sequences that are tried in one room before the next room's turn. */
const BATCH = 20

giveBrowser()
giveEnglishModel()
/** @type {Record<string, () => import('./states/harness.js').Subject<any>>} */
const subjects = { layer: layerSubject, learn: learnSubject, models: modelsSubject, page: pageSubject }
const rooms = Object.keys(subjects).filter(room => !values.room || room === values.room)
const made = new Map(rooms.map(room => [room, subjects[room]()]))

const start = performance.now()
let failures = 0
let runs = 0
/** Prints the summary also when the program is ended by SIGTERM. */
process.on('SIGTERM', () => process.exit(say()))
for (let batch = 0; runs < RUNS && performance.now() - start < MINUTES * 60_000; batch++) {
  const room = rooms[batch % rooms.length]
  const seed = SEED + batch
  try {
    await holds(/** @type {any} */ (made.get(room)), { runs: BATCH, seed })
  } catch (error) {
    failures++
    console.log(`FAILED seed ${seed} room ${room}: ${error instanceof Error ? error.message : error}`)
  }
  runs += BATCH
}
process.exit(say())

/** Prints a summary. Returns the exit status. */
function say() {
  const { user, system } = process.cpuUsage()
  const [wall, own] = [performance.now() - start, (user + system) / 1000].map(ms => (ms / 60_000).toFixed(2))
  console.log(
    `${failures ? `${failures} failed` : 'all held'}: ${runs} sequences of ${rooms.join(', ')}, ${countOfActions()} actions, ` +
      `seeds ${SEED} to ${SEED + runs / BATCH - 1}, ${wall} minutes, ${own} of the processor`,
  )
  return failures ? 1 : 0
}
