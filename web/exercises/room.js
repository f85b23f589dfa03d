// The room of the exercises: the list of all, with the scores of this browser.

import { IDS } from './index.js'
import { draw } from './list-page.js'
import { book, csvOf } from './score-book.js'

/** @type {import('../shell/room.js').Room<import('./list.js').ListTypes>} */
export const room = {
  id: 'exercises',
  texts: ['exercises'],
  fields: {},
  view: { changes: 0 },
  actions: {
    forget({ view }) {
      book.forget()
      return { view: { changes: view.changes + 1 } }
    },
    csv: () => ({ effects: [{ type: 'copy', text: csvOf(book, IDS), said: 'exercisesCopied' }] }),
  },
  needs: () => [],
  /** Another tab may have written scores. */
  enter() {
    book.load()
    return {}
  },
  session: {
    worker() {
      throw new Error('this room computes nothing')
    },
    handlers: () => ({}),
  },
  draw,
}
