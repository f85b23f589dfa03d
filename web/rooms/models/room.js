// The room "Models": a checkpoint, all of its heads, its prediction, and the reader's changes. A session in a worker
// runs it.

import { html, nothing } from 'lit'
import './atlas.js'
import { filesOf } from '../../files/dropped-files.js'
import { readChanges, withChange, writeChanges } from '../../head/changes.js'
import { changes } from './changes-panel.js'
import { generateBar } from './generate-bar.js'
import { headPage } from './head-page.js'
import { inspector } from './inspector.js'
import { opening } from './open-model.js'
import { openSession } from './open-session.js'
import { overview } from './overview.js'
import { predictionPanel } from './prediction.js'
import { programs } from './programs/panel.js'
import { take } from './reports.js'
import { addressOf, nameOf, SHIPPED } from './sources.js'
import { RoomState } from './state.js'
import { firstText, story } from './story.js'
import { translatorOf } from './texts.js'
import { strips } from './token-row.js'
import { visit } from './visits.js'

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

const FIRST_TEXT = 'Once upon a time'
const MASK_TEXT = 'The [MASK] chased the dog.'
const MOST_GENERATED = 4000

export class ModelsRoom extends RoomState {
  /** The styles of the page hold here. */
  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    this.session ??= openSession(report => take(this, report))
    addEventListener('drop', this.#drop, true)
    addEventListener('keydown', this.#key, true)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    removeEventListener('drop', this.#drop, true)
    removeEventListener('keydown', this.#key, true)
  }

  /** Files that are dropped anywhere are a checkpoint here. @param {DragEvent} event */
  #drop = async event => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.stopPropagation()
    document.documentElement.classList.remove('is-dropping')
    this.bring(await filesOf(event.dataTransfer))
  }

  /** @param {readonly File[]} files */
  async bring(files) {
    if (!files.length) return
    const name = await nameOf(files)
    this.brought.set(name, [...files])
    this.open(name, { source: [...files] })
  }

  /**
   * Opens a checkpoint; the current one stays until the new one is loaded.
   * @param {string} name
   * @param {{ source?: import('./session.js').OpenSource, dtype?: import('./session.js').Smaller }} [how]
   */
  open(name, { source, dtype } = {}) {
    const address = name === '?model' ? addressOf() : undefined
    const shipped = SHIPPED.find(each => each.name === name)
    const from = source ?? this.brought.get(name) ?? address?.href ?? (shipped && { urls: shipped.urls })
    this.wanted = name
    this.failure = undefined
    this.isLost = false
    this.isRefused = true
    this.progress = undefined
    if (address && address.origin !== location.origin) {
      this.failure = this.t('modelsOtherSite', { address: address.href })
      return
    }
    if (!from) {
      this.plan = undefined
      this.failure = this.t('modelsAsk', { name: name.split('~')[0] })
      return
    }
    this.plan = { name }
    if (shipped) this.#read(name, shipped.urls['about.json'])
    this.asked.open = this.session?.ask({ open: { source: from, name, dtype, most: this.most } }) ?? 0
  }

  /** What lies beside the weights. @param {string} name @param {string | undefined} url */
  async #read(name, url) {
    const about = url === undefined ? undefined : await (await fetch(url)).json()
    if (this.wanted === name) this.abouts.set(name, about)
    this.requestUpdate()
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (changed.has('page')) this.t = translatorOf(this.page)
    const { checkpoint } = this.linked
    const first = addressOf() ? '?model' : (SHIPPED[0]?.name ?? '')
    const name = checkpoint || first
    if (this.session && name && this.wanted === undefined) this.open(name)
    else if (this.session && checkpoint && checkpoint !== this.wanted && checkpoint !== this.told?.name)
      this.open(checkpoint)
    const { linked, ran, isGenerating } = this
    const { prompt, generated, donor, changes } = linked
    if (prompt !== this.read) this.#forget(prompt)
    const key = JSON.stringify([this.told?.name, this.text, donor, changes, generated, this.row])
    if (this.told && key !== ran && !isGenerating) {
      this.ran = key
      this.#run()
    }
  }

  /** What lies beside the weights of the open model. */
  get about() {
    return this.abouts.get(this.told?.name ?? '')
  }

  /** What the model reads. */
  get text() {
    const { prompt } = this.linked
    if (prompt || !this.told) return prompt
    const { encoder, decoder } = this.told.stacks
    const own = firstText(this.about)
    if (own) return own
    if (!this.told.hasTokenizer) return '1 0 2 1 0 2'
    return encoder && !decoder ? MASK_TEXT : FIRST_TEXT
  }

  get changes() {
    return readChanges(this.linked.changes)
  }

  /** The head whose page is open. @returns {(HeadAt & { stack: Stack }) | undefined} */
  get head() {
    const found = /^([edc]?)(\d{1,4})\.(\d{1,4})$/.exec(this.linked.at)
    if (!found || !this.maps) return undefined
    const stack = /** @type {Stack} */ ({ '': '', e: 'encoder', d: 'decoder', c: 'cross' }[found[1]])
    const at = { stack, layer: Number(found[2]) - 1, head: Number(found[3]) - 1 }
    const maps = this.run?.maps[stack]
    return maps && at.layer >= 0 && at.head >= 0 && at.layer < maps.layers && at.head < maps.heads ? at : undefined
  }

  /** The run that is shown. */
  get run() {
    return this.showing === 'before' ? this.runBefore : (this.runAfter ?? this.runBefore)
  }

  get maps() {
    return this.run?.maps[this.stack]
  }

  /** Names of queries and keys of the stack that is shown. */
  get words() {
    const { tokens = [], targets = [] } = this.run ?? {}
    return {
      queries: this.stack === 'decoder' || this.stack === 'cross' ? targets : tokens,
      keys: this.stack === 'decoder' ? targets : tokens,
    }
  }

  /** "e2.1" in links, "2.1" for people. @param {HeadAt} at @param {Stack} [stack] */
  nameOf({ layer, head }, stack = '') {
    return `${stack.slice(0, 1)}${layer + 1}.${head + 1}`
  }

  /** The run that was cancelled, from its beginning. */
  runAgain() {
    this.ran = ''
    this.requestUpdate()
  }

  #run() {
    const { text, more, row } = this
    this.wasCancelled = false
    const input = { text, more, second: this.linked.donor }
    this.asked.show = this.session?.ask({ show: { input, changes: this.changes, row } }) ?? 0
  }

  /** What the open head and the selected cell need beside the run. */
  look() {
    const { head, cell } = this
    const isChanged = this.showing !== 'before' && this.runAfter !== undefined
    if (!head) return
    if (this.run?.maps[head.stack]?.cells) this.session?.ask({ head: { ...head, isChanged } })
    this.traced = undefined
    if (cell) this.asked.cell = this.session?.ask({ cell: { ...head, ...cell, isChanged } }) ?? 0
  }

  /** The matrix of the open head. @param {boolean} isChanged */
  matrixOf(isChanged) {
    const { head } = this
    const maps = (isChanged ? (this.runAfter ?? this.runBefore) : this.runBefore)?.maps[head?.stack ?? '']
    if (!head || !maps) return undefined
    if (maps.cells)
      return this.exact.get(`${isChanged && this.runAfter !== undefined} ${this.nameOf(head, head.stack)}`)
    const size = maps.rows * maps.columns
    const start = (head.layer * maps.heads + head.head) * size
    return { data: maps.data.subarray(start, start + size), dims: [maps.rows, maps.columns] }
  }

  /** The open head with the second text: it is asked for at first. */
  get other() {
    const { head, linked } = this
    if (!head || !linked.donor) return undefined
    const found = this.exact.get(`${linked.donor} ${this.nameOf(head, head.stack)}`)
    if (!found) this.session?.ask({ head: { ...head, isChanged: false, text: linked.donor } })
    return found
  }

  /** @param {(HeadAt & { stack: Stack }) | undefined} at */
  openHead(at) {
    this.set({ at: at ? this.nameOf(at, at.stack) : '' })
    this.cell = this.traced = this.term = this.number = undefined
    if (at) this.stack = at.stack
    this.look()
  }

  /** @param {{ query: number, key: number } | undefined} cell */
  selectCell(cell) {
    if (cell) return visit(this, { cell })
    this.cell = this.traced = this.term = this.number = undefined
  }

  /** @param {Showing} showing */
  show(showing) {
    this.showing = showing
    this.asked.why = this.session?.ask({ why: { isChanged: showing !== 'before' } }) ?? 0
    this.look()
  }

  /** @param {readonly Change[]} changes */
  setChanges(changes) {
    const { past, linked } = this
    this.past = [...past.slice(-100), linked.changes]
    this.future = []
    this.set({ changes: writeChanges(changes) })
  }

  /** @param {Change[]} added */
  addChanges(added) {
    this.setChanges(added.reduce((all, one) => withChange(all, one), this.changes))
  }

  undo() {
    const changes = this.past.at(-1)
    if (changes === undefined) return
    this.past = this.past.slice(0, -1)
    this.future = [this.linked.changes, ...this.future]
    this.set({ changes })
  }

  redo() {
    const [changes, ...future] = this.future
    if (changes === undefined) return
    this.past = [...this.past, this.linked.changes]
    this.future = future
    this.set({ changes })
  }

  /** Undo and Redo of the page's header. */
  updated() {
    this.tell('models', {
      ...(this.past.length && { undo: () => this.undo() }),
      ...(this.future.length && { redo: () => this.redo() }),
    })
  }

  /** Here at once, in the link with the page's next frame. @param {Partial<Linked>} patch @param {boolean} [isTyped] */
  set(patch, isTyped = false) {
    const { linked } = this
    this.linked = { ...linked, ...patch }
    this.change(patch, isTyped)
  }

  /** @param {string} text @param {boolean} [isTyped] by the reader: the room "One layer" takes it along */
  type(text, isTyped = false) {
    this.#forget(text)
    this.set({ prompt: text, generated: '' }, isTyped)
  }

  /** Another text: its words are others. @param {string} prompt */
  #forget(prompt) {
    this.read = prompt
    this.steps = []
    this.row = this.query = this.keyWord = undefined
  }

  /** Ids that were generated behind the text. */
  get more() {
    const { decoder, encoder } = this.told?.stacks ?? {}
    const ids = decoder && !encoder ? this.linked.generated.match(/\d{1,9}/g) : null
    return (ids ?? []).slice(0, MOST_GENERATED).map(Number)
  }

  /** The head in the room "One layer", with what its layer works with. @param {import('./layer-tensors.js').Matrices} matrices */
  openInLayer({ tensors, patch }) {
    const { head, words } = this
    if (!head) return
    const name = this.nameOf(head)
    this.openGiven(
      { ...tensors, tokens: words.queries, keyTokens: words.keys },
      patch,
      this.t('modelsBackTo', { name }),
    )
  }

  /** A word is selected; Shift: the word that it shall look at. @param {number} index @param {boolean} isSecond @param {'queries' | 'keys'} side */
  selectWord(index, isSecond, side) {
    if (isSecond && this.query !== undefined) {
      this.keyWord = this.keyWord === index ? undefined : index
      if (this.keyWord !== undefined) this.rankBy = 'example'
      this.#askPairs()
      return
    }
    if (side === 'keys' && this.stack === 'cross') {
      this.keyWord = this.keyWord === index ? undefined : index
      return
    }
    this.query = this.query === index ? undefined : index
    if (this.query === undefined) this.keyWord = undefined
    const { rankBy, keyWord } = this
    if (rankBy === 'example' && keyWord === undefined) this.rankBy = 'previous'
    this.row = this.stack === 'encoder' ? this.row : this.query
  }

  /** Maps of blocks do not hold the weight of one pair. */
  #askPairs() {
    const { query, keyWord, stack, maps } = this
    this.pairs = undefined
    if (!maps?.cells || query === undefined || keyWord === undefined) return
    this.session?.ask({ pairs: { stack, query, key: keyWord, isChanged: this.showing !== 'before' } })
  }

  /** @param {number} count */
  generate(count) {
    const { isGenerating, session } = this
    if (isGenerating) return session?.ask({ cancel: true })
    this.isGenerating = true
    this.row = undefined
    this.asked.generate = this.session?.ask({ generate: { ...this.sampling, count } }) ?? 0
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    const key = event.key.toLowerCase()
    const { chosen } = this
    if (event.key === 'Escape') {
      if (chosen.length) this.chosen = []
      else if (this.cell) this.selectCell(undefined)
      else if (this.head) this.openHead(undefined)
      else this.query = this.keyWord = this.first = undefined
      if (!(event.target instanceof Element && event.target.closest('details[open]'))) event.stopPropagation()
    } else if (isTyping) return
    else if ((event.ctrlKey || event.metaKey) && key === 'z') {
      if (event.shiftKey) this.redo()
      else this.undo()
      event.preventDefault()
      event.stopPropagation()
    } else if (key === 'b' && !event.ctrlKey && !event.metaKey && this.runAfter && !event.repeat) {
      const { showing } = this
      this.show('before')
      addEventListener('keyup', () => this.show(showing), { once: true })
    }
  }

  render() {
    const { t, run, head } = this
    return html`<main class="models ${head ? 'has-head' : ''}" id="stage" tabindex="-1" data-tab=${this.tab} aria-busy=${this.running !== undefined || (this.plan !== undefined && !('isTooLarge' in this.plan && this.plan.isTooLarge))}>
      ${opening(this)} ${story(this)}
      ${
        run
          ? html`${strips(this)}
        <div class="models-tabs" role="group" aria-label=${t('modelsParts')}>${(
          /** @type {const} */ (['heads', 'prediction', 'changes'])
        ).map(
          name =>
            html`<button type="button" class="tab" aria-pressed=${this.tab === name} @click=${() => {
              this.tab = name
            }}>${t(`modelsTab.${name}`)}</button>`,
        )}</div>
        ${changes(this)}
        <div class="models-stage">${head ? headPage(this, head) : overview(this)}<div class="models-side">${inspector(this)}${predictionPanel(this)}</div></div>
        ${generateBar(this)}${programs(this)}`
          : nothing
      }
    </main>`
  }
}

customElements.define('models-room', ModelsRoom)
