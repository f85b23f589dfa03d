import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { isSame, PRESETS, RANGES } from '../state.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').TemplateResult} TemplateResult */
/** @typedef {import('../state.js').Field} Field */
/** @typedef {import('../state.js').NumberField} NumberField */
/** @typedef {import('../state.js').Preset} Preset */
/** @typedef {import('../state.js').Problems} Problems */
/** @typedef {import('../i18n/index.js').Key} Key */
/** @typedef {Context & { problems: Problems }} Checked */

/**
 * A labelled control with room for what is wrong with it.
 * @param {Checked} context
 * @param {Field} field
 * @param {Key} label
 * @param {TemplateResult} control
 */
function labelled({ t, problems }, field, label, control) {
  const problem = problems[field]
  return html`<div class="field field-${field}">
    <label for=${field}>${t(label)}</label>
    ${control}
    <p class="problem" id="${field}-problem" aria-live="polite">${problem ? t(problem.key, problem.params) : nothing}</p>
  </div>`
}

/** @param {Checked} context @param {Field} field @param {Key} label */
function textBox(context, field, label) {
  const { state, actions, problems } = context
  const control = html`<textarea
    id=${field}
    rows="2"
    spellcheck="false"
    autocapitalize="off"
    aria-invalid=${problems[field] ? 'true' : 'false'}
    aria-describedby="${field}-problem"
    .value=${live(state.inputs[field])}
    @input=${(/** @type {Event & { target: HTMLTextAreaElement }} */ event) => actions.change(field, event.target.value)}
  ></textarea>`
  return labelled(context, field, label, control)
}

/** @param {Checked} context @param {NumberField | 'seed'} field */
function numberBox(context, field) {
  const { state, actions, problems } = context
  const [least, most] = field === 'seed' ? [nothing, nothing] : RANGES[field]
  const control = html`<input
    id=${field}
    type=${field === 'seed' ? 'text' : 'number'}
    inputmode="numeric"
    autocomplete="off"
    min=${least}
    max=${most}
    aria-invalid=${problems[field] ? 'true' : 'false'}
    aria-describedby="${field}-problem"
    .value=${live(state.inputs[field])}
    @input=${(/** @type {Event & { target: HTMLInputElement }} */ event) => actions.change(field, event.target.value)}
  />`
  return labelled(context, field, field, control)
}

/**
 * @template {'kind' | 'mask'} F
 * @param {Checked} context
 * @param {F} field
 * @param {readonly import('../state.js').Inputs[F][]} choices
 */
function choice(context, field, choices) {
  const { t, state, actions } = context
  const control = html`<select
    id=${field}
    .value=${live(state.inputs[field])}
    @change=${(/** @type {Event & { target: HTMLSelectElement }} */ event) => actions.change(field, event.target.value)}
  >
    ${choices.map(
      name =>
        html`<option value=${name} ?selected=${state.inputs[field] === name}>
          ${t(/** @type {Key} */ (`${field}.${name}`))}
        </option>`,
    )}
  </select>`
  return labelled(context, field, field, control)
}

/** @param {Context} context */
function presets({ t, state, actions }) {
  const names = /** @type {Preset[]} */ (Object.keys(PRESETS))
  return html`<div class="presets" role="group" aria-label=${t('presets')}>
    ${names.map(
      name =>
        html`<button
          type="button"
          data-preset=${name}
          aria-pressed=${isSame(PRESETS[name], state.inputs)}
          @click=${() => actions.choose(PRESETS[name])}
        >
          ${t(`preset.${name}`)}
        </button>`,
    )}
  </div>`
}

/**
 * Everything the reader can set.
 * @param {Checked} context
 */
export function controls(context) {
  const { t, state } = context
  const isCross = state.inputs.kind === 'cross'
  return html`<form class="controls" aria-label=${t('settings')} @submit=${(/** @type {Event} */ e) => e.preventDefault()}>
    ${presets(context)}
    <div class="sentences">
      ${textBox(context, 'sentence', isCross ? 'sentenceQueries' : 'sentence')}
      ${isCross ? textBox(context, 'second', 'second') : nothing}
    </div>
    <div class="fields">
      ${choice(context, 'kind', ['self', 'cross'])} ${choice(context, 'mask', ['none', 'causal', 'window'])}
      ${state.inputs.mask === 'window' ? [numberBox(context, 'left'), numberBox(context, 'right')] : nothing}
      ${numberBox(context, 'heads')} ${numberBox(context, 'dModel')} ${numberBox(context, 'dKey')}
      ${numberBox(context, 'dValue')} ${numberBox(context, 'seed')}
    </div>
  </form>`
}
