// The room "Learn": one task, its model, and the reader's changes. Its session trains in a worker.

import { html, LitElement, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { percent } from '../../files/number-format.js'
import { bar } from './bar.js'
import { changes as changesBar } from './changes-panel.js'
import { hasDefaults } from './check.js'
import { compare } from './compare-runs.js'
import { curves, linesOf } from './curves.js'
import { dock } from './dock.js'
import { chosen, gradients, layers } from './head-maps.js'
import { why } from './logit-shares-panel.js'
import { along, openModel } from './open-and-save.js'
import { EVERY } from './session.js'
import { markTarget, storyStart } from './story.js'
import { SOURCE_WORDS } from './tasks/translation.js'
import { translatorOf } from './texts.js'
import { watch } from './watch.js'

/** @typedef {import('../../i18n/index.js').Translate} Translate */
/** @typedef {import('./texts.js').LearnTranslate} LearnTranslate */
/** @typedef {import('./training-run.js').Task} Task */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** State of the element alone. @typedef {{ isPainting: boolean, isDifference: boolean, isAlong: boolean, gradient: string, program: '' | 'pytorch' | 'qkv', copied: string, problem: string }} View */

/**
 * What each part of the room receives.
 * @typedef {object} Context
 * @property {LearnTranslate} t
 * @property {import('../../i18n/index.js').ElementTexts} elements
 * @property {import('./watch.js').Watch} watch
 * @property {ParentNode} root
 * @property {View} view
 * @property {(patch: Partial<View>) => void} look
 * @property {() => void} refresh
 * @property {() => Promise<unknown>} settled the room is drawn
 * @property {(layer: number, head: number) => void} openLayer
 * @property {(stop: number | null) => void} tell goes to a stop of the story
 */

/** Announcements are at least so many milliseconds apart. */
const TALK = 5000

/** Scrolls to what a stop speaks of, if it is not in sight above the dock. @param {Element | null} target */
function reveal(target) {
  if (!target || target.closest('.dock')) return
  const { top, bottom, height } = target.getBoundingClientRect()
  const end = document.querySelector('.dock')?.getBoundingClientRect().top ?? innerHeight
  if (top < 0 || bottom > end) scrollBy({ top: top - Math.max(0, (end - height) / 2) })
}

export class LearnRoom extends LitElement {
  static properties = {
    t: { attribute: false },
    task: {},
    learn: {},
    change: { attribute: false },
    openGiven: { attribute: false },
    tell: { attribute: false },
    sentence: {},
    view: { state: true },
  }

  constructor() {
    super()
    /** @type {Translate} */
    this.t = /** @type {any} */ (undefined)
    /** @type {Task} */
    this.task = 'induction'
    /** Settings that differ from the recipe's and changes of heads, as text: see check.js. */
    this.learn = ''
    /** Tells the page of a new task or new settings. @type {(patch: { task?: Task, learn?: string }) => void} */
    this.change = () => {}
    /** Opens tensors in the room "One layer". @type {(value: unknown, patch: object, from: string) => void} */
    this.openGiven = () => {}
    /** Tells the page what there is to undo, and where a paused run is. @type {(room: 'learn', news: import('../layer/views/context.js').OfRoom) => void} */
    this.tell = () => {}
    /** Of the room "One layer". */
    this.sentence = ''
    /** @type {View} */
    this.view = {
      isPainting: false,
      isDifference: false,
      isAlong: false,
      gradient: '',
      program: '',
      copied: '',
      problem: '',
    }
    this.#spoken = { text: '', time: 0 }
  }

  #spoken
  /** The layer whose matrices are awaited, to be opened. @type {{ layer: number, head: number } | undefined} */
  #opening = undefined

  /** The styles of the page hold here. */
  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    watch.onchange = () => {
      this.#deliver()
      this.requestUpdate()
    }
    document.addEventListener('visibilitychange', this.#onVisibility)
    this.addEventListener('keydown', this.#onKey)
    this.addEventListener('drop', this.#onDrop)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    document.removeEventListener('visibilitychange', this.#onVisibility)
    this.removeEventListener('keydown', this.#onKey)
    this.removeEventListener('drop', this.#onDrop)
    watch.onchange = () => this.#tell()
    watch.pause('left')
  }

  #onVisibility = () => {
    if (document.hidden) watch.pause('hidden')
    else watch.resume()
  }

  /** Undo while somebody types is the browser's. @param {KeyboardEvent} event */
  #onKey = event => {
    const { key, target } = event
    const isTyping = target instanceof HTMLElement && target.matches('input:not([type=range]), textarea')
    if (isTyping && (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(key)) event.stopPropagation()
  }

  #tell() {
    const { history, paused, report } = watch
    const t = translatorOf(this.t('htmlLang'))
    this.tell('learn', {
      ...(history.past.length && { undo: () => watch.undo() }),
      ...(history.future.length && { redo: () => watch.redo() }),
      ...(paused === 'left' && report && { note: t('learnSteps.short', { step: report.steps }) }),
    })
  }

  updated() {
    this.#tell()
    markTarget(this, watch)
  }

  /** A model that is dropped here opens here. @param {DragEvent} event */
  #onDrop = event => {
    const files = Array.from(event.dataTransfer?.files ?? [])
    if (!files.some(({ name }) => /\.safetensors$/i.test(name))) return
    event.preventDefault()
    event.stopPropagation()
    document.documentElement.classList.remove('is-dropping')
    openModel(this.#context(), files)
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    watch.link = this.change
    // What the room itself wrote into the link comes back with the next drawing of the page.
    if (changed.has('task') || changed.has('learn')) watch.show(this.task, this.learn)
  }

  /** What was asked for the room "One layer" is there. */
  #deliver() {
    const { opened } = watch.report?.shown ?? {}
    if (!this.#opening || opened?.layer !== this.#opening.layer || !watch.report) return
    const { head } = this.#opening
    this.#opening = undefined
    const { heads, causal, rows, columns } = opened
    const plain = Object.fromEntries(
      Object.entries(heads).map(([name, { dims, data }]) => [name, { dims: [...dims], data: Array.from(data) }]),
    )
    const step = watch.report.shownAt
    const from = translatorOf(this.t('htmlLang'))('learnBack', { step })
    watch.ask({ layer: null })
    this.openGiven({ ...plain, tokens: rows, keyTokens: columns }, { head, ...(causal && { mask: 'causal' }) }, from)
  }

  /** @returns {Context} */
  #context() {
    return {
      ...{ t: translatorOf(this.t('htmlLang')), elements: this.t.elements, watch, root: this, view: this.view },
      look: patch => {
        this.view = { ...this.view, ...patch }
      },
      refresh: () => this.requestUpdate(),
      settled: () => this.updateComplete,
      openLayer: (layer, head) => {
        this.#opening = { layer, head }
        watch.ask({ layer })
      },
      tell: stop => {
        watch.stop = stop
        this.requestUpdate()
        this.updateComplete.then(() => {
          document.getElementById('story')?.focus({ preventScroll: true })
          if (stop !== null) reveal(this.querySelector('[data-tour]'))
        })
      },
    }
  }

  render() {
    const context = this.#context()
    const { t } = context
    const { report, changes, history } = watch
    const set = (/** @type {readonly import('../../head/cell-changes.js').Change[]} */ list, mark = '') =>
      watch.change(list, mark)
    const effect = report?.changed && {
      before: percent(report.changed.before),
      after: percent(report.changed.accuracy),
    }
    return html`<main class="learn" id="stage">
      ${bar(context)}
      ${
        report
          ? html`<div class="learn-stage">
        <div class="learn-says">${watch.stop === null ? storyStart(context) : nothing}${this.#probe(context, report)}${this.#why(context, report)}</div>
        <section class="learn-model">
          ${layers(context, report)}
          ${changesBar({ t, changes, set, effect, undo: history.past.length ? () => watch.undo() : undefined, redo: history.future.length ? () => watch.redo() : undefined })}
          ${chosen(context, report)}
          ${gradients(context, report)}
        </section>
        <section class="learn-run">${this.#curves(context, report)}${compare(context, report)}</section>
      </div>`
          : watch.task === 'text' && watch.stop === null
            ? storyStart(context)
            : nothing
      }
      ${dock(context)}
      ${report ? along(context, report) : nothing}
    </main>`
  }

  /** @param {Context} context @param {Report} report */
  #probe({ t }, { shown, steps, isOpened }) {
    const { task } = watch
    if (!shown) return nothing
    const [best] = shown.next
    const isWhole = task === 'translation' || task === 'sort' || task === 'reverse'
    const lang = task === 'translation' ? 'zh' : nothing
    const answer = (/** @type {string} */ text, /** @type {number} */ index, /** @type {string} */ label) =>
      html`<button type="button" class="answer-token" lang=${lang} aria-pressed=${watch.why === index} aria-label=${label} @click=${() => watch.explain(watch.why === index ? null : index)}>${text}</button>`
    const last = shown.answers.length - 1
    const said = t('learnSays', { token: best.token, share: percent(best.share) })
    return html`<div class="learn-probe">
      <label>${t(`probeLabel.${task}`)}
        <input id="learn-probe" type="text" autocomplete="off" spellcheck="false" .value=${watch.probe || shown.probe} @change=${(
          /** @type {InputEvent} */ { target },
        ) => {
          watch.probe = target.value
          watch.ask({ probe: target.value })
        }} /></label>
      ${shown.trouble ? html`<p class="learn-problem" role="alert">${shown.trouble}</p>` : nothing}
      ${task === 'translation' || task === 'text' ? this.#own(t, shown.trouble !== undefined) : nothing}
      <p class="learn-answer" id="learn-answer">${
        isWhole
          ? shown.answers.map((token, i) => html`${answer(token, i, t('why', { token }))} `)
          : answer(said, last, `${said}. ${t('why', { token: best.token })}`)
      }${shown.continued === undefined ? nothing : html`<span class="learn-continued"><bdi>${watch.probe || shown.probe}</bdi><mark>${shown.continued}</mark></span>`}</p>
      <p class="note">${steps === 0 && !isOpened ? t('learnUntrained') : t('learnWhyHint')}</p>
      ${
        task === 'translation'
          ? html`<details class="learn-words"><summary>${t('learnWords')}</summary><p>${SOURCE_WORDS.map(
              word =>
                html`<button type="button" class="learn-word" @click=${() => {
                  watch.probe = `${watch.probe || ''} ${word}`.trim()
                  watch.ask({ probe: watch.probe })
                }}>${word}</button> `,
            )}<button type="button" class="learn-word" @click=${() => {
              watch.probe = ''
              watch.ask({ probe: '' })
            }}>×</button></p></details>`
          : nothing
      }
      ${this.#announce(t)}
    </div>`
  }

  /** The sentence of the room "One layer", for this model. @param {LearnTranslate} t @param {boolean} hasTrouble */
  #own(t, hasTrouble) {
    const { task, probe } = watch
    const isKnown = (/** @type {string} */ part) =>
      task === 'translation' ? SOURCE_WORDS.includes(part) : watch.characters.includes(part)
    const parts = task === 'translation' ? probe.split(/(\s+)/) : Array.from(probe)
    return html`<p class="learn-own-sentence"><button type="button" class="tool" id="learn-use-sentence" ?disabled=${!this.sentence} title=${t('learnUseSentenceText')} @click=${() => {
      watch.probe = this.sentence
      watch.ask({ probe: this.sentence })
    }}>${t('learnUseSentence')}</button>
      ${hasTrouble ? html`<span class="note" id="learn-unknown">${parts.map(part => (part.trim() && !isKnown(part) ? html`<u>${part}</u>` : part))}</span>` : nothing}</p>`
  }

  /** What a screen reader hears, now and then. @param {LearnTranslate} t */
  #announce(t) {
    const { report, points } = watch
    const now = performance.now()
    const last = points.at(-1)
    if (report && last && (!report.isTraining || now - this.#spoken.time > TALK))
      this.#spoken = {
        time: now,
        text: t('learnSpoken', { step: report.steps, accuracy: percent(last.heldOutAccuracy) }),
      }
    return html`<p class="offstage" role="status" id="learn-spoken">${this.#spoken.text}</p>`
  }

  /** @param {Context} context @param {Report} report */
  #why({ t }, { shown }) {
    if (watch.why === null || !shown?.why) return nothing
    const { tokens, shares, columns } = shown.why
    const isCross = watch.task === 'translation' && !watch.settings.mlp
    return why({
      ...{ t, tokens, shares, columns, isCross, ...watch.whyView },
      set: patch => {
        watch.whyView = { ...watch.whyView, ...patch }
        this.requestUpdate()
      },
      close: () => watch.explain(null),
    })
  }

  /** @param {Context} context @param {Report} report */
  #curves({ t }, { settings, shownAt, reachedAt, divergedAt, steps, nowhere, shown }) {
    const { task, points, losses, kept } = watch
    const outputs = task === 'translation' ? 66 : task === 'text' ? watch.characters.length : settings.V
    const lines = linesOf(task)
    const most = Math.max(settings.steps, steps)
    const heads = points[0]?.heads.flatMap((layer, l) => layer.map((_, h) => ({ l, h }))) ?? []
    return html`${curves({ t, task, points, losses, steps: most, hasBand: hasDefaults(task, settings), shownAt, guess: 1 / outputs, nowhere, reachedAt, divergedAt, kept })}
      <label class="learn-at">${t('learnAt')} <output>${shownAt}</output>
        <input id="learn-at" type="range" min="0" max=${most} step=${EVERY} .value=${live(String(watch.at ?? shownAt))} aria-valuetext=${t('learnAtValue', { step: shownAt })} @input=${(/** @type {InputEvent} */ { target }) => watch.goTo(Math.min(Number(target.value), steps))} /></label>
      <button type="button" class="tool" id="learn-live" ?disabled=${watch.at === null} @click=${() => watch.goTo(null)}>${t('learnLive')} ${steps}</button>
      ${task === 'text' && points.length && shown ? html`<p class="learn-bits">${t('learnBits', { bits: (points[points.length - 1].heldOutLoss / Math.LN2).toFixed(2) })}</p>` : nothing}
      <details class="learn-table" @toggle=${() => this.requestUpdate()}><summary>${t('learnTable')}</summary>${
        /** @type {HTMLDetailsElement | null} */ (this.querySelector('.learn-table'))?.open
          ? html`<div class="learn-scroll" tabindex="0" role="group" aria-label=${t('learnTable')}><table>
        <tr><th scope="col">${t('learnAt')}</th>${lines.map(({ name }) => html`<th scope="col">${t(name)}</th>`)}${heads.map(({ l, h }) => html`<th scope="col">${t('learnScore.previous', { name: `${l + 1}.${h + 1}` })}</th><th scope="col">${t('learnScore.answer', { name: `${l + 1}.${h + 1}` })}</th>`)}</tr>
        ${points.map(point => html`<tr><th scope="row">${point.step}</th>${lines.map(({ value }) => html`<td>${value(point).toFixed(3)}</td>`)}${heads.map(({ l, h }) => html`<td>${point.heads[l][h].previous.toFixed(3)}</td><td>${point.heads[l][h].answer.toFixed(3)}</td>`)}</tr>`)}
      </table></div>`
          : nothing
      }</details>`
  }
}

customElements.define('learn-room', LearnRoom)
