import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { toNumber } from '../../../shell/kinds.js'
import { present } from '../../../shell/known.js'
import { applies, describe, FIELDS, fieldsThat, HAND_BUILT } from '../fields.js'
import { MOST_HEADS } from '../limits.js'

/** @import { TemplateResult } from 'lit' */
/** @import { Chosen } from '../../../shell/room.js' */
/** @import { Key } from '../../../i18n/index.js' */
/** @import { Context, FieldName, HandBuiltHead, Settings } from '../layer.js' */

/** @typedef {Event & { target: HTMLInputElement & HTMLTextAreaElement & HTMLSelectElement }} ControlEvent */

/**
 * Draws a labelled control with space for its problem.
 * @param {Context} context
 * @param {FieldName} field
 * @param {string} label
 * @param {TemplateResult} control
 */
const labelled = (context, field, label, control) => html`<div class="field field-${field}">
    <label for=${field}>${label}</label>
    ${control}
    ${problemOf(context, field)}
  </div>`

/**
 * Draws the problem of a field, with valid values to choose from.
 * @param {Context} context
 * @param {FieldName} field
 */
export function problemOf({ t, problems, actions }, field) {
  const problem = problems[field]
  return html`<p class="problem" id="${field}-problem" aria-live="polite">${problem ? t(problem.key, problem.params) : nothing}</p>
    ${
      problem?.offers
        ? html`<p class="offers">${problem.offers.map(
            patch =>
              html`<button type="button" class="plain" data-offer @click=${() => actions.change(patch)}>${Object.entries(
                patch,
              )
                .map(([name, value]) => `${t(/** @type {Key} */ (name))} ${value}`)
                .join(', ')}</button>`,
          )}</p>`
        : nothing
    }`
}

/**
 * Draws a number input; if the default is null, an empty input means that the value is derived.
 * @param {Context} context
 * @param {FieldName} field
 */
function numberBox(context, field) {
  const { settings, actions, problems, t } = context
  const {
    kind: { type, least, most },
    default: normal,
  } = describe(field)
  const isWhole = type === 'whole'
  const value = (/** @type {string} */ text) => (normal === null && text.trim() === '' ? null : text)
  const control = html`<input
    id=${field}
    type=${isWhole ? 'number' : 'text'}
    inputmode=${type === 'real' ? 'decimal' : 'numeric'}
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

/** @param {Context} context @param {FieldName} field */
function choice(context, field) {
  const { t, settings, actions } = context
  const choices = (describe(field).kind.choices ?? []).filter(name => name !== 'imported' || settings.imported)
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
 * Draws the choice of the kind of each hand-built head.
 * @param {Context} context
 */
function handBuilt({ t, settings, actions }) {
  const count = toNumber(settings.heads)
  const kindOf = (/** @type {number} */ h) => settings.handBuilt[h] ?? HAND_BUILT[h % HAND_BUILT.length]
  const kinds = Array.from({ length: count > 0 && count <= MOST_HEADS ? count : 0 }, (_, h) => kindOf(h))
  return kinds.map(
    (own, h) =>
      html`<div class="field field-hand-built">
        <label for="hand-built-${h}">${t('handBuiltHead', { head: h + 1 })}</label>
        <select
          id="hand-built-${h}"
          .value=${live(own)}
          @change=${(/** @type {Chosen<HandBuiltHead>} */ { target }) => {
            const kind = target.value
            actions.change({ handBuilt: kinds.map((other, i) => (i === h ? kind : other)), head: h })
          }}
        >
          ${HAND_BUILT.map(kind => html`<option value=${kind} ?selected=${kind === own}>${t(`handBuilt.${kind}`)}</option>`)}
        </select>
      </div>`,
  )
}

/**
 * Draws the control of a setting by its kind, if the setting applies.
 * @param {Context} context
 * @param {FieldName} field
 */
function control(context, field) {
  if (!applies(context.settings, field)) return nothing
  const { type } = describe(field).kind
  if (type === 'handBuilt') return handBuilt(context)
  return type === 'choice' ? choice(context, field) : numberBox(context, field)
}

/** Opens the settings drawer, at a field if one is given. Without a field, closes an open drawer. @param {FieldName} [field] */
export function showSettings(field) {
  const drawer = present(document.getElementById('settings'))
  if (!drawer.hidden && !field) return hideSettings()
  drawer.hidden = false
  document.getElementById('settings-open')?.setAttribute('aria-expanded', 'true')
  const control = document.getElementById(field ?? '') ?? drawer.querySelector('input, select')
  if (control instanceof HTMLElement) control.focus({ preventScroll: !field })
}

function hideSettings() {
  const drawer = document.getElementById('settings')
  const opener = document.getElementById('settings-open')
  if (drawer) drawer.hidden = true
  opener?.setAttribute('aria-expanded', 'false')
  opener?.focus({ preventScroll: true })
}

/** Draws the select of masks, which includes "painted" while the reader's painted mask is in use. @param {Context} context */
function maskChoice(context) {
  const { settings, actions, t } = context
  if (!applies(settings, 'mask')) return nothing
  const { painted } = settings
  const control = html`<select
    id="mask"
    .value=${live(painted.length ? 'painted' : settings.mask)}
    @change=${(/** @type {Chosen<Settings['mask'] | 'painted'>} */ { target: { value } }) =>
      value !== 'painted' && actions.change({ mask: value, painted: [] })}
  >
    ${FIELDS.mask.kind.choices.map(
      name =>
        html`<option value=${name} ?selected=${!painted.length && settings.mask === name}>${t(`mask.${name}`)}</option>`,
    )}
    ${painted.length ? html`<option value="painted" selected>${t('mask.painted')}</option>` : nothing}
  </select>`
  return labelled(context, 'mask', t('mask'), control)
}

/** @type {('words' | 'sizes' | 'scores' | 'mask' | 'numbers')[]} */
const GROUPS = ['words', 'sizes', 'scores', 'mask', 'numbers']

/**
 * Draws the settings drawer; changes take effect at once.
 * @param {Context} context
 */
export function controls(context) {
  const { t, settings } = context
  const close = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    hideSettings()
  }
  return html`<form class="drawer" id="settings" hidden aria-label=${t('settings')} @keydown=${close}
    @submit=${(/** @type {Event} */ e) => e.preventDefault()}>
    <div class="drawer-head"><h2>${t('settings')}</h2><button type="button" class="tool" id="settings-close"
      @click=${hideSettings}>${t('close')}</button></div>
    ${GROUPS.filter(group => fieldsThat(field => field.group === group).some(name => applies(settings, name))).map(
      group => html`<fieldset><legend>${t(`part.${group}`)}</legend><div class="fields">
        ${fieldsThat(field => field.group === group).map(name => (name === 'mask' ? maskChoice(context) : control(context, name)))}
      </div></fieldset>`,
    )}
  </form>`
}
