// Tests the shell around the rooms without a browser: the address, rooms that are opened and left, data that they exchange, errors.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { load } from 'qkv'
import { loadTexts } from '../../web/i18n/index.js'
import { count, text } from '../../web/shell/kinds.js'
import { readHash, writeHash } from '../../web/shell/link.js'
import { createShell } from '../../web/shell/shell.js'

const t = await loadTexts('en', ['shell'])

/** Makes a room with a sentence. @param {string} id @param {Partial<import('../../web/shell/room.js').Room<any>>} [others] @returns {import('../../web/shell/room.js').Room<any>} */
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

/**
 * Makes a shell with two rooms and a fake browser.
 * @param {string} [hash] @param {Record<string, any>} [rooms]
 * @param {Record<string, import('../../web/shell/companions.js').CompanionSource>} [companions]
 */
async function start(hash = '', rooms = { first: roomOf('first'), second: roomOf('second') }, companions = {}) {
  const seen = {
    hash,
    pictures: /** @type {any[]} */ ([]),
    plain: '',
    copied: '',
    remembered: /** @type {any} */ (undefined),
    top: 0,
    /** The history of the browser, and the reader's position in it. */
    entries: [{ hash, entry: /** @type {import('../../web/shell/shell.js').Entry | undefined} */ (undefined) }],
    at: 0,
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
      setAddress(address, entry = seen.entries[seen.at].entry) {
        seen.hash = address
        seen.entries[seen.at] = { hash: address, entry }
      },
      addEntry(hash, entry) {
        seen.hash = hash
        seen.entries.splice(++seen.at, Infinity, { hash, entry })
      },
      entry: () => seen.entries[seen.at].entry,
      scrolled: () => seen.top,
      scrollTo: top => {
        seen.top = top
      },
      href: () => `page${seen.hash}`,
      remember: choices => {
        seen.remembered = choices
      },
      reveal: nothing,
      focus: nothing,
      show: nothing,
      around: () => ({ isHidden: false, isStill: true, isNarrow: false, sentence: '' }),
      copy: async copied => {
        seen.copied = copied
        return true
      },
      save: nothing,
    },
    rooms: Object.fromEntries(Object.keys(rooms).map(id => [id, async () => ({ room: await rooms[id] })])),
    companions,
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
  /** Goes back or forward in the history, and calls the listeners of popstate and hashchange as a browser does. @param {number} by */
  function go(by) {
    seen.at += by
    seen.hash = seen.entries[seen.at].hash
    shell.travelled()
    shell.follow()
  }
  return { shell, seen, store, picture, go }
}

/** Makes a promise that resolves when the test releases it. */
function awaited() {
  /** @type {(value: any) => void} */
  let arrive = () => {}
  const promise = new Promise(resolve => {
    arrive = resolve
  })
  return { promise, arrive }
}

test('the language that was chosen last is shown, also when the texts of an older choice arrive later', async () => {
  const { shell } = await start()
  const older = shell.setLanguage('zh') // the texts of zh are loaded from a file, those of en are in memory
  await Promise.all([older, shell.setLanguage('en')])
  assert.equal(shell.state.language, 'en')
})

test('a hash contains the open room and the settings of every room, and a damaged one is detected', () => {
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

test('the address follows the rooms, a link opens them, and one wrong field gives a message in its room', async () => {
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

test('a link that is followed while the address waits to be written is not overwritten before its event', async () => {
  const { shell, seen, store } = await start('#2&sentence=one')
  store().act.type('two') // the address is written after a pause
  const link = '#2&sentence=one&room=second'
  seen.hash = link
  await new Promise(done => setTimeout(done, 300))
  assert.equal(seen.hash, link)
  shell.follow()
  await until(() => store('second') !== undefined)
  assert.equal(shell.state.room, 'second')
})

test('a room that is left keeps its state and shows that on its tab; Undo is that of the open room', async () => {
  const { shell, store } = await start()
  store().act.type('two')
  await shell.enter('second')
  await until(() => shell.rooms.get('first')?.note('en') === 'paused')
  shell.travel('undo', 0)
  assert.equal(store('first').state.settings.sentence, 'two')
  await shell.enter('first')
  shell.travel('undo', 0)
  assert.equal(store('first').state.settings.sentence, 'one')
  shell.travel('undo', 1)
  shell.reset()
  assert.equal(store('first').state.settings.sentence, 'one')
})

test('the sentence of a room is passed to the next room', async () => {
  const { shell, store } = await start('#2&sentence=from+a+link')
  await shell.enter('second')
  await until(() => store('second'))
  assert.equal(store('second').state.around.sentence, 'from a link')
  assert.equal(store('second').state.settings.sentence, 'one', 'it was not typed')
})

test('a typed sentence is passed to the next room once; a hand-over opens its room with a button back', async () => {
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

test('a sentence that is typed during a hand-over of an older one is passed to the room', async () => {
  const second = awaited()
  const { shell, store } = await start('', { first: roomOf('first'), second: second.promise })
  store().act.type('older')
  const entering = shell.enter('second')
  shell.enter('first')
  store('first').act.type('newer')
  second.arrive(roomOf('second'))
  await entering
  assert.equal(store('second').state.settings.sentence, 'older')
  await shell.enter('second')
  assert.equal(store('second').state.settings.sentence, 'newer')
})

test('a hand-over opens no room for a reader who has opened another one meanwhile', async () => {
  const third = awaited()
  const { shell, store } = await start('', { first: roomOf('first'), second: roomOf('second'), third: third.promise })
  store().act.open('third')
  await shell.enter('second')
  third.arrive(roomOf('third'))
  await until(() => store('third')?.state.view.taken === 'head')
  await wait()
  assert.equal(shell.state.room, 'second')
})

test('a late answer of a room that was left opens no other room', async () => {
  const { shell, store } = await start('', { first: roomOf('first'), second: roomOf('second'), third: roomOf('third') })
  const { act } = store()
  await shell.enter('second')
  act.open('third')
  await shell.rooms.open('third')
  await wait()
  assert.equal(shell.state.room, 'second')
  assert.equal(store('third').state.view.taken, undefined)
})

test('a room is entered when it is shown, and not when it has been left before it was loaded', async () => {
  const second = awaited()
  const enter = () => ({ view: { isEntered: true } })
  const { shell, store } = await start('', { first: roomOf('first'), second: second.promise })
  shell.enter('second')
  shell.draw() // begins to load the second room
  shell.enter('first')
  second.arrive(roomOf('second', { enter }))
  await shell.rooms.open('second')
  shell.draw()
  assert.equal(store('second').state.view.isEntered, undefined)
  shell.enter('second')
  await until(() => store('second').state.view.isEntered)
})

test('if the texts of a room cannot be loaded, there is a message, and the next visit loads them', async () => {
  const texts = ['of-no-file']
  const { shell, picture } = await start('', { first: roomOf('first', { texts }) })
  await until(() => /of-no-file/.test(picture()))
  texts.pop()
  shell.rooms.open('first')
  shell.draw()
  await until(() => picture().includes('"one"'))
})

test('a companion that two addresses request while it is loaded is made once, and follows the later one', async () => {
  const loading = awaited()
  /** @type {string[]} */
  const followed = []
  let count = 0
  const companion = () => {
    count++
    return {
      draw: () => '',
      link: () => ({}),
      follow: (/** @type {any} */ { task }) => void followed.push(task),
    }
  }
  const load = async () => {
    await loading.promise
    return { companion }
  }
  const { shell, seen } = await start('#2&sentence=two&task=1', undefined, { tasks: { parameters: ['task'], load } })
  seen.hash = '#2&sentence=two&task=2'
  shell.follow()
  loading.arrive(undefined)
  await until(() => followed.length > 0 && !shell.state.isWaiting)
  assert.equal(count, 1)
  assert.deepEqual(new Set(followed), new Set(['2']))
})

test('an error of a draw is shown beside the last good picture, until the next settings', async () => {
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

test('if a room cannot be loaded, there is a message, and the next visit loads it', async () => {
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
  assert.equal(shell.rooms.get('first')?.press('Escape'), true)
  assert.equal(store().state.settings.selected, null)
  assert.equal(shell.rooms.get('first')?.press('q'), false)
  store().act.type('two')
  shell.share()
  assert.match(seen.copied, /^page#2~\w+&sentence=two$/)
  await shell.setLanguage('zh')
  shell.setTheme('dark')
  assert.deepEqual([seen.remembered.language, seen.remembered.theme], ['zh', 'dark'])
})

test('a language that a link chose is not remembered with the theme that the reader chooses', async () => {
  const { shell, seen } = await start()
  await shell.setLanguage('zh', false)
  assert.equal(shell.state.language, 'zh')
  shell.setTheme('dark')
  assert.deepEqual({ ...seen.remembered }, { language: 'en', theme: 'dark' })
})

test('an address without a companion shows its room at once, also while the companion of the one before is loaded', async () => {
  const load = () => new Promise(() => {}) // the companion never arrives
  const { shell, seen } = await start('#2&sentence=two', undefined, { tasks: { parameters: ['task'], load } })
  seen.hash = '#2&sentence=two&task=1'
  shell.follow()
  assert.ok(shell.state.isWaiting)
  seen.hash = '#2&sentence=three'
  shell.follow()
  assert.ok(!shell.state.isWaiting)
})

test('a room of the header is an entry of the history: Back returns to the room before, where it was scrolled, and loses nothing; a link is followed back', async () => {
  const { shell, seen, store, go } = await start()
  store('first').act.type('one')
  seen.top = 700
  shell.visit('second')
  assert.deepEqual([shell.state.room, seen.top, seen.entries.length], ['second', 0, 2])
  await shell.rooms.open('second')
  store('second').act.type('two')
  seen.top = 40
  go(-1)
  assert.deepEqual([shell.state.room, seen.top], ['first', 700])
  assert.equal(store('second').state.settings.sentence, 'two', 'what was done there stays')
  go(1)
  assert.deepEqual([shell.state.room, seen.top, store('first').state.settings.sentence], ['second', 40, 'one'])
  seen.entries.push({ hash: '#2&sentence=linked', entry: undefined })
  go(1)
  assert.deepEqual([shell.state.room, store('first').state.settings.sentence], ['first', 'linked'])
  go(-1)
  assert.deepEqual([shell.state.room, store('first').state.settings.sentence], ['second', 'one'], 'the link before')
})

test('a message disappears after six seconds; a newer message stays for another six', async t => {
  const { shell, seen } = await start()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const own = /** @type {import('../../web/shell/opened-room.js').OpenedRoom} */ (shell.rooms.get('first'))
  const says = (/** @type {string} */ key) => {
    shell.draw()
    return JSON.stringify(seen.pictures.at(-1)).includes(`"${key}"`)
  }
  own.say({ key: 'copied.link' })
  t.mock.timers.tick(4000)
  assert.ok(says('copied.link'))
  own.say({ key: 'linkLarge' }, true)
  t.mock.timers.tick(5999)
  assert.deepEqual([says('copied.link'), says('linkLarge')], [false, true])
  t.mock.timers.tick(1)
  assert.ok(!says('linkLarge'))
})
