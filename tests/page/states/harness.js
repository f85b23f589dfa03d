// Drives the store of a room in Node with the actions of fast-check, draws after each action, and checks that no state shows a fault.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import 'lit/directives/live.js'
import { load } from 'qkv'
import { loadTexts } from '../../../web/i18n/index.js'
import { fromLink, toLink } from '../../../web/shell/settings-link.js'
import { createStore } from '../../../web/shell/store.js'

export const qkv = await load()

/** @typedef {import('../../../web/shell/room.js').Room<any>} Room */
/** @typedef {import('../../../web/shell/store.js').Store<any>} AnyStore */
/** @typedef {Awaited<ReturnType<typeof openRoom>>} Opened */
/**
 * An action of a Subject, whose `check` is called after it.
 * @template O @typedef {{ name: string, run: (own: O) => unknown }} Act
 */
/**
 * What actions act on: a room, or the whole page.
 * @template O
 * @typedef {object} Subject
 * @property {() => Promise<O>} open
 * @property {fc.Arbitrary<Act<O>>[]} acts
 * @property {(own: O) => Promise<void>} check after each action
 */

const ACTIONS = 60

const nothing = () => {}
const element = () => ({
  classList: { toggle: nothing, add: nothing, remove: nothing },
  style: { setProperty: nothing, removeProperty: nothing },
  dataset: {},
  append: nothing,
  remove: nothing,
})
const parts = {
  document: {
    getElementById: () => null,
    querySelector: () => null,
    querySelectorAll: () => [],
    createElement: element,
    body: element(),
    documentElement: element(),
    baseURI: 'http://localhost/',
  },
  HTMLElement: class {},
  customElements: { define: nothing, get: nothing },
  window: globalThis,
  parent: globalThis,
  location: new URL('http://localhost/'),
  MutationObserver: class {
    observe() {}
  },
  ResizeObserver: class {
    observe() {}
    disconnect() {}
  },
  requestAnimationFrame: () => 0,
  addEventListener: nothing,
  removeEventListener: nothing,
  devicePixelRatio: 1,
}

/** Adds to the globals the few parts of a browser that templates use. @returns {() => void} removes them */
export function giveBrowser() {
  const own = Object.keys(parts).filter(name => !(name in globalThis))
  for (const name of own) Object.assign(globalThis, { [name]: parts[/** @type {keyof typeof parts} */ (name)] })
  return () => {
    for (const name of own) delete (/** @type {any} */ (globalThis)[name])
  }
}

/** For each template, the kind of each value: '' for a text or an attribute, the name for a property, undefined for a listener. @type {WeakMap<TemplateStringsArray, readonly (string | undefined)[]>} */
const knownKinds = new WeakMap()

/** @param {TemplateStringsArray} strings */
function kindsOf(strings) {
  const known = knownKinds.get(strings)
  if (known) return known
  const kinds = strings.map(text =>
    /@[\w-]+=["']?$/.test(text) ? undefined : (/\.([\w-]+)=["']?$/.exec(text)?.[1] ?? ''),
  )
  // Does not check the table of extremes, because it shows on purpose where NaN comes from.
  const own = strings[0].includes('id="extremes"') ? kinds.map(() => undefined) : kinds
  knownKinds.set(strings, own)
  return own
}

/**
 * Checks every template of a picture: texts, attributes, and the properties of its elements. Waits for parts that are loaded later.
 * @param {unknown} picture
 * @param {(properties: Record<string, any>) => void} look at the properties of an element
 * @param {boolean} [isPlain] false if a given number may overflow, so that NaN may be drawn
 */
export async function lookAt(picture, look, isPlain = true) {
  let open = [picture]
  while (open.length) {
    /** @type {unknown[]} */
    const later = []
    while (open.length) {
      const value = /** @type {any} */ (open.pop())
      if (Array.isArray(value)) for (const each of value) open.push(each)
      else if (typeof value !== 'object' || value === null) continue
      else if (value.then) later.push(value)
      else if (value._$litDirective$) for (const each of value.values) open.push(each)
      else if (value.strings && value.values) lookAtTemplate(value, open, look, isPlain)
    }
    open = await Promise.all(later)
  }
}

/** @param {any} template @param {unknown[]} open receives the values of the template @param {(properties: Record<string, any>) => void} look @param {boolean} isPlain */
function lookAtTemplate({ strings, values }, open, look, isPlain) {
  const kinds = kindsOf(strings)
  /** @type {Record<string, unknown> | undefined} */
  let properties
  for (let i = 0; i < values.length; i++) {
    const [kind, value] = [kinds[i], values[i]]
    if (kind === '') {
      // Fails if a text outside a link contains undefined, NaN and the like.
      const isBad = typeof value === 'string' ? /\bNaN\b|\bundefined\b|\[object/.test(value) : Number.isNaN(value)
      if (isBad && isPlain && !String(value).startsWith('#'))
        assert.fail(`drawn: ${strings[i].slice(-80)}${String(value).slice(0, 200)}`)
      if (typeof value === 'object') open.push(value)
    } else if (kind !== undefined) {
      properties ??= {}
      properties[kind] = value
    }
  }
  if (properties) look(properties)
}

/** The loaded texts, by language and room. @type {Map<string, any>} */
const knownTexts = new Map()

/**
 * Opens a room whose session runs in this process.
 * @param {Room} room
 * @param {(properties: Record<string, any>) => void} look at the properties of each element
 */
async function openRoom(room, look) {
  /** @type {any[]} */
  const effects = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let frame
  const store = createStore(room, {
    qkv,
    perform: effect => effects.push(effect),
    isLazy: true,
    // Requests are sent when a frame is drawn, as by the shell. Earlier answers may therefore arrive between an action and its requests.
    changed() {
      frame ??= setTimeout(() => {
        frame = undefined
        store.ask()
      })
    },
  })
  store.update(room.enter?.(store.state))
  const { act, travel } = store
  const own = {
    room,
    store,
    act: /** @type {any} */ (act),
    effects,
    language: /** @type {'en' | 'zh'} */ ('en'),
    async draw() {
      const name = `${own.language} ${room.id}`
      // Does not wait for texts that are loaded already, so that a state is drawn before its answers arrive.
      if (!knownTexts.has(name)) knownTexts.set(name, await loadTexts(own.language, ['shell', ...room.texts]))
      const t = knownTexts.get(name)
      store.ask()
      await lookAt(room.draw({ ...store.drawn, t, isDark: false, qkv, act, travel, can: store.can() }), look)
    },
    close() {
      clearTimeout(frame)
      store.close()
    },
  }
  return own
}

/** Returns the settings that a history restores, as a link. @param {Opened} own @param {'undo' | 'place'} history */
const ofHistory = ({ room, store: { state } }, history) =>
  toLink(
    Object.fromEntries(Object.entries(room.fields).filter(([, field]) => field.history === history)),
    state.settings,
  )

/** Fails if a request has failed with a programming error. @param {AnyStore} store */
export function hasNoBug(store) {
  for (const [slot, got] of Object.entries(/** @type {Record<string, any>} */ (store.state.got)))
    if (/undefined|null|not a function|Cannot|outside of/.test(got?.problem?.params?.message ?? ''))
      assert.fail(`${slot} has failed: ${got.problem.params.message}`)
}

/** Checks the invariants of every state of a room. @param {Opened} own */
async function checkRoom(own) {
  const { store, room } = own
  await own.draw()
  hasNoBug(store)
  if (store.canLink()) {
    const link = store.link()
    assert.equal(toLink(room.fields, fromLink(room.fields, link)), link, 'the link is read as it was written')
  }
  if (!store.can().undo) return
  const now = ofHistory(own, 'undo')
  store.travel('undo', 0)
  await own.draw()
  store.travel('undo', 1)
  assert.equal(ofHistory(own, 'undo'), now, 'Redo returns to what was undone')
}

/** Returns the actions of every room: histories, links, the language and the passing of time. @param {Room} room @param {fc.Arbitrary<string>} links @returns {fc.Arbitrary<Act<Opened>>[]} */
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
  fc.constantFrom(/** @type {const} */ ('en'), /** @type {const} */ ('zh')).map(language => ({
    name: `speak ${language}`,
    run: (/** @type {Opened} */ own) => Object.assign(own, { language }),
  })),
  fc.record({ isHidden: fc.boolean(), isStill: fc.boolean(), isNarrow: fc.boolean() }).map(around => ({
    name: `surround ${JSON.stringify(around)}`,
    run: (/** @type {Opened} */ { store }) => store.surround(around),
  })),
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
        return // the shell shows that it is damaged
      }
      store.follow(link)
    },
  })),
]

/**
 * Makes the subject of a room. After any action, the room must be drawn without a fault, its link must describe what it shows, and Undo and Redo
 * must lead back.
 * @param {Room} room
 * @param {object} options
 * @param {Record<string, fc.Arbitrary<any[]>>} options.actions the arguments of each action of the room
 * @param {fc.Arbitrary<string>} options.links
 * @param {fc.Arbitrary<Act<Opened>>[]} [options.more]
 * @param {(own: Opened) => unknown} [options.begin]
 * @param {(own: Opened) => Promise<void>} [options.settled]
 * @param {(own: Opened, properties: Record<string, any>) => void} [options.look] at the properties of each element that is drawn
 * @returns {Subject<Opened>}
 */
export function ofRoom(room, { actions, links, more = [], begin, settled, look = () => {} }) {
  assert.deepEqual(Object.keys(actions).sort(), Object.keys(room.actions).sort(), 'each action has its arguments')
  const acts = Object.entries(actions).map(([name, args]) =>
    args.map(args => ({
      name: `${name}(${args.map(arg => JSON.stringify(arg)).join(', ')})`,
      run: (/** @type {Opened} */ { act }) => act[name](...args),
    })),
  )
  return {
    acts: [...acts, ...common(room, links), ...more],
    async open() {
      const own = /** @type {Opened} */ (await openRoom(room, properties => look(own, properties)))
      await begin?.(own)
      return own
    },
    async check(own) {
      await settled?.(own)
      await checkRoom(own)
    },
  }
}

/** The number of actions that were tried so far. */
let done = 0
export const countOfActions = () => done

/** @template O @implements {fc.AsyncCommand<object, O>} */
class Command {
  /** @param {Act<O>} act @param {Subject<O>['check']} check */
  constructor(act, check) {
    this.name = act.name
    this.act = act.run
    this.checkAfter = check
  }

  check() {
    return true
  }

  /** @param {object} _ @param {O} own */
  async run(_, own) {
    done++
    await this.act(own)
    await this.checkAfter(own)
  }

  toString() {
    return this.name
  }
}

/**
 * Tries random sequences of actions. If one fails, throws with the shortest sequence that fails.
 * @template {{ close: () => void }} O
 * @param {Subject<O>} subject
 * @param {{ runs: number, seed: number }} options
 */
export async function holds({ open, acts, check }, { runs, seed }) {
  const all = acts.map(act => act.map(each => new Command(each, check)))
  await fc.assert(
    fc.asyncProperty(fc.commands(all, { maxCommands: ACTIONS, size: 'max' }), async commands => {
      const own = await open()
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: own }), commands)
      } finally {
        own.close()
      }
    }),
    { numRuns: runs, seed, includeErrorInReport: true },
  )
}
