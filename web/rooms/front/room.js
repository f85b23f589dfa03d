// The front page: one story, its next word, and the head that finds the name. Data and pure functions; the session runs the model.

import { SHIPPED } from '../../files/shipped-models.js'
import { choice, flag } from '../../shell/kinds.js'
import { BOYS, FIRST, GIRLS, storyOf } from './pronoun-story.js'
import { draw } from './view.js'

/** @import { FrontTypes, Settings } from './front.js' */

/** Milliseconds to wait before loading the model, so that the page is drawn first. */
const PAUSE = 100

/** True if the browser asks to save data. */
const savesData = () =>
  /** @type {{ connection?: { saveData?: boolean } } | undefined} */ (globalThis.navigator)?.connection?.saveData ===
  true

/** Changes the story and requests the model, since the runs of the new story may not be recorded. @param {Partial<Settings>} set */
const change = set => ({ set, view: { isWanted: true } })

/** @type {import('../../shell/room.js').Room<FrontTypes>} */
export const room = {
  id: 'front',
  texts: ['front'],
  fields: {
    girl: { kind: choice(GIRLS), default: FIRST.girl, history: 'undo' },
    boy: { kind: choice(BOYS), default: FIRST.boy, history: 'undo' },
    first: { kind: choice(['girl', 'boy']), default: FIRST.first, history: 'undo' },
    pronoun: { kind: choice(['he', 'she']), default: FIRST.pronoun, history: 'undo' },
    isOn: { kind: flag(), default: true, history: 'undo' },
    othersOn: { kind: flag(), default: true, history: 'undo' },
  },
  view: { isUsed: false, isWanted: false, isSaving: false, isHeld: false, own: '' },
  actions: {
    name: (_, who, name) => change({ [who]: name }),
    swap: ({ settings }) => change({ first: settings.first === 'girl' ? 'boy' : 'girl' }),
    pronoun: (_, pronoun) => change({ pronoun }),
    flip: ({ settings }, which) => ({ set: { [which]: !settings[which] }, view: { isUsed: true } }),
    retry: () => ({ effects: [{ type: 'retry' }] }),
    want: () => ({ view: { isWanted: true } }),
    own: (_, own) => ({ view: { own } }),
    release: () => ({ view: { isHeld: false } }),
  },
  needs({ settings, view }) {
    const stories = SHIPPED.find(({ name }) => name === 'stories')
    if (!view.isWanted || !stories) return []
    const story = storyOf(settings)
    return [{ type: 'tell', key: JSON.stringify(story), urls: stories.urls, story }]
  },
  keep: { tell: 8 },
  keys: {
    b: ({ settings }) => (settings.isOn && settings.othersOn ? undefined : { view: { isHeld: true } }),
  },
  enter: () =>
    savesData() ? { view: { isSaving: true } } : { effects: [{ type: 'later', act: 'want', after: PAUSE }] },
  session: {
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    handlers: async qkv => (await import('./session.js')).handlers(qkv),
  },
  draw,
}
