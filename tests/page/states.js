// This module drives the store of a room in Node with the actions of fast-check, draws after each, and looks for what no state
// may show.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import fc from 'fast-check'
import 'lit/directives/live.js'
import { load } from 'qkv'
import { loadTexts } from '../../web/i18n/index.js'
import { fromLink, toLink } from '../../web/shell/settings-link.js'
import { createStore } from '../../web/shell/store.js'

export const qkv = await load()

/** @typedef {import('../../web/shell/room.js').Room<any>} Room */
/** @typedef {import('../../web/shell/store.js').Store<any>} AnyStore */
/** @typedef {{ name: string, run: (own: Opened) => unknown }} Act */
/** @typedef {Awaited<ReturnType<typeof openRoom>>} Opened */

const RUNS = Number(process.env.RUNS ?? 0)
const SEED = Number(process.env.SEED ?? 1)
const ACTIONS = 60

/** Gives what is drawn the few parts of a browser that it looks at. */
export function useNoBrowser() {
  const parts = {
    document: {
      getElementById: () => null,
      querySelector: () => null,
      querySelectorAll: () => [],
      baseURI: 'http://localhost/',
    },
    location: new URL('http://localhost/'),
    MutationObserver: class {
      observe() {}
    },
    requestAnimationFrame: () => 0,
    addEventListener() {},
    removeEventListener() {},
    devicePixelRatio: 1,
  }
  const own = Object.keys(parts).filter(name => !(name in globalThis))
  before(() => {
    for (const name of own) Object.assign(globalThis, { [name]: parts[/** @type {keyof typeof parts} */ (name)] })
  })
  after(() => {
    for (const name of own) delete (/** @type {any} */ (globalThis)[name])
  })
}

/** Everything that a template shows: texts, attributes, and the matrices of its pictures. Parts that are loaded later are waited for. @param {unknown} template */
async function* drawnOf(template) {
  /** @type {unknown[]} */
  const open = [template]
  while (open.length) {
    const value = /** @type {any} */ (open.pop())
    if (Array.isArray(value)) open.push(...value)
    else if (value?.then) open.push(await value)
    else if (value?._$litDirective$) open.push(...value.values)
    else if (value?.strings && value.values) {
      if (value.strings[0].includes('id="extremes"')) continue // which shows what NaN does
      for (let i = 0; i < value.values.length; i++)
        if (!/[.@][\w-]+=["']?$/.test(value.strings[i])) open.push(value.values[i])
      yield value
    }
  }
}

/** No text and no number of a template is one that only a program could mean. @param {any} template */
function values({ strings, values }) {
  for (const [i, value] of values.entries()) {
    const isBad = typeof value === 'string' ? /\bNaN\b|\bundefined\b|\[object/.test(value) : Number.isNaN(value)
    if (isBad) assert.fail(`drawn: ${strings[i].slice(-80)}${String(value).slice(0, 200)}`)
  }
}

/** The properties of the elements that a template writes itself. @param {any} template */
export const propertiesOf = ({ strings, values }) =>
  Object.fromEntries(
    values.flatMap((/** @type {unknown} */ value, /** @type {number} */ i) => {
      const name = /\.([\w-]+)=["']?$/.exec(strings[i])?.[1]
      return name ? [[name, value]] : []
    }),
  )

/**
 * A room whose session runs here.
 * @param {Room} room
 * @param {string} link
 * @param {(template: any) => void} look at each template
 */
export async function openRoom(room, link, look) {
  const t = await loadTexts('en', ['shell', ...room.texts])
  /** @type {any[]} */
  const effects = []
  const store = createStore(room, { qkv, link, perform: effect => effects.push(effect) })
  store.update(room.enter?.(store.state))
  const { act, travel } = store
  return {
    room,
    store,
    act: /** @type {any} */ (act),
    effects,
    async draw() {
      store.ask()
      const picture = room.draw({ ...store.drawn, t, isDark: false, qkv, act, travel, can: store.can() })
      for await (const value of drawnOf(picture)) {
        values(value)
        look(value)
      }
    },
  }
}

/** The settings of a history. @param {Opened} own @param {'undo' | 'place'} history */
const ofHistory = ({ room, store: { state } }, history) =>
  toLink(
    Object.fromEntries(Object.entries(room.fields).filter(([, field]) => field.history === history)),
    state.settings,
  )

/** What holds in every state. @param {Opened} own */
async function check(own) {
  const { store, room } = own
  await own.draw()
  for (const [slot, got] of Object.entries(/** @type {Record<string, any>} */ (store.state.got)))
    if (/undefined|null|not a function|Cannot|outside of/.test(got?.problem?.params?.message ?? ''))
      assert.fail(`${slot} has failed: ${got.problem.params.message}`)
  if (store.canLink()) {
    const link = store.link()
    assert.equal(toLink(room.fields, fromLink(room.fields, link)), link, 'the link is read as it was written')
  }
  if (!store.can().undo) return
  const now = ofHistory(own, 'undo')
  store.travel('undo', 0)
  await own.draw()
  store.travel('undo', 1)
  await own.draw()
  assert.equal(ofHistory(own, 'undo'), now, 'Redo returns to what was undone')
}

/** Histories, links and the passing of time. @param {Room} room @param {fc.Arbitrary<string>} links */
const common = (room, links) => [
  ...['undo', 'place'].flatMap(kind =>
    [0, 1].map(to =>
      fc.constant({
        name: `${kind} ${to}`,
        run: (/** @type {Opened} */ { store }) => store.travel(/** @type {any} */ (kind), /** @type {any} */ (to)),
      }),
    ),
  ),
  fc.constant({ name: 'reset', run: (/** @type {Opened} */ { store }) => store.reset() }),
  fc.constant({
    name: 'leave and enter',
    run(/** @type {Opened} */ { store }) {
      store.update(room.leave?.(store.state))
      store.update(room.enter?.(store.state))
    },
  }),
  ...Object.entries(room.keys ?? {}).map(([key, press]) =>
    fc.constant({ name: `press ${key}`, run: (/** @type {Opened} */ { store }) => store.update(press(store.state)) }),
  ),
  links.map(link => ({
    name: `link ${link}`,
    run(/** @type {Opened} */ { store }) {
      try {
        fromLink(room.fields, link)
      } catch {
        return // the shell says that it is damaged
      }
      store.follow(link)
    },
  })),
]

/** @implements {fc.AsyncCommand<object, Opened>} */
class Command {
  /** @param {Act} act @param {(own: Opened) => Promise<void>} settled */
  constructor(act, settled) {
    this.name = act.name
    this.act = act.run
    this.settled = settled
  }

  check() {
    return true
  }

  /** @param {object} _ @param {Opened} own */
  async run(_, own) {
    await this.act(own)
    await this.settled(own)
    await check(own)
  }

  toString() {
    return this.name
  }
}

/**
 * After any actions the room is drawn, says nothing of a failure, its link says what it shows, and Undo and Redo return.
 * @param {Room} room
 * @param {object} options
 * @param {Record<string, fc.Arbitrary<any[]>>} options.actions the arguments of each action of the room
 * @param {fc.Arbitrary<string>} options.links
 * @param {number} options.runs
 * @param {fc.Arbitrary<Act>[]} [options.more]
 * @param {(own: Opened) => Promise<void>} [options.begin]
 * @param {(own: Opened) => Promise<void>} [options.settled]
 * @param {(template: any) => void} [options.look]
 */
export async function holds(
  room,
  { actions, links, runs, more = [], begin, settled = async () => {}, look = () => {} },
) {
  assert.deepEqual(Object.keys(actions).sort(), Object.keys(room.actions).sort(), 'each action has its arguments')
  const acts = Object.entries(actions).map(([name, args]) =>
    args.map(args => ({
      name: `${name}(${args.map(arg => JSON.stringify(arg)).join(', ')})`,
      run: (/** @type {Opened} */ { act }) => act[name](...args),
    })),
  )
  const all = [...acts, ...common(room, links), ...more].map(act => act.map(each => new Command(each, settled)))
  await fc.assert(
    fc.asyncProperty(fc.commands(all, { maxCommands: ACTIONS, size: 'max' }), async commands => {
      const own = await openRoom(room, '', look)
      try {
        await begin?.(own)
        await fc.asyncModelRun(() => ({ model: {}, real: own }), commands)
      } finally {
        own.store.close()
      }
    }),
    { numRuns: RUNS || runs, seed: SEED, includeErrorInReport: true },
  )
}
