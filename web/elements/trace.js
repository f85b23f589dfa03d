import { css, html, nothing } from 'lit'
import { QkvElement } from './base.js'
import { define } from './define.js'
import './heads.js'
import './heatmap.js'
import { commonTexts, traceTexts } from './element-texts.js'
import { movedInRing } from './keys.js'
import { headsOf, matrixOf, scaleOf, stepsOf } from './scale-steps.js'
import { sharedStyle } from './style.js'
import { asJSON, check, optionProblem, part } from './tensor-input.js'

/** @import { Trace } from './scale-steps.js' */
/** @import { TensorLike } from './tensor-input.js' */

/** @typedef {{ 'step-select': { step: string }, 'head-select': { head: number } }} TraceEvents */

/**
 * Shows a trace returned by `qkv.trace` or a layer's `trace`: a choice of steps and heads, and the chosen step's matrix in the chosen head.
 * Events of the inner heads and map bubble out.
 * @tagname qkv-trace
 * @fires {CustomEvent<{ step: string }>} step-select - another step is chosen
 * @fires {CustomEvent<{ head: number }>} head-select - another head is selected
 */
export class QkvTrace extends /** @type {new () => import('./base.js').Emits<TraceEvents> & QkvElement} */ (
  QkvElement
) {
  /** @internal @type {unknown[]} */
  static styles = [
    sharedStyle,
    css`
      .steps {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem;
        margin-block-end: 0.5rem;
      }
      [role='tab'][aria-selected='true'] {
        border-color: currentColor;
        color: var(--qkv-ink, CanvasText);
      }
      qkv-heads {
        margin-block-end: 0.75rem;
      }
    `,
  ]

  /** @internal */
  static properties = {
    trace: { converter: asJSON },
    queryTokens: { attribute: 'query-tokens', converter: asJSON },
    keyTokens: { attribute: 'key-tokens', converter: asJSON },
    step: {},
    head: { type: Number },
    batch: { type: Number },
    decimals: { type: Number },
  }

  /** @internal */
  words = { ...commonTexts, ...traceTexts }

  constructor() {
    super()
    /** @type {Trace | undefined} */
    this.trace = undefined
    /** @type {readonly string[]} */
    this.queryTokens = []
    /** Labels of the keys; default those of the queries. @type {readonly string[] | undefined} */
    this.keyTokens = undefined
    /** Name of the displayed step; default the weights, or the last step. @type {string | undefined} */
    this.step = undefined
    this.head = 0
    this.batch = 0
    this.decimals = 4
  }

  /**
   * The weights as <qkv-heads> takes them, (H, L, S). Cached, so that choosing another step does not redraw them.
   * @type {{ tensor: TensorLike, batch: number, weights: TensorLike } | undefined}
   */
  #seen = undefined

  get #steps() {
    return this.trace ? stepsOf(this.trace) : []
  }

  /** @param {readonly import('./scale-steps.js').Step[]} steps */
  #chosen(steps) {
    const at = steps.findIndex(({ name }) => name === (this.step ?? 'weights'))
    return at < 0 ? steps.length - 1 : at
  }

  /** @param {string} name */
  #select(name) {
    if (name === this.step) return
    this.step = name
    this.fire('step-select', { step: name })
  }

  /** @param {KeyboardEvent} event */
  #key = event => {
    const steps = this.#steps
    const next = movedInRing(event, this.#chosen(steps), steps.length)
    if (next === undefined) return
    event.preventDefault()
    this.#select(steps[next].name)
    this.updateComplete.then(() => {
      /** @type {NodeListOf<HTMLElement>} */
      const tabs = this.renderRoot.querySelectorAll('[role=tab]')
      tabs[next]?.focus()
    })
  }

  /** Returns the name of an axis. @param {string} axis */
  #axis(axis) {
    if (axis === 'L') return this.say('queries')
    if (axis === 'S') return this.say('keys')
    if (axis === '1') return ''
    return this.say('dimensions')
  }

  /** Returns the tokens along an axis; numbers from 1 if there are none. @param {string} axis @param {number} count */
  #tokens(axis, count) {
    const tokens = axis === 'L' ? this.queryTokens : axis === 'S' ? (this.keyTokens ?? this.queryTokens) : []
    if (axis === '1') return []
    return tokens?.length === count ? tokens : Array.from({ length: count }, (_, i) => String(i + 1))
  }

  /** @internal */
  picture() {
    /** @type {import('./heatmap.js').QkvHeatmap | null} */
    const map = this.renderRoot.querySelector('qkv-heatmap')
    return map?.picture() ?? { width: 96, height: 24, draw: () => {} }
  }

  /** Returns the weights of all heads, (H, L, S). @param {readonly import('./scale-steps.js').Step[]} steps */
  #weights(steps) {
    const step = steps.find(({ name, axes }) => name === 'weights' && axes.endsWith('HLS'))
    if (!step) return undefined
    if (this.#seen?.tensor === step.tensor && this.#seen.batch === this.batch) return this.#seen.weights
    const { data, dims } = check(step.tensor, step.axes.length)
    const inner = dims.slice(-3)
    const size = inner.reduce((a, b) => a * b, 1)
    const weights = { data: part(data, dims.length > 3 ? Math.min(this.batch, dims[0] - 1) : 0, size), dims: inner }
    this.#seen = { tensor: step.tensor, batch: this.batch, weights }
    return weights
  }

  /** @internal @returns {unknown} */
  render() {
    try {
      const wrong = optionProblem(this)
      if (wrong) throw wrong
      const steps = this.#steps
      return steps.length ? this.#shown(steps) : this.nothing()
    } catch (error) {
      return this.problem(error)
    }
  }

  /** @param {readonly import('./scale-steps.js').Step[]} steps at least one */
  #shown(steps) {
    const at = this.#chosen(steps)
    const step = steps[at]
    const heads = headsOf(steps)
    const matrix = matrixOf(step, this.batch, this.head, heads)
    const weights = heads > 1 ? this.#weights(steps) : undefined
    const dims = Array.from(step.tensor.dims ?? step.tensor.shape ?? []).join(', ')
    return html`${this.theme.probe}
      <div class="steps" role="tablist" aria-label=${this.say('steps')} @keydown=${this.#key}>
        ${steps.map(
          ({ name }, i) => html`<button
            type="button"
            role="tab"
            id="step-${i}"
            aria-selected=${i === at}
            aria-controls="panel"
            tabindex=${i === at ? 0 : -1}
            @click=${() => this.#select(name)}
          >${this.name(name)}</button>`,
        )}
      </div>
      ${
        weights
          ? html`<qkv-heads
              .weights=${weights}
              .selected=${Math.min(this.head, heads - 1)}
              .texts=${this.texts}
              .numbers=${false}
              @head-select=${(/** @type {CustomEvent} */ event) => {
                this.head = event.detail.head
              }}
            ></qkv-heads>`
          : nothing
      }
      <div id="panel" role="tabpanel" aria-labelledby="step-${at}">
        <p class="quiet">${this.say('shape', { name: this.name(step.name), dims })}</p>
        <qkv-heatmap
          .label=${this.label ? `${this.label}: ${this.name(step.name)}` : this.name(step.name)}
          .matrix=${matrix}
          .scale=${scaleOf(step)}
          .rowTokens=${this.#tokens(matrix.rowAxis, matrix.dims[0])}
          .columnTokens=${this.#tokens(matrix.columnAxis, matrix.dims[1])}
          .rowTitle=${this.#axis(matrix.rowAxis)}
          .columnTitle=${this.#axis(matrix.columnAxis)}
          .decimals=${this.decimals}
          .texts=${this.texts}
        ></qkv-heatmap>
      </div>`
  }

  /** Returns the name of a step in the language of the page, from `step.NAME` in `texts`. @internal @param {string} name */
  name(name) {
    return /** @type {Record<string, string>} */ (this.texts)?.[`step.${name}`] ?? name
  }
}

define('qkv-trace', QkvTrace)
