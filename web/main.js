// Boots the page: the store, the browser around it, then the core.

import { load } from 'qkv'
import './elements/index.js'
import { createApp } from './rooms/layer/app.js'
import { host, listen, remembered } from './rooms/layer/browser.js'

// ?model=FOLDER opens the room that shows it.
if (!location.hash && new URLSearchParams(location.search).has('model'))
  history.replaceState(null, '', `${location.search}#1&room=models`)

const app = createApp(host, remembered())
listen(app)
app.draw()
load().then(app.connect, app.refuse)
