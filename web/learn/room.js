// The room "Learn": one task, its model, and the reader's hands on it. The session behind it trains in a worker.

import { html, LitElement, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { copy, save } from '../formats/carry.js'
import { checkLearn, fieldsOf, POSITIONS, RANGES, writeLearn } from './check.js'
import { curves, linesOf } from './curves.js'
import { openSession } from './open.js'
import { pytorchProgram } from './pytorch.js'
import { RECIPES } from './recipes.js'
import { EVERY } from './session.js'
import { SOURCE_WORDS } from './tasks/translation.js'

/** @typedef {import('../i18n/index.js').Translate} Translate */
/** @typedef {import('./run.js').Task} Task */
/** @typedef {import('./session.js').Report} Report */
/** @typedef {import('./check.js').Field} Field */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

const TASKS = /** @type {Task[]} */ (Object.keys(RECIPES))
const PACES = { full: Number.POSITIVE_INFINITY, ten: 10, one: 1 }
/** Characters that a text needs at least, and the text that is there at first. */
const LEAST_TEXT = 520
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)}%`

export class LearnRoom extends LitElement {
  static properties = {
    t: { attribute: false },
    task: {},
    learn: {},
    change: { attribute: false },
    report: { state: true },
    failure: { state: true },
    selected: { state: true },
    pace: { state: true },
    wasHidden: { state: true },
    copied: { state: true },
  }

  constructor() {
    super()
    /** @type {Translate} */
    this.t = /** @type {any} */ (undefined)
    /** @type {Task} */
    this.task = 'induction'
    /** Settings that differ from the recipe's, as text: see check.js. */
    this.learn = ''
    /** Tells the page of a new task or new settings. @type {(patch: { task?: Task, learn?: string }) => void} */
    this.change = () => {}
    /** @type {Report | undefined} */
    this.report = undefined
    /** @type {string | undefined} */
    this.failure = undefined
    /** @type {{ layer: number, head: number }} */
    this.selected = { layer: 0, head: 0 }
    /** @type {keyof typeof PACES} */
    this.pace = 'full'
    this.wasHidden = false
    this.copied = false
    /** @type {import('./open.js').Session | undefined} */
    this.session = undefined
    /** @type {import('./curves.js').Point[]} */
    this.points = []
    /** @type {number[]} */
    this.losses = []
    /** @type {Record<string, number>} */
    this.factors = {}
    /** @type {number | null} */
    this.at = null
    this.probe = ''
    this.text = ''
    this.opened = ''
  }

  /** The styles of the page hold here. */
  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    document.addEventListener('visibilitychange', this.#onVisibility)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    document.removeEventListener('visibilitychange', this.#onVisibility)
    this.session?.close()
    this.session = undefined
    this.opened = ''
  }

  #onVisibility = () => {
    if (document.hidden && this.report?.isTraining) {
      this.wasHidden = true
      this.session?.ask({ isTraining: false })
    } else if (!document.hidden && this.wasHidden) {
      this.wasHidden = false
      this.session?.ask({ isTraining: true })
    }
  }

  /** A new task or new settings open a new run. */
  willUpdate() {
    const key = `${this.task}?${this.learn}`
    if (key === this.opened) return
    if (this.opened.split('?')[0] !== this.task) this.probe = ''
    this.opened = key
    this.#open()
  }

  #open() {
    this.session ??= openSession(report => this.#take(report))
    const { settings } = checkLearn(this.task, this.learn)
    this.report = undefined
    this.failure = undefined
    this.points = []
    this.losses = []
    this.factors = {}
    this.at = null
    const last = this.task === 'translation' ? 1 : settings.layers - 1
    this.selected = { layer: last, head: 0 }
    this.wasHidden = false
    if (this.task === 'text' && Array.from(this.text).length < LEAST_TEXT) return
    const { task, text } = this
    this.session.ask({
      open: { task, settings, text },
      isTraining: false,
      factors: {},
      at: null,
      probe: this.probe,
      pace: PACES[this.pace],
    })
  }

  /** @param {Report | { failure: string }} report */
  #take(report) {
    if ('failure' in report) {
      this.failure = report.failure
      return
    }
    this.points.push(...report.evaluations)
    this.losses.push(...report.losses)
    this.report = report
  }

  /** @param {number} layer @param {number} head */
  #toggle(layer, head) {
    const name = `${layer}.${head}`
    this.factors = { ...this.factors, [name]: this.factors[name] === 0 ? 1 : 0 }
    this.session?.ask({ factors: this.factors })
  }

  /** @param {number | null} at */
  #show(at) {
    this.at = at
    this.session?.ask({ at })
  }

  /** @param {Partial<Record<Field, unknown>>} patch */
  #set(patch) {
    const { settings } = checkLearn(this.task, this.learn)
    this.change({ learn: writeLearn(this.task, { ...settings, ...patch }) })
  }

  #train = () => {
    const isTraining = !this.report?.isTraining
    this.at = null
    this.session?.ask({ isTraining, at: null, pace: PACES[this.pace] })
  }

  render() {
    const { t, task, report } = this
    const { settings, problems } = checkLearn(task, this.learn)
    const summary = settings.layers === 1 ? 'learnSummaryOne' : 'learnSummary'
    return html`<main class="learn" id="stage">
      <div class="learn-bar">
        <label>${t('learnTask')} <select id="learn-task" @change=${(/** @type {InputEvent} */ { target }) => this.change({ task: /** @type {Task} */ (target.value), learn: '' })}>
          ${TASKS.map(name => html`<option value=${name} ?selected=${name === task}>${t(`task.${name}`)}</option>`)}
        </select></label>
        <details class="learn-settings"><summary>${t('learnSettings')}: ${t(summary, /** @type {any} */ (settings))}</summary>${this.#fields(settings)}</details>
      </div>
      ${problems.map(problem => html`<p class="learn-problem" role="alert">${this.#complaint(problem, settings)}</p>`)}
      <p class="learn-text">${t(`task.${task}.text`)}</p>
      ${task === 'text' ? this.#ownText() : nothing}
      ${this.failure === undefined ? nothing : html`<p class="learn-problem" role="alert">${t('learnFailed', { message: this.failure })}</p>`}
      ${
        report
          ? html`<div class="learn-stage">
        ${this.#probe(report)}<section class="learn-model">${this.#layers(report)}</section>
        <section class="learn-run">${this.#curves(report)}</section>
      </div>`
          : nothing
      }
      ${this.#dock(report)}
      ${report ? this.#along(report) : nothing}
    </main>`
  }

  /** @param {import('./check.js').Problem} problem @param {import('./recipes.js').LearnSettings} settings */
  #complaint({ field, given, least = 0, most = 0, whole, divides }, settings) {
    const { t } = this
    const expected = divides
      ? t('learnDivides', { d: settings.d })
      : t(whole ? 'learnWhole' : 'learnRange', { least, most })
    return t('learnBad', { field: t(/** @type {any} */ (`learn.${field}`)), given, expected })
  }

  /** @param {import('./recipes.js').LearnSettings} settings */
  #fields(settings) {
    const { t } = this
    return html`<div class="learn-fields">${fieldsOf(this.task).map(field => {
      const label = t(/** @type {any} */ (`learn.${field}`))
      const range = RANGES[field]
      if (range)
        return html`<label>${label} <input type="number" id="learn-set-${field}" min=${range.least} max=${range.most} step=${range.whole ? 1 : 'any'} .value=${live(String(settings[field]))} @change=${(/** @type {InputEvent} */ { target }) => this.#set({ [field]: target.value })} /></label>`
      if (field === 'norm')
        return html`<label><input type="checkbox" id="learn-norm" .checked=${live(settings.norm)} @change=${(/** @type {InputEvent} */ { target }) => this.#set({ norm: target.checked })} /> ${label}</label>`
      return html`<label>${label} <select id="learn-positions" @change=${(/** @type {InputEvent} */ { target }) => this.#set({ positions: target.value })}>
        ${POSITIONS.map(each => html`<option value=${each} ?selected=${each === settings.positions}>${t(`learn.positions.${each}`)}</option>`)}
      </select></label>`
    })}</div>`
  }

  #ownText() {
    const { t } = this
    const isShort = Array.from(this.text).length < LEAST_TEXT
    return html`<label class="learn-own">${t('learnText')}
      <textarea id="learn-own" rows="4" .value=${live(this.text)} @change=${(/** @type {InputEvent} */ { target }) => {
        this.text = target.value
        this.#open()
        this.requestUpdate()
      }}></textarea></label>${isShort ? html`<p class="note">${t('learnTextOwn', { least: LEAST_TEXT })}</p>` : nothing}`
  }

  /** @param {Report} report */
  #probe({ shown, steps }) {
    const { t, task } = this
    if (!shown) return nothing
    const [best] = shown.next
    const isWhole = task === 'translation' || task === 'sort' || task === 'reverse'
    const answer = isWhole ? shown.answers.join(' ') : t('learnSays', { token: best.token, share: percent(best.share) })
    return html`<div class="learn-probe">
      <label>${t(`probeLabel.${task}`)}
        <input id="learn-probe" type="text" autocomplete="off" spellcheck="false" list=${task === 'translation' ? 'learn-words' : nothing} .value=${live(this.probe || shown.probe)} @change=${(
          /** @type {InputEvent} */ { target },
        ) => {
          this.probe = target.value
          this.session?.ask({ probe: target.value })
        }} /></label>
      ${shown.trouble ? html`<p class="learn-problem" role="alert">${shown.trouble}</p>` : nothing}
      <p class="learn-answer" id="learn-answer" role="status" lang=${task === 'translation' ? 'zh' : nothing}>${answer}</p>
      ${steps === 0 ? html`<p class="note">${t('learnUntrained')}</p>` : nothing}
      ${task === 'translation' ? html`<details class="learn-words"><summary>${t('learnWords')}</summary><p>${SOURCE_WORDS.join(' ')}</p></details>` : nothing}
    </div>`
  }

  /** @param {Report} report */
  #layers({ shown, changed, settings }) {
    const { t, task, selected } = this
    if (!shown) return nothing
    const layer = shown.layers[Math.min(selected.layer, shown.layers.length - 1)]
    const head = Math.min(selected.head, layer.dims[0] - 1)
    const [, rows, columns] = layer.dims
    const matrix = {
      data: layer.data.subarray(head * rows * columns, (head + 1) * rows * columns),
      dims: [rows, columns],
    }
    const isCausal = RECIPES[task].causal
    const mask = isCausal && {
      data: Uint8Array.from(matrix.data, (_, i) => Number(i % columns <= Math.floor(i / columns))),
      dims: matrix.dims,
    }
    const nameOf = (/** @type {number} */ l, /** @type {number} */ h) => `${l + 1}.${h + 1}`
    const titleOf = (/** @type {number} */ l) =>
      task === 'translation' ? t(l ? 'learnLayer.cross' : 'learnLayer.encoder') : t('learnLayer', { layer: l + 1 })
    return html`<div class="learn-layers">
        ${shown.layers.map(
          (weights, l) => html`<section class="learn-layer"><h2>${titleOf(l)}</h2>
            <qkv-heads .texts=${t.elements} .weights=${weights} .selected=${l === selected.layer ? head : -1} .names=${Array.from({ length: settings.heads }, (_, h) => nameOf(l, h))} label=${titleOf(l)} @head-select=${(
              /** @type {CustomEvent} */ { detail },
            ) => {
              this.selected = { layer: l, head: detail.head }
            }}></qkv-heads>
            <div class="learn-switches">${Array.from({ length: settings.heads }, (_, h) => {
              const isOff = this.factors[`${l}.${h}`] === 0
              const name = nameOf(l, h)
              return html`<button type="button" class="tool ${isOff ? 'is-off' : ''}" aria-pressed=${!isOff} aria-label=${t('learnOnOff', { name })} @click=${() => this.#toggle(l, h)}>${name} ${t(isOff ? 'learnOff' : 'learnOn')}</button>`
            })}</div></section>`,
        )}
      </div>
      ${
        changed
          ? html`<p class="learn-changed" role="status">${t('learnChanged', { before: percent(changed.before), after: percent(changed.accuracy) })}
        <button type="button" class="tool" @click=${() => {
          this.factors = {}
          this.session?.ask({ factors: {} })
        }}>${t('learnRestore')}</button></p>`
          : nothing
      }
      <h2>${t('learnHead', { name: nameOf(selected.layer, head) })}</h2>
      <qkv-heatmap class="learn-map" .texts=${t.elements} label=${t('learnHead', { name: nameOf(selected.layer, head) })} .matrix=${matrix} .mask=${mask || undefined} .rowTokens=${layer.rows} .columnTokens=${layer.columns} .domain=${[0, 1]} legend></qkv-heatmap>`
  }

  /** @param {Report} report */
  #curves({ settings, shownAt, reachedAt, steps }) {
    const { t, task } = this
    const outputs = { induction: settings.V, sort: settings.V, reverse: settings.V, translation: 66, text: 60 }[task]
    return html`${curves({ t, task, points: this.points, losses: this.losses, steps: settings.steps, shownAt, guess: 1 / outputs, reachedAt })}
      <label class="learn-at">${t('learnAt')}
        <input id="learn-at" type="range" min="0" max=${settings.steps} step=${EVERY} .value=${live(String(shownAt))} aria-valuetext=${t('learnAtValue', { step: shownAt })} @input=${(/** @type {InputEvent} */ { target }) => this.#show(Number(target.value))} /></label>
      <button type="button" class="tool" id="learn-live" ?disabled=${this.at === null} @click=${() => this.#show(null)}>${t('learnLive')} ${steps}</button>
      <details class="learn-table"><summary>${t('learnTable')}</summary><table>
        <tr><th>${t('learnAt')}</th>${linesOf(task).map(({ name }) => html`<th>${t(/** @type {any} */ (name))}</th>`)}</tr>
        ${this.points.map(point => html`<tr><td>${point.step}</td>${linesOf(task).map(({ value }) => html`<td>${value(point).toFixed(3)}</td>`)}</tr>`)}
      </table></details>`
  }

  /** @param {Report | undefined} report */
  #dock(report) {
    const { t, task } = this
    const isTraining = report?.isTraining ?? false
    const goal = percent(RECIPES[task].goal)
    const { steps = 0, settings, reachedAt = null, divergedAt = null } = report ?? {}
    const isEnded = settings !== undefined && (steps >= settings.steps || divergedAt !== null)
    const said = this.wasHidden
      ? t('learnHidden')
      : divergedAt !== null
        ? t('learnDiverged', { step: divergedAt })
        : reachedAt !== null
          ? `${t('learnReached', { goal, step: reachedAt })} ${this.#found(settings)}`
          : isEnded
            ? t('learnEnded', { steps, goal })
            : ''
    return html`<div class="dock learn-dock"><div class="dock-row">
      <button type="button" class="tool is-filled" id="learn-train" ?disabled=${!report || isEnded} @click=${this.#train}>${t(isTraining ? 'learnPause' : 'learnTrain')}</button>
      <button type="button" class="tool" id="learn-step" ?disabled=${!report || isEnded} @click=${() => this.session?.ask({ step: true, at: null })}>${t('learnStep')}</button>
      <button type="button" class="tool" id="learn-restart" ?disabled=${!report && this.failure === undefined} @click=${() => {
        this.#open()
        this.requestUpdate()
      }}>${t('learnRestart')}</button>
      <label>${t('learnPace')} <select id="learn-pace" @change=${(/** @type {InputEvent} */ { target }) => {
        this.pace = /** @type {keyof typeof PACES} */ (target.value)
        this.session?.ask({ pace: PACES[this.pace] })
      }}>${Object.keys(PACES).map(name => html`<option value=${name} ?selected=${name === this.pace}>${t(/** @type {any} */ (`learnPace.${name}`))}</option>`)}</select></label>
      <span class="learn-steps" id="learn-steps">${settings ? t('learnSteps', { step: steps, steps: settings.steps }) : nothing}</span>
      <span class="learn-said" role="status">${said}</span>
    </div></div>`
  }

  /** Which heads do it, in words. @param {import('./recipes.js').LearnSettings | undefined} settings */
  #found(settings) {
    const { t, task } = this
    const last = this.points[this.points.length - 1]
    if (!last || !settings) return ''
    const { scores, best } = last
    const answers = {
      layer: task === 'translation' ? 2 : settings.layers,
      head: best.induction + 1,
      share: percent(scores.induction),
    }
    const before = { layer: 1, head: best.previous + 1, share: percent(scores.previous) }
    if (task === 'text') return t('learnFoundBefore', before)
    const found = t(`learnFound.${task}`, answers)
    return task === 'induction' && settings.layers > 1 ? `${t('learnFoundBefore', before)} ${found}` : found
  }

  /** @param {Report} report */
  #along({ settings }) {
    const { t, task } = this
    const program = pytorchProgram(task, settings, this.text)
    return html`<details class="learn-along"><summary>${t('learnProgram')}</summary><p>${t('learnProgramText')}</p>
        <button type="button" class="tool" @click=${async () => {
          this.copied = await copy(program)
        }}>${t('learnCopy')}${this.copied ? ' ✓' : ''}</button>
        <pre tabindex="0"><code>${program}</code></pre></details>
      <button type="button" class="tool" id="learn-csv" @click=${() => save(`${task}.csv`, this.#csv(), 'text/csv')}>${t('learnSaveCurves')}</button>`
  }

  #csv() {
    const head = 'step,accuracy,heldOutAccuracy,alignment,previous,induction,loss,heldOutLoss'
    const rows = this.points.map(({ step, accuracy, heldOutAccuracy, alignment, scores, loss, heldOutLoss }) =>
      [step, accuracy, heldOutAccuracy, alignment, scores.previous, scores.induction, loss, heldOutLoss].join(','),
    )
    return [head, ...rows, ''].join('\n')
  }
}

customElements.define('learn-room', LearnRoom)
