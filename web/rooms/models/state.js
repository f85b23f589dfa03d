// What the room "Models" holds.

import { LitElement } from 'lit'
import { mostMemory } from './sources.js'

/** @typedef {import('./texts.js').Translate} Translate */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {import('./session.js').Told} Told */
/** @typedef {import('./model-run.js').Run} Run */
/** @typedef {import('./hooks.js').Change} Change */
/** @typedef {import('./hooks.js').Stack} Stack */
/** @typedef {import('./atlas-maps.js').HeadAt} HeadAt */
/** @typedef {'previous' | 'first' | 'duplicate' | 'induction' | 'entropy' | 'example' | 'similar'} RankBy */
/** @typedef {'before' | 'after' | 'difference'} Showing */
/** What a link holds; generated: ids behind the prompt. @typedef {{ checkpoint: string, prompt: string, generated: string, donor: string, changes: string, at: string }} Linked */

/** Properties whose changes draw the room again. */
const STATE = [
  ...[
    'told',
    'plan',
    'progress',
    'failure',
    'isLost',
    'isRefused',
    'running',
    'wasCancelled',
    'runBefore',
    'runAfter',
    'donor',
    'showing',
    'stack',
    'rankBy',
    'least',
    'onlyHits',
  ],
  ...[
    'withoutFirst',
    'query',
    'keyWord',
    'pointed',
    'mapSize',
    'view',
    'cell',
    'traced',
    'why',
    'steps',
    'isGenerating',
  ],
  ...['chosen', 'tab', 'mode', 'copied', 'against', 'reference', 'pairs', 'stop', 'visits', 'first', 'fresh'],
  ...['term', 'number', 'weightRow'],
]

export class RoomState extends LitElement {
  static properties = {
    ...{
      page: { attribute: false },
      isDark: { type: Boolean },
      linked: { attribute: false },
      change: { attribute: false },
      openGiven: { attribute: false },
      tell: { attribute: false },
    },
    ...Object.fromEntries(STATE.map(name => [name, { state: true }])),
  }

  constructor() {
    super()
    /** The page's texts. @type {import('../../i18n/index.js').Translate} */
    this.page = /** @type {any} */ (undefined)
    /** Those and the room's. @type {Translate} */
    this.t = /** @type {any} */ (undefined)
    this.isDark = false
    /** @type {Linked} */
    this.linked = { checkpoint: '', prompt: '', generated: '', donor: '', changes: '', at: '' }
    /** Writes into the page's link. @type {(patch: Partial<Linked>, isTyped?: boolean) => void} */
    this.change = () => {}
    /** Opens tensors in the room "One layer". @type {(value: unknown, patch: object, from: string) => void} */
    this.openGiven = () => {}
    /** Says of itself what the page's header shows. @type {import('../layer/views/context.js').Actions['tell']} */
    this.tell = () => {}
    /** The open model. @type {Told | undefined} */
    this.told = undefined
    /** What is being opened. @type {NonNullable<Report['plan']> | { name: string } | undefined} */
    this.plan = undefined
    /** @type {Report['progress']} */
    this.progress = undefined
    /** @type {string | undefined} */
    this.failure = undefined
    /** Has its worker ended? */
    this.isLost = false
    /** Is the failure that of a model which was to be opened? */
    this.isRefused = false
    /** How far a long run is. @type {Report['running']} */
    this.running = undefined
    /** Was the last run ended before its time? What is seen is the one before. */
    this.wasCancelled = false
    /** @type {Run | undefined} */
    this.runBefore = undefined
    /** @type {Run | undefined} */
    this.runAfter = undefined
    /** @type {Showing} */
    this.showing = 'after'
    /** What patches are taken from. @type {import('./session.js').Donor | undefined} */
    this.donor = undefined
    /** @type {Stack} */
    this.stack = ''
    /** @type {RankBy} */
    this.rankBy = 'previous'
    this.least = 0.3
    this.onlyHits = false
    this.withoutFirst = false
    /** The selected words: of a query, and Shift-clicked of a key. @type {number | undefined} */
    this.query = undefined
    /** @type {number | undefined} */
    this.keyWord = undefined
    /** @type {(HeadAt & { query?: number, key?: number, weight?: number }) | undefined} */
    this.pointed = undefined
    this.mapSize = 0
    /** @type {'map' | 'lines' | 'difference' | 'numbers'} */
    this.view = 'map'
    /** @type {{ query: number, key: number } | undefined} */
    this.cell = undefined
    /** @type {import('./cell-trace.js').CellTrace | undefined} */
    this.traced = undefined
    /** @type {Report['why']} */
    this.why = undefined
    /** What was generated. @type {import('./generate.js').Step[]} */
    this.steps = []
    this.isGenerating = false
    /** The heads of a marquee. @type {HeadAt[]} */
    this.chosen = []
    /** On a phone. @type {'heads' | 'prediction' | 'changes'} */
    this.tab = 'heads'
    /** What a stroke over the map of a head does. @type {'read' | 'paint' | 'edit'} */
    this.mode = 'read'
    this.copied = ''
    /** What the difference is taken from: a head, the second text; else itself before the changes. @type {HeadAt | 'text' | undefined} */
    this.against = undefined
    /** The head that others are ranked by their likeness to. @type {HeadAt | undefined} */
    this.reference = undefined
    /** Of a long text: the weight from the selected word to the second one, in every head. @type {Float32Array | undefined} */
    this.pairs = undefined
    /** Exact maps of heads whose blocks are shown. @type {Map<string, { data: Float32Array, dims: readonly number[] }>} */
    this.exact = new Map()
    /** What lies beside the weights of models that ship with the page. @type {Map<string, import('./story.js').About | undefined>} */
    this.abouts = new Map()
    /** Of the guided story, from 0. @type {number | undefined} */
    this.stop = undefined
    /** The word whose prediction is asked for. @type {number | undefined} */
    this.row = undefined
    this.sampling = { temperature: 0, topK: 40, seed: 0, count: 40 }
    /** What undo goes back to. @type {string[]} */
    this.past = []
    /** What redo goes on to. @type {string[]} */
    this.future = []
    /** Files that were brought, to open them again. @type {Map<string, File[]>} */
    this.brought = new Map()
    /** Bytes of memory that a model may take. */
    this.most = mostMemory()
    /** @type {import('./open-session.js').Session | undefined} */
    this.session = undefined
    /** The ids of the newest run and of what asked for the rest. */
    this.asked = { open: 0, show: 0, cell: 0, number: 0, generate: 0, why: 0, matrices: 0 }
    /** The checkpoint that is open or being opened. @type {string | undefined} */
    this.wanted = undefined
    /** What was run last. */
    this.ran = ''
    /** The text that steps and selected words are of. */
    this.read = ''
    /** Ids that are being generated. @type {number[]} */
    this.fresh = []
    /** Places of the inspector, for Back and Forward. @type {import('./visits.js').Visits} */
    this.visits = { past: [], future: [] }
    /** The term of the score whose page is open. @type {number | undefined} */
    this.term = undefined
    /** The number of query or key whose page is open, before its rotation. @type {{ letter: 'q' | 'k', i: number } | undefined} */
    this.number = undefined
    /** The weights that made it. @type {{ weight: Float32Array, bias: number } | undefined} */
    this.weightRow = undefined
    /** The head that was Shift-clicked first. @type {HeadAt | undefined} */
    this.first = undefined
  }
}
