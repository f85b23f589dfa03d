import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { toNumber } from '../settings/check.js'
import { applies, describe, fieldsThat, MOST_HEADS, ZOO } from '../settings/fields.js'
import { PRESETS } from '../settings/presets.js'

/** @typedef {import('./context.js').Context} Context */
/** @typedef {import('./context.js').TemplateResult} TemplateResult */
/** @typedef {import('../settings/check.js').Field} Field */
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
 * A box for a number; where none is the default, an empty one means that it follows from the rest.
 * @param {Context} context
 * @param {Field} field
 */
function numberBox(context, field) {
  const { settings, actions, problems, t } = context
  const { kind, least, most, default: normal } = describe(field)
  const isWhole = kind === 'whole'
  const value = (/** @type {string} */ text) => (normal === null && text.trim() === '' ? null : text)
  const control = html`<input
    id=${field}
    type=${isWhole ? 'number' : 'text'}
    inputmode=${kind === 'real' ? 'decimal' : 'numeric'}
    autocomplete="off"
    placeholder=${normal === null ? t(/** @type {Key} */ (`${field}Auto`)) : nothing}
    min=${isWhole ? least : nothing}
    max=${isWhole ? most : nothing}
    aria-invalid=${problems[field] ? 'true' : 'false'}
    aria-describedby="${field}-problem"
    .value=${live(String(settings[field] ?? ''))}
    @input=${(/** @type {ControlEvent} */ event) => actions.change({ [field]: value(event.target.value) }, field)}
  />`
  return labelled(context, field, t(/** @type {Key} */ (field)), control)
}

/** @param {Context} context @param {Field} field */
function choice(context, field) {
  const { t, settings, actions } = context
  const choices = (describe(field).choices ?? []).filter(name => name !== 'given' || settings.given)
  const control = html`<select
    id=${field}
    .value=${live(String(settings[field]))}
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
  const kinds = Array.from({ length: count > 0 && count <= MOST_HEADS ? count : 0 }, (_, h) => kindOf(h))
  return kinds.map(
    (own, h) =>
      html`<div class="field field-zoo">
        <label for="zoo-${h}">${t('zooHead', { head: h + 1 })}</label>
        <select
          id="zoo-${h}"
          .value=${live(own)}
          @change=${(/** @type {ControlEvent} */ event) => {
            const kind = /** @type {import('../settings/fields.js').ZooHead} */ (event.target.value)
            actions.change({ zoo: kinds.map((other, i) => (i === h ? kind : other)), head: h })
          }}
        >
          ${ZOO.map(kind => html`<option value=${kind} ?selected=${kind === own}>${t(`zoo.${kind}`)}</option>`)}
        </select>
      </div>`,
  )
}

/**
 * The control of a setting, where the setting matters; it follows from its kind.
 * @param {Context} context
 * @param {Field} field
 */
export function control(context, field) {
  if (!applies(context.settings, field)) return nothing
  const { kind } = describe(field)
  if (kind === 'zoo') return zoo(context)
  return kind === 'choice' ? choice(context, field) : numberBox(context, field)
}

/** What is asked for most; every other setting of a group folds away. @type {Field[]} */
const FIRST = [
  ...['kind', 'mask', 'left', 'right', 'padding', 'prefix', 'score', 'sigma', 'heads', 'dModel', 'batch'],
  ...['dKey', 'dValue', 'seed', 'sharpness', 'zoo'],
].map(name => /** @type {Field} */ (name))
const MORE = fieldsThat(({ group }) => group).filter(name => !FIRST.includes(name))

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
  const isCross = applies(settings, 'second')
  return html`<form class="controls" aria-label=${t('settings')} @submit=${(/** @type {Event} */ e) => e.preventDefault()}>
    <div class="sentences">
      ${textBox(context, 'sentence', isCross ? 'sentenceQueries' : 'sentence')}
      ${isCross ? textBox(context, 'second', 'second') : nothing}
    </div>
    <div class="fields">${FIRST.map(name => control(context, name))}</div>
    <details class="more">
      <summary>${t('moreSettings')}</summary>
      <div class="fields">${MORE.map(name => control(context, name))}</div>
    </details>
  </form>`
}
