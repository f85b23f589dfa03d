// Starts the page: creates the shell with all rooms.

import { loadTexts } from './i18n/index.js'
import { host, listen, remembered } from './shell/browser.js'
import { once } from './shell/once.js'
import { createShell } from './shell/shell.js'

// ?model=FOLDER opens "Models".
if (!location.hash && new URLSearchParams(location.search).has('model'))
  history.replaceState(null, '', `${location.search}#2&room=models`)

/** The rooms, loaded on demand. @type {Record<string, () => Promise<{ room: any }>>} */
const rooms = {
  front: () => styled(import('./rooms/front/room.js'), import('./style/front.css')),
  layer: () => styled(import('./rooms/layer/room.js'), import('./style/layer.css')),
  learn: () => styled(import('./rooms/learn/room.js'), import('./style/learn.css')),
  models: () => styled(import('./rooms/models/room.js'), import('./style/models.css')),
  exercises: () => styled(import('./exercises/room.js'), import('./style/exercise-pages.css')),
}

/**
 * Companions of rooms. Each is loaded when the address has one of its parameters. One with `isOffered` is also in the menu, and is loaded
 * when the reader opens it there.
 * @type {Record<string, import('./shell/companions.js').CompanionSource>}
 */
const companions = {
  embed: {
    parameters: ['embed'],
    load: () => styled(import('./exercises/embed-companion.js'), import('./style/exercises.css')),
  },
  present: {
    parameters: ['present'],
    isOffered: true,
    load: () => styled(import('./exercises/present-companion.js'), import('./style/exercise-pages.css')),
  },
  make: {
    parameters: [],
    isOffered: true,
    load: () => styled(import('./exercises/make-companion.js'), import('./style/exercises.css')),
  },
  figure: {
    parameters: [],
    isOffered: true,
    load: () => styled(import('./exercises/figure-companion.js'), import('./style/exercises.css')),
  },
  exercise: {
    parameters: ['exercise', 'made', 'nr', 'lang', 'theme', 'hints', 'solution', 'attempts'],
    load: () => styled(import('./exercises/exercise-companion.js'), import('./style/exercises.css')),
  },
}

/** Returns a module once its styles have loaded. @template T @param {Promise<T>} module @param {Promise<unknown>} style @returns {Promise<T>} */
async function styled(module, style) {
  await style
  return module
}

/** Loads the qkv core, for rooms that compute on the main thread. */
const load = once(async () => (await import('qkv')).load())

const { language, theme } = remembered()
const t = await loadTexts(language, ['shell'])
const shell = createShell({
  host,
  rooms,
  front: 'front',
  home: 'layer',
  aside: ['exercises'],
  opener: 'models',
  companions,
  load,
  language,
  theme,
  t,
})
listen(shell)
shell.draw()
