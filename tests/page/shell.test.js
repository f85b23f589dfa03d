// The shell around the rooms, without a browser: the address, rooms that are opened and left, what they give each other, errors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { load } from 'qkv'
import { loadTexts } from '../../web/i18n/index.js'
import { count, text } from '../../web/shell/kinds.js'
import { readHash, writeHash } from '../../web/shell/link.js'
import { createShell } from '../../web/shell/shell.js'

const t = await loadTexts('en', ['shell'])

/** A room with a sentence. @param {string} id @param {Partial<import('../../web/shell/room.js').Room<any>>} [others] @returns {import('../../web/shell/room.js').Room<any>} */
const roomOf = (id, others = {}) => ({
  id,
  texts: [],
  fields: {
    sentence: { kind: text(), default: 'one', history: 'undo' },
    selected: { kind: count(), default: null, history: 'place' },
  },
  view: {},
  actions: {
    type: (_, sentence) => ({
      set: { sentence },
      effects: [{ type: 'offer', what: { type: 'sentence', text: sentence } }],
    }),
    open: (_, to) => ({
      effects: [{ type: 'handOver', to, what: { type: 'head', tensors: {}, head: 0, from: 'back' } }],
    }),
  },
  needs: () => [],
  take: (_, what) => (what.type === 'sentence' ? { set: { sentence: what.text } } : { view: { taken: what.type } }),
  leave: () => ({ view: { wasLeft: true } }),
  sentence: ({ settings }) => settings.sentence,
  note: ({ view }) => (view.wasLeft ? 'paused' : ''),
  keys: { Escape: () => ({ set: { selected: null } }) },
  session: { worker: () => assert.fail('no worker here'), handlers: () => ({}) },
  draw: ({ settings }) => {
    if (settings.sentence === 'broken') throw new Error('this breaks')
    return /** @type {any} */ (settings.sentence)
  },
  ...others,
})

/** Waits for a state. @param {() => unknown} isTrue */
async function until(isTrue) {
  for (let tries = 0; !isTrue(); tries++) {
    assert.ok(tries < 2000, `${isTrue} never came true`)
    await wait(5)
  }
}

/** A shell with two rooms in a browser that is none. @param {string} [hash] @param {Record<string, any>} [rooms] */
async function start(hash = '', rooms = { first: roomOf('first'), second: roomOf('second') }) {
  const seen = {
    hash,
    pictures: /** @type {any[]} */ ([]),
    plain: '',
    copied: '',
    remembered: /** @type {any} */ (undefined),
  }
  const nothing = () => {}
  const shell = createShell({
    host: {
      draw: drawing => seen.pictures.push(drawing.shell.rooms.draw(drawing.room, { ...drawing, isDark: false })),
      drawPlainly: message => {
        seen.plain = message
      },
      frame: run => void setTimeout(run),
      address: () => seen.hash,
      setAddress: address => {
        seen.hash = address
      },
      href: () => `page${seen.hash}`,
      remember: choices => {
        seen.remembered = choices
      },
      reveal: nothing,
      focus: nothing,
      show: nothing,
      toTop: nothing,
      around: () => ({ isHidden: false, isStill: true, isNarrow: false, sentence: '' }),
      copy: async copied => {
        seen.copied = copied
        return true
      },
      save: nothing,
    },
    rooms: Object.fromEntries(Object.keys(rooms).map(id => [id, async () => ({ room: await rooms[id] })])),
    load,
    language: 'en',
    theme: 'system',
    t,
  })
  const picture = () => JSON.stringify(seen.pictures.at(-1))
  shell.draw()
  await until(() => !picture().includes('Loading'))
  /** @param {string} [id] */
  const store = (id = shell.state.room) =>
    /** @type {import('../../web/shell/store.js').Store<any>} */ (shell.rooms.store(id))
  return { shell, seen, store, picture }
}

test('a hash holds the open room and the settings of every room, and a damaged one is noticed', () => {
  const rooms = ['first', 'second']
  const links = { first: 'sentence=a+b', second: 'sentence=%26&selected=3' }
  const hash = writeHash({ front: 'first', home: 'first' }, 'second', links)
  assert.match(hash, /^#2~\w+&room=second&sentence=a\+b&second\.sentence=%26&second\.selected=3$/)
  assert.deepEqual(readHash({ front: 'first', home: 'first' }, rooms, hash), { room: 'second', links, page: {} })
  assert.equal(writeHash({ front: 'first', home: 'first' }, 'first', { first: '' }), '')
  const withPage = { front: 'first', home: 'first', page: ['exercise'] }
  const own = writeHash(withPage, 'second', links, { exercise: 'e1,e2' })
  assert.deepEqual(readHash(withPage, rooms, own), { room: 'second', links, page: { exercise: 'e1,e2' } })
  assert.equal(readHash({ front: 'first', home: 'first' }, rooms, hash.replace('3', '4')).trouble, 'linkDamaged')
  assert.equal(readHash({ front: 'first', home: 'first' }, rooms, hash.slice(0, -1)).trouble, 'linkDamaged')
  assert.equal(readHash({ front: 'first', home: 'first' }, rooms, '#2&third.sentence=1').trouble, 'linkDamaged')
  assert.equal(readHash({ front: 'first', home: 'first' }, rooms, '#2&room=third').trouble, 'linkDamaged')
  assert.equal(
    readHash({ front: 'first', home: 'first' }, rooms, '#1&sentence=1').trouble,
    'linkDamaged',
    'a version that was never published',
  )
  assert.equal(readHash({ front: 'first', home: 'first' }, rooms, '#99&sentence=1').trouble, 'linkNewer')
  assert.deepEqual(readHash({ front: 'first', home: 'first' }, rooms, '#2&second.sentence=x').links, {
    second: 'sentence=x',
  })
})

test('the address follows the rooms, a link opens them, and one field that is wrong is said in its room', async () => {
  const { shell, seen, store } = await start('#2&room=second&sentence=two&second.selected=4')
  assert.equal(shell.state.room, 'second')
  assert.equal(store().state.settings.selected, 4)
  store().act.type('three')
  await until(() => seen.hash.includes('three'))
  assert.deepEqual(readHash({ front: 'first', home: 'first' }, shell.tabs, seen.hash).links, {
    first: 'sentence=two',
    second: 'sentence=three&selected=4',
  })
  seen.hash = '#2&sentence=other&room=first'
  shell.follow()
  await until(() => store('first')?.state.settings.sentence === 'other')
  assert.deepEqual([shell.state.room, store().state.settings.sentence], ['first', 'other'])
  const wrong = await start('#2&selected=abc')
  assert.equal(wrong.store().state.settings.selected, null)
  assert.match(JSON.stringify(wrong.seen.pictures.at(-1)), /linkDamaged/)
  const damaged = await start('#2~zzz&sentence=x')
  assert.deepEqual(damaged.shell.state.notice, { key: 'linkDamaged' })
  assert.equal(damaged.seen.hash, '#2~zzz&sentence=x', 'the address stays, so that it can be mended')
})

test('a room that is left keeps its state and says so on its tab; Undo is that of the open room', async () => {
  const { shell, store } = await start()
  store().act.type('two')
  await shell.enter('second')
  await until(() => shell.rooms.note('first', 'en') === 'paused')
  shell.travel('undo', 0)
  assert.equal(store('first').state.settings.sentence, 'two')
  await shell.enter('first')
  shell.travel('undo', 0)
  assert.equal(store('first').state.settings.sentence, 'one')
  shell.travel('undo', 1)
  shell.reset()
  assert.equal(store('first').state.settings.sentence, 'one')
})

test('the sentence of a room that is left is there in the next', async () => {
  const { shell, store } = await start('#2&sentence=from+a+link')
  await shell.enter('second')
  await until(() => store('second'))
  assert.equal(store('second').state.around.sentence, 'from a link')
  assert.equal(store('second').state.settings.sentence, 'one', 'it was not typed')
})

test('a typed sentence goes along to the next room once; a hand-over opens its room with a button back', async () => {
  const { shell, store } = await start()
  store().act.type('a typed sentence')
  await shell.enter('second')
  await until(() => store('second')?.state.around.sentence === 'a typed sentence')
  assert.equal(store('second').state.settings.sentence, 'a typed sentence')
  assert.equal(store('second').state.around.sentence, 'a typed sentence')
  store('second').act.open('first')
  await until(() => shell.state.from)
  assert.equal(shell.state.room, 'first')
  assert.equal(store('first').state.view.taken, 'head')
  assert.deepEqual(shell.state.from, { room: 'second', text: 'back', to: 'first' })
})

test('what a draw throws is a sentence beside the last good picture, gone with the next settings', async () => {
  const { shell, store, picture } = await start()
  store().act.type('broken')
  await until(() => picture().includes('this breaks'))
  assert.match(picture(), /"one"/, 'the older picture stays')
  store().act.type('whole')
  await until(() => picture().includes('"whole"'))
  assert.doesNotMatch(picture(), /this breaks/)
  shell.fail(new Error('out of memory'))
  await until(() => picture().includes('out of memory'))
})

test('a room that cannot be loaded is a sentence, and is loaded when it is asked for again', async () => {
  /** @type {Record<string, any>} */
  const rooms = { first: Promise.reject(new Error('no such file')) }
  const { shell, picture } = await start('', rooms)
  assert.match(picture(), /no such file/)
  rooms.first = roomOf('first')
  await shell.rooms.open('first')
  shell.draw()
  await until(() => picture().includes('"one"'))
})

test('keys go to the room, Share copies the link, language and theme are remembered', async () => {
  const { shell, seen, store } = await start('#2&selected=4')
  assert.equal(shell.rooms.press('first', 'Escape'), true)
  assert.equal(store().state.settings.selected, null)
  assert.equal(shell.rooms.press('first', 'q'), false)
  store().act.type('two')
  shell.share()
  assert.match(seen.copied, /^page#2~\w+&sentence=two$/)
  await shell.setLanguage('zh')
  shell.setTheme('dark')
  assert.deepEqual([seen.remembered.language, seen.remembered.theme], ['zh', 'dark'])
})
