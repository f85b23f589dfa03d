// Boots the page: the shell with its rooms, and the browser around it.

import { loadTexts } from './i18n/index.js'
import { host, listen, remembered } from './shell/browser.js'
import { createShell } from './shell/shell.js'

// ?model=FOLDER opens the room that shows it.
if (!location.hash && new URLSearchParams(location.search).has('model'))
  history.replaceState(null, '', `${location.search}#2&room=models`)

/** The rooms, loaded on demand. @type {Record<string, () => Promise<{ room: any }>>} */
const rooms = {
  front: () => import('./rooms/front/room.js'),
  layer: () => import('./rooms/layer/room.js'),
  learn: () => import('./rooms/learn/room.js'),
  models: () => import('./rooms/models/room.js'),
  exercises: () => pageStyled(import('./exercises/room.js')),
}

/** What stands beside a room when a link has its parameters. @type {Record<string, import('./shell/shell.js').CompanionSource>} */
const companions = {
  embed: { parameters: ['embed'], load: () => styled(import('./exercises/embed-companion.js')) },
  present: {
    parameters: ['present'],
    isOffered: true,
    load: () => pageStyled(import('./exercises/present-companion.js')),
  },
  make: { parameters: [], isOffered: true, load: () => styled(import('./exercises/make-companion.js')) },
  exercise: {
    parameters: ['exercise', 'made', 'nr', 'lang', 'theme', 'hints', 'solution', 'attempts'],
    load: () => styled(import('./exercises/exercise-companion.js')),
  },
}

/** Loads the styles that belong to a module. @template T @param {Promise<T>} module @returns {Promise<T>} */
async function styled(module) {
  await import('./style/exercises.css')
  return module
}

/** The same with those of whole pages. @template T @param {Promise<T>} module @returns {Promise<T>} */
async function pageStyled(module) {
  await import('./style/exercise-pages.css')
  return styled(module)
}

/** @type {Promise<import('qkv').Qkv> | undefined} */
let core
/** The core, for rooms that compute on the page: it is loaded once. */
function load() {
  core ??= import('qkv').then(({ load }) => load())
  return core
}

const { language, theme } = remembered()
const t = await loadTexts(language, ['shell'])
const shell = createShell({
  host,
  rooms,
  front: 'front',
  home: 'layer',
  aside: ['exercises'],
  companions,
  load,
  language,
  theme,
  t,
})
listen(shell)
shell.draw()
