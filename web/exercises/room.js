// The room of the exercises: the list with the scores of this browser, and the page for teachers.

import { LANGUAGES } from '../i18n/languages.js'
import { choice, count, flag, text } from '../shell/kinds.js'
import { namesIn } from '../shell/known.js'
import { IDS, idsOf } from './index.js'
import { draw } from './list-page.js'
import { book, csvOf } from './score-book.js'

/** @type {import('../shell/room.js').Room<import('./list.js').ListTypes>} */
export const room = {
  id: 'exercises',
  texts: ['exercises', 'exercise-pages'],
  fields: {
    part: { kind: choice(['list', 'teachers']), default: 'list', history: 'none' },
    picked: { kind: text(), default: '', history: 'undo' },
    lang: { kind: choice(['', ...namesIn(LANGUAGES)]), default: '', history: 'undo' },
    hints: { kind: flag(), default: true, history: 'undo' },
    solution: { kind: flag(), default: true, history: 'undo' },
    attempts: { kind: count(), default: null, history: 'undo' },
  },
  view: { changes: 0, hasSolutions: false },
  actions: {
    forget({ view }) {
      book.forget()
      return { view: { changes: view.changes + 1 } }
    },
    csv: () => ({ effects: [{ type: 'copy', text: csvOf(book, IDS), said: 'exercisesCopied' }] }),
    set: (_, set) => ({ set }),
    pick({ settings }, id) {
      const { known } = idsOf(settings.picked)
      const next = known.includes(id)
        ? known.filter(each => each !== id)
        : IDS.filter(each => each === id || known.includes(each))
      return { set: { picked: next.join(',') } }
    },
    copy: (_, copied) => ({ effects: [{ type: 'copy', text: copied, said: 'exercisesCopiedText' }] }),
    showSolutions: () => ({ view: { hasSolutions: true } }),
  },
  needs: () => [],
  /** Reloads the scores, since another tab may have changed them. */
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
