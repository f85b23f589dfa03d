import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { CHOICES, RANGES, toNumber } from '../settings/check.js'
import { PRESETS } from '../settings/presets.js'
import { ZOO } from '../settings/state.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').TemplateResult} TemplateResult */
/** @typedef {import('../settings/check.js').Field} Field */
/** @typedef {import('../settings/check.js').NumberField} NumberField */
/** @typedef {import('../settings/check.js').ChoiceField} ChoiceField */
/** @typedef {import('../settings/presets.js').PresetId} PresetId */
/** @typedef {import('../i18n/index.js').Key} Key */

/** @typedef {Event & { target: HTMLInputElement & HTMLTextAreaElement & HTMLSelectElement }} ControlEvent */

/**
 * A labelled control with room for what is wrong with it.
 * @param {Context} context
 * @param {Field} field
 * @param {string} label
 * @param {TemplateResult} control
 */
function labelled({ t, problems }, field, label, control) {
  const problem = problems[field]
  return html`<div class="field field-${field}">
    <label for=${field}>${label}</label>
    ${control}
    <p class="problem" id="${field}-problem" aria-live="polite">${problem ? t(problem.key, problem.params) : nothing}</p>
  </div>`
}

/** @param {Context} context @param {'sentence' | 'second'} field @param {Key} label */
function textBox(context, field, label) {
  const { settings, actions, problems, t } = context
  const control = html`<textarea
    id=${field}
    rows="1"
    dir="auto"
    spellcheck="false"
    autocapitalize="off"
    aria-invalid=${problems[field] ? 'true' : 'false'}
    aria-describedby="${field}-problem"
    .value=${live(settings[field])}
    @input=${(/** @type {ControlEvent} */ event) => actions.change({ [field]: event.target.value }, field)}
  ></textarea>`
  return labelled(context, field, t(label), control)
}

/**
 * A box for a number; of `scale`, an empty one means that it follows from the rest.
 * @param {Context} context
 * @param {NumberField | 'seed' | 'scale'} field
 */
function numberBox(context, field) {
  const { settings, actions, problems, t } = context
  const range = field === 'seed' || field === 'scale' ? undefined : RANGES[field]
  const isWhole = range && !('open' in range)
  const value = (/** @type {string} */ text) => (field === 'scale' && text.trim() === '' ? null : text)
  const control = html`<input
    id=${field}
    type=${isWhole ? 'number' : 'text'}
    inputmode=${isWhole || field === 'seed' ? 'numeric' : 'decimal'}
    autocomplete="off"
    placeholder=${field === 'scale' ? t('scaleAuto') : nothing}
    min=${isWhole ? range.least : nothing}
    max=${isWhole ? range.most : nothing}
    aria-invalid=${problems[field] ? 'true' : 'false'}
    aria-describedby="${field}-problem"
    .value=${live(String(settings[field] ?? ''))}
    @input=${(/** @type {ControlEvent} */ event) => actions.change({ [field]: value(event.target.value) }, field)}
  />`
  return labelled(context, field, t(field), control)
}

/** @param {Context} context @param {ChoiceField} field */
function choice(context, field) {
  const { t, settings, actions } = context
  const choices = CHOICES[field].filter(name => name !== 'given' || settings.given)
  const control = html`<select
    id=${field}
    .value=${live(settings[field])}
    @change=${(/** @type {ControlEvent} */ event) => actions.change({ [field]: event.target.value })}
  >
    ${choices.map(
      name =>
        html`<option value=${name} ?selected=${settings[field] === name}>${t(/** @type {Key} */ (`${field}.${name}`))}</option>`,
    )}
  </select>`
  return labelled(context, field, t(/** @type {Key} */ (field)), control)
}

/**
 * What each head built by hand looks for.
 * @param {Context} context
 */
function zoo({ t, settings, actions }) {
  const count = toNumber(settings.heads)
  const kindOf = (/** @type {number} */ h) => settings.zoo[h] ?? ZOO[h % ZOO.length]
  const kinds = Array.from({ length: count > 0 && count <= RANGES.heads.most ? count : 0 }, (_, h) => kindOf(h))
  return kinds.map(
    (own, h) =>
      html`<div class="field field-zoo">
        <label for="zoo-${h}">${t('zooHead', { head: h + 1 })}</label>
        <select
          id="zoo-${h}"
          .value=${live(own)}
          @change=${(/** @type {ControlEvent} */ event) => {
            const kind = /** @type {import('../settings/state.js').ZooHead} */ (event.target.value)
            actions.change({ zoo: kinds.map((other, i) => (i === h ? kind : other)), head: h })
          }}
        >
          ${ZOO.map(kind => html`<option value=${kind} ?selected=${kind === own}>${t(`zoo.${kind}`)}</option>`)}
        </select>
      </div>`,
  )
}

/** @param {Context} context */
export function presets({ t, preset, actions }) {
  const names = /** @type {PresetId[]} */ (Object.keys(PRESETS))
  return html`<div class="presets" role="group" aria-label=${t('presets')}>
    ${names.map(
      name =>
        html`<button type="button" data-preset=${name} aria-pressed=${preset === name} @click=${() => actions.choose(name)}>
          ${t(`preset.${name}`)}
        </button>`,
    )}
  </div>`
}

/**
 * The sentences and what is asked for most; the rest folds away.
 * @param {Context} context
 */
export function controls(context) {
  const { t, settings } = context
  const { model, mask, score } = settings
  const isDrawn = model === 'heads' || model === 'multihead'
  const isCross = settings.kind === 'cross' || model === 'given'
  return html`<form class="controls" aria-label=${t('settings')} @submit=${(/** @type {Event} */ e) => e.preventDefault()}>
    <div class="sentences">
      ${textBox(context, 'sentence', isCross ? 'sentenceQueries' : 'sentence')}
      ${isCross ? textBox(context, 'second', 'second') : nothing}
    </div>
    <div class="fields">
      ${model === 'given' ? nothing : choice(context, 'kind')} ${choice(context, 'mask')}
      ${mask === 'window' ? [numberBox(context, 'left'), numberBox(context, 'right')] : nothing}
      ${mask === 'padding' || mask === 'prefix' ? numberBox(context, mask) : nothing}
      ${choice(context, 'score')} ${score === 'gaussian' ? numberBox(context, 'sigma') : nothing}
      ${model === 'given' ? nothing : numberBox(context, 'heads')}
      ${isDrawn ? numberBox(context, 'dModel') : nothing}
      ${model === 'multihead' ? numberBox(context, 'batch') : nothing}
      ${model === 'heads' ? [numberBox(context, 'dKey'), numberBox(context, 'dValue')] : nothing}
      ${isDrawn ? numberBox(context, 'seed') : nothing}
      ${model === 'zoo' ? [numberBox(context, 'sharpness'), zoo(context)] : nothing}
    </div>
    <details class="more">
      <summary>${t('moreSettings')}</summary>
      <div class="fields">
        ${choice(context, 'model')} ${choice(context, 'tokenizer')} ${numberBox(context, 'scale')} ${choice(context, 'masking')}
        ${choice(context, 'softmaxAxis')} ${isCross && model === 'heads' ? choice(context, 'keysFrom') : nothing} ${isDrawn ? [choice(context, 'draw'), numberBox(context, 'tableRows')] : nothing}
      </div>
    </details>
  </form>`
}
