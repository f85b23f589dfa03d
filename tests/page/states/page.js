// Generates random actions of the whole page: opens and leaves rooms, goes through the browser's history, follows links, changes the language, opens
// exercises and the presenter, and passes data from room to room.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { IDS } from '../../../web/exercises/index.js'
import { loadTexts } from '../../../web/i18n/index.js'
import { fromLink, toLink } from '../../../web/shell/settings-link.js'
import { createShell } from '../../../web/shell/shell.js'
import { MADE, make } from '../../models/gguf/made.js'
import { randomOf as numbersOf } from '../../models/tokenizers/random-files.js'
import { linkOf, randomOf } from '../hostile.js'
import { hasNoBug, lookAt, qkv } from './harness.js'
import { flag, hidesNothing, sentence } from './values.js'

const ROOMS = {
  front: () => import('../../../web/rooms/front/room.js'),
  layer: () => import('../../../web/rooms/layer/room.js'),
  learn: () => import('../../../web/rooms/learn/room.js'),
  models: () => import('../../../web/rooms/models/room.js'),
  exercises: () => import('../../../web/exercises/room.js'),
}
const COMPANIONS = {
  embed: { parameters: ['embed'], load: () => import('../../../web/exercises/embed-companion.js') },
  present: {
    parameters: ['present'],
    isOffered: true,
    load: () => import('../../../web/exercises/present-companion.js'),
  },
  make: { parameters: [], isOffered: true, load: () => import('../../../web/exercises/make-companion.js') },
  figure: { parameters: [], isOffered: true, load: () => import('../../../web/exercises/figure-companion.js') },
  exercise: {
    parameters: ['exercise', 'made', 'nr', 'lang', 'theme', 'hints', 'solution', 'attempts'],
    load: () => import('../../../web/exercises/exercise-companion.js'),
  },
}
const t = await loadTexts('en', ['shell'])
/** The bytes of a small model as a GGUF file. */
const { gguf } = make(MADE[0], 'Q4_K', numbersOf(1))
const turn = () => new Promise(resolve => setTimeout(resolve))

/** @typedef {Awaited<ReturnType<typeof openPage>>} OpenedPage */
/** @typedef {import('./harness.js').Act<OpenedPage>} Act */

async function openPage() {
  const { page } = await import('../../../web/shell/page.js') // imported here, because the page's elements need the parts of a browser
  /** The history of the browser, and the reader's position in it. @type {{ hash: string, entry?: import('../../../web/shell/shell.js').Entry }[]} */
  const entries = [{ hash: '' }]
  let at = 0
  location.hash = ''
  let isDrawn = false
  const nothing = () => {}
  /** The whole page as it was last drawn. @type {unknown} */
  let picture
  const shell = createShell({
    host: {
      draw(drawing) {
        picture = page({ ...drawing, isDark: false })
      },
      drawPlainly: message => assert.fail(`the page is blank but for ${message}`),
      frame: run => void setTimeout(run),
      address: () => location.hash,
      setAddress(hash, entry = entries[at].entry) {
        location.hash = hash
        entries[at] = { hash: location.hash, entry }
      },
      addEntry(hash, entry) {
        location.hash = hash
        entries.splice(++at, Infinity, { hash: location.hash, entry })
      },
      entry: () => entries[at].entry,
      scrolled: () => 0,
      scrollTo: nothing,
      href: () => location.href,
      remember: nothing,
      reveal: nothing,
      focus: nothing,
      show: nothing,
      around: () => ({ isHidden: false, isStill: true, isNarrow: false, sentence: '' }),
      copy: async () => true,
      save: nothing,
    },
    rooms: ROOMS,
    front: 'front',
    home: 'layer',
    aside: ['exercises'],
    opener: 'models',
    companions: COMPANIONS,
    load: async () => qkv,
    language: 'en',
    theme: 'system',
    t,
  })
  /** Draws the page until nothing in it is loading, or until it has tried often enough. Returns the picture. */
  async function drawn() {
    for (let tries = 0; ; tries++) {
      shell.draw()
      let isLoading = shell.state.isWaiting || shell.rooms.get(shell.state.room) === undefined
      const main = JSON.stringify(picture).slice(0, 200_000)
      isLoading ||= main.includes(shell.state.t('loading'))
      if (!isLoading) break
      if (tries > 2000) break // a model may still be loading
      await turn()
      if (shell.rooms.get(shell.state.room) && tries > 20) break
    }
    return picture
  }
  await drawn()
  isDrawn = true
  return {
    shell,
    isDrawn,
    drawn,
    store: () => /** @type {import('./harness.js').AnyStore} */ (shell.rooms.store(shell.state.room)),
    /** Does what a browser does when something other than the page has changed the hash. */
    follow() {
      if (entries[at].hash === location.hash) return
      entries.splice(++at, Infinity, { hash: location.hash })
      shell.follow()
    },
    /** Goes back or forward in the history of the browser. @param {number} by */
    go(by) {
      if (!entries[at + by]) return
      at += by
      location.hash = entries[at].hash
      shell.travelled()
      shell.follow()
    },
    close() {
      for (const id of Object.keys(ROOMS)) shell.rooms.store(id)?.close()
    },
  }
}

/** Checks the invariants of the page. @param {OpenedPage} own */
async function check(own) {
  await turn()
  own.follow()
  const { shell } = own
  await lookAt(await own.drawn(), hidesNothing, false)
  for (const id of Object.keys(ROOMS)) {
    const opened = shell.rooms.get(id)
    if (!opened) continue
    const { store, room } = opened
    hasNoBug(store)
    assert.equal(opened.problem()?.params?.message, undefined, `${id} cannot be drawn`)
    const link = store.link()
    assert.equal(toLink(room.fields, fromLink(room.fields, link)), link, 'the link is read as it was written')
  }
}

/** @param {string} name @param {(own: OpenedPage) => unknown} run @returns {Act} */
const act = (name, run) => ({ name, run })
const rooms = fc.constantFrom(...Object.keys(ROOMS))

/** For each room, a function that types into its text. @type {Record<string, (act: any, text: string) => void>} */
const TYPE = {
  front: (act, text) => act.own(text),
  layer: (act, text) => act.change({ sentence: text }),
  learn: (act, text) => act.ask(text),
  models: (act, text) => act.type(text),
  exercises: (act, text) => act.set({ picked: text }),
}

/** @returns {import('./harness.js').Subject<OpenedPage>} */
export const pageSubject = () => ({
  open: openPage,
  check,
  acts: [
    rooms.map(id => act(`visit ${id}`, ({ shell }) => shell.visit(id))),
    rooms.map(id => act(`visit ${id}`, ({ shell }) => shell.visit(id))),
    fc.constantFrom(-1, 1).map(by => act(`go ${by}`, own => own.go(by))),
    fc
      .constantFrom(/** @type {const} */ ('en'), /** @type {const} */ ('zh'))
      .map(language => act(`speak ${language}`, ({ shell }) => shell.setLanguage(language))),
    fc.constantFrom('present', 'make', 'figure').map(name => act(`summon ${name}`, ({ shell }) => shell.summon(name))),
    fc.integer().map(seed => {
      const hash = linkOf(randomOf(seed))
      return act(`link ${hash}`, () => {
        location.hash = hash
      })
    }),
    fc
      .tuple(fc.constantFrom(...IDS), fc.constantFrom('', '&embed=1', '&present=1', '&lang=zh', '&embed=1&present=1'))
      .map(([id, more]) =>
        act(`exercise ${id}${more}`, () => {
          location.hash = `#2&exercise=${id}${more}`
        }),
      ),
    sentence.map(text => act(`type ${text}`, own => TYPE[own.shell.state.room](own.store().act, text))),
    sentence.map(text => act(`give ${text}`, ({ shell }) => shell.give({ type: 'text', text }))),
    fc
      .constantFrom(
        new File(['a b c'], 'own.txt'),
        new File([gguf], 'x.gguf'),
        new File([gguf.subarray(0, 999)], 'cut.gguf'),
      )
      .map(file => act(`give ${file.name}`, ({ shell }) => shell.give({ type: 'files', files: [file] }))),
    fc.constantFrom('Escape', 'ArrowRight', 'ArrowLeft', '.', 'n', 'p', 'b').map(key =>
      act(`press ${key}`, ({ shell }) => {
        const event = /** @type {any} */ ({ key, target: document.body, preventDefault() {} })
        if (!shell.companions.press(event)) shell.rooms.get(shell.state.room)?.press(key)
      }),
    ),
    fc
      .tuple(fc.constantFrom(/** @type {const} */ ('undo'), /** @type {const} */ ('place')), fc.constantFrom(0, 1))
      .map(([kind, to]) => act(`${kind} ${to}`, ({ shell }) => shell.travel(kind, /** @type {0 | 1} */ (to)))),
    fc.constant(act('reset', ({ shell }) => shell.reset())),
    fc.constant(act('share', ({ shell }) => shell.share())),
    fc
      .record({ isHidden: flag, isStill: flag, isNarrow: flag })
      .map(around => act(`surround ${JSON.stringify(around)}`, ({ shell }) => shell.rooms.surround(around))),
    fc.nat(20).map(ms => act(`wait ${ms}`, () => new Promise(resolve => setTimeout(resolve, ms)))),
  ],
})
