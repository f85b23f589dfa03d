// Generates random actions of Learn. Makes its tasks small, so that a sequence trains in no time.

import fc from 'fast-check'
import { VIEW_NAMES } from '../../../web/attention-head/views/index.js'
import { POSITIONS } from '../../../web/rooms/learn/fields.js'
import { room as learn } from '../../../web/rooms/learn/room.js'
import { isRunning } from '../../../web/rooms/learn/run-state.js'
import { handlers as learnHandlers } from '../../../web/rooms/learn/session.js'
import { TASKS } from '../../../web/rooms/learn/tasks/index.js'
import { defaultsOf, toLink } from '../../../web/shell/settings-link.js'
import { ofRoom } from './harness.js'
import {
  answered,
  change,
  changes,
  flag,
  hidesNothing,
  index,
  inNode,
  maybe,
  orNull,
  saved,
  sentence,
  turn,
  wordAt,
} from './values.js'

const probe = fc.oneof(
  fc.array(fc.nat(70), { maxLength: 20 }).map(all => all.join(' ')),
  fc.array(fc.constantFrom('der', 'alte', 'Hund', 'the', 'x'), { maxLength: 9 }).map(all => all.join(' ')),
  sentence,
)
/** Sizes that train in no time. */
const small = fc.record(
  {
    layers: fc.constantFrom(1, 2, 5, 'x'),
    heads: fc.constantFrom(1, 2, 3, 0),
    d: fc.constantFrom(8, 12, 16, 7),
    positions: fc.constantFrom(...POSITIONS),
    mlp: fc.constantFrom(0, 8, ''),
    norm: flag,
    steps: fc.constantFrom(20, 40, -1),
    batch: fc.constantFrom(4, 8, 1e9),
    rate: fc.constantFrom(0.01, '0,01', 0, 1),
    seed: fc.nat(3),
  },
  { requiredKeys: [] },
)
const tiny = { layers: 1, heads: 2, d: 8, batch: 4, steps: 20 }
for (const { defaults } of Object.values(TASKS)) Object.assign(defaults, { d: 16, batch: 8, steps: 40 })

const task = fc.constantFrom(...Object.keys(TASKS))
/** Waits until all requests are answered; pauses a run that is not done after a while. */
const pause = fc.nat(4).map(turns => ({
  name: `wait ${turns}`,
  run: (/** @type {import('./harness.js').Opened} */ own) =>
    answered(own, turn => {
      if (turn >= turns && isRunning(/** @type {any} */ (own.store.state))) own.act.train()
    }),
}))

export const learnSubject = () =>
  ofRoom(inNode(learn, learnHandlers), {
    look: (_, properties) => hidesNothing(properties),
    links: fc.tuple(task, small, probe, change, index, index).map(([task, patch, probe, own, why, head]) => {
      const settings = {
        ...defaultsOf({ ...learn.fields, task: { ...learn.fields.task, default: task } }),
        ...tiny,
        ...patch,
      }
      return toLink(learn.fields, { ...settings, probe, changes: [own], why, head: `${head}.${why}`, trained: why })
    }),
    begin: ({ act }) => act.set(tiny),
    settled: turn,
    actions: {
      choose: fc.tuple(task),
      set: fc.tuple(small),
      type: fc.tuple(fc.constantFrom('', 'a short text', 'the cat sat on the mat and slept. '.repeat(90))),
      train: fc.constant([]),
      step: fc.constant([]),
      restart: fc.constant([]),
      goTo: fc.tuple(orNull(fc.constantFrom(0, 20, 999))),
      ask: fc.tuple(probe),
      explain: fc.tuple(orNull(index)),
      select: fc.tuple(fc.nat(3), fc.nat(4)),
      change: fc.tuple(changes),
      factor: fc.tuple(fc.nat(3), fc.nat(4)),
      keep: fc.tuple(fc.constantFrom('run', 'step')),
      against: fc.tuple(small),
      openLayer: fc.tuple(fc.nat(0), fc.nat(1), fc.constant('back')),
      open: fc.tuple(fc.constantFrom([], [new File(['x'], 'a.safetensors')])),
      saveModel: fc.tuple(flag),
      save: saved,
      copy: fc.constant(['a']),
      copyLink: fc.constant([]),
      tell: fc.tuple(orNull(fc.nat(2))),
      show: fc.tuple(
        fc.record(
          {
            pace: fc.constantFrom('full', 'ten'),
            picture: fc.constantFrom(...VIEW_NAMES),
            mode: fc.constantFrom('read', 'paint'),
            word: maybe(wordAt),
            whyToken: index,
            whyHead: fc.constantFrom('', '1.1', '9.9'),
            gradientAt: orNull(fc.constantFrom(0, 20, 999)),
            isTable: flag,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    more: [pause, pause, pause],
  })
