// Opens the room "Models" without a browser: makes its store, whose session runs in Node, and opens golden checkpoints from files.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { load } from 'qkv'
import { room } from '../../web/rooms/models/room.js'
import { shownOf } from '../../web/rooms/models/shown.js'
import { createStore } from '../../web/shell/store.js'
import { filesOf } from './golden-files.js'

export const qkv = await load()
export const TEXT = 'The cat that chased the dog'

/** @param {string} name @param {string} file */
export const folderText = (name, file) =>
  readFileSync(filesOf(name).find(path => path.endsWith(`/${file}`)) ?? '', 'utf8')

/** @param {string} name @param {Record<string, string>} [more] */
export const folder = (name, more = {}) => [
  ...filesOf(name).map(path => new File([readFileSync(path)], basename(path))),
  ...Object.entries(more).map(([name, text]) => new File([text], name)),
]

/** Returns the room's session, but with `rate` as the measured rate of matrix products on this computer. @param {number} rate @returns {typeof room.session} */
const sessionAt = rate => ({
  ...room.session,
  async handlers(qkv) {
    const own = await room.session.handlers(qkv)
    return { ...own, count: async (request, run) => ({ ...(await own.count(request, run)), rate }) }
  },
})

/** Makes a store whose session runs in this process. @param {string} [link] @param {Partial<typeof room.view>} [view] @param {number} [rate] of matrix products, to simulate a slow computer */
export function start(link = '', view = {}, rate) {
  /** @type {any[]} */
  const effects = []
  const store = createStore(
    { ...room, view: { ...room.view, ...view }, session: rate ? sessionAt(rate) : room.session },
    {
      qkv,
      link,
      perform: effect => void effects.push(effect),
    },
  )
  const isOpen = () =>
    Object.values(store.state.got).some(got => got?.is === 'waiting' || (got?.is === 'here' && !got.isLast))
  /** Waits until every request is answered. */
  async function settled() {
    do await new Promise(resolve => setTimeout(resolve))
    while (isOpen())
  }
  const shown = () => shownOf(store.state)
  return { store, act: store.act, effects, settled, shown }
}

/** Makes a store with a model and a text. @param {string} [name] @param {string} [text] */
export async function begin(name = 'gpt2-tiny', text = TEXT) {
  const own = start()
  own.act.bring(folder(name))
  await own.settled()
  own.act.type(text)
  await own.settled()
  return own
}

/** Lists what the room requests in the state of a store, as `type` or `type:part`. */
export const types = (/** @type {import('../../web/shell/store.js').Store<any>} */ store) =>
  room.needs(store.state).map(({ type, part }) => (part ? `${type}:${part}` : type))
