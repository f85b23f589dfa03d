// Boots the page: the store, the browser around it, then the core.

import { load } from 'qkv'
import './elements/index.js'
import { loadTexts } from './i18n/index.js'
import { createApp, TEXTS } from './rooms/layer/app.js'
import { host, listen, remembered } from './rooms/layer/browser.js'

// ?model=FOLDER opens the room that shows it.
if (!location.hash && new URLSearchParams(location.search).has('model'))
  history.replaceState(null, '', `${location.search}#1&room=models`)

/** The rooms beside One layer, loaded on demand. @type {Record<string, () => Promise<{ room: any }>>} */
const list = {
  learn: () => import('./rooms/learn/room.js'),
  models: () => import('./rooms/models/room.js'),
}

const qkv = load()
const choices = remembered()
const app = createApp(host, { ...choices, t: await loadTexts(choices.language, TEXTS) }, { list, load: () => qkv })
listen(app)
app.draw()
qkv.then(app.connect, app.refuse)
