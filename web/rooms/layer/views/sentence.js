import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { menu, menuChoices } from '../../../shell/menu.js'
import { FIELDS, isPair } from '../fields.js'
import { TRAINED } from '../limits.js'
import { PRESET_IDS, PRESETS } from '../presets.js'
import { tokenizerFor } from '../sentence-tokens.js'
import { problemOf, showSettings } from './controls.js'
import { partTexts } from './folded.js'

/** @import { Context, PresetId, Scene } from '../layer.js' */
/** @import { Key } from '../../../i18n/index.js' */

/** @param {Context} context @param {'sentence' | 'second'} field @param {Key} label */
function textBox(context, field, label) {
  const { settings, actions, problems, t } = context
  const typed = (/** @type {Event & { target: HTMLTextAreaElement }} */ { target: { value } }) => {
    const other = isPair(settings) ? settings[field === 'sentence' ? 'second' : 'sentence'] : ''
    const tokenizer = tokenizerFor(`${settings[field]} ${other}`, `${value} ${other}`, settings.tokenizer)
    actions.change({ [field]: value, tokenizer }, field)
  }
  return html`<div class="field field-${field}">
    <label for=${field} class=${isPair(settings) ? '' : 'visually-hidden'}>${t(label)}</label>
    <textarea
      id=${field}
      rows="1"
      dir="auto"
      spellcheck="false"
      autocapitalize="off"
      aria-invalid=${problems[field] ? 'true' : 'false'}
      aria-describedby="${field}-problem"
      .value=${live(settings[field])}
      @input=${typed}
      @blur=${(/** @type {Event & { target: HTMLTextAreaElement }} */ { target }) => target.scrollTo(0, 0)}
    ></textarea>
    ${problemOf(context, field)}
  </div>`
}

/** Draws the sentence, its tokenizer, and the choice of numbers. @param {Context & { scene?: Scene }} context */
export function sentenceBar(context) {
  const { t, settings, preset } = context
  const isCross = isPair(settings)
  return html`<section class="bar" aria-label=${t('sentence')}>
    <div class="sentences ${isCross ? 'is-pair' : ''}">
      ${textBox(context, 'sentence', isCross ? 'sentenceQueries' : 'sentence')}
      ${isCross ? textBox(context, 'second', 'second') : nothing}
    </div>
    <tool-group class="bar-tools" aria-label=${t('settings')}>
      ${isCross ? nothing : numbers(context)}
      ${settings.tokenizer === 'words' || settings.model === 'trained' ? nothing : tokenizers(context)}
      ${menu(
        {
          id: 'examples',
          label: html`<span class="quiet">${t('example')}</span> <span class="example-name"
            title=${preset ? t(`preset.${preset}`) : t('own')}>${preset ? t(`preset.${preset}`) : t('own')}</span>`,
        },
        presets(context),
      )}
      <button type="button" class="tool" id="settings-open" aria-controls="settings" aria-expanded="false"
        @click=${() => showSettings()}>${t('settings')}</button>
    </tool-group>
  </section>`
}

/** Draws the switch between random matrices and a layer of the trained model. Not for two sentences, since that model reads one. @param {Context} context */
function numbers({ t, settings, actions }) {
  const isTrained = settings.model === 'trained'
  const layers = Array.from({ length: TRAINED.layers }, (_, i) => i + 1)
  return html`<span class="switch" role="group" aria-label=${t('numbersHeads')}><span class="quiet">${t('numbersHeads')}</span>
      <button type="button" class="tool" id="numbers-random" aria-pressed=${!isTrained}
        @click=${() => isTrained && actions.train(false)}>${t('numbersRandom')}</button>
      <button type="button" class="tool" id="numbers-trained" aria-pressed=${isTrained}
        @click=${() => !isTrained && actions.train(true)}>${t('numbersTrained')}</button>
      ${
        isTrained
          ? menu(
              { id: 'layers', label: t('value.layer', { layer: settings.layer }) },
              menuChoices(
                layers.map(layer => ({
                  name: layer,
                  label: t('value.layer', { layer }),
                  isChosen: Number(settings.layer) === layer,
                  act: () => actions.change({ layer }),
                })),
              ),
            )
          : nothing
      }</span>`
}

/** Shows the number of tokens, and the choice of tokenizers. @param {Context & { scene?: Scene }} context */
function tokenizers({ t, settings, actions, scene }) {
  const { queries, keys, isCross } = scene?.result.settings ?? {}
  const count =
    queries && keys ? (isCross ? `${queries.tokens.length} + ${keys.tokens.length}` : queries.tokens.length) : ''
  const label = html`<span>${t(`count.${settings.tokenizer}`, { count })}</span>`
  return menu(
    { id: 'tokenizers', label },
    menuChoices(
      FIELDS.tokenizer.kind.choices.map(name => ({
        name,
        label: t(`tokenizer.${name}`),
        isChosen: settings.tokenizer === name,
        act: () => actions.change({ tokenizer: name }),
      })),
    ),
  )
}

/** @param {Context} context */
function presets(context) {
  const { t, preset, actions } = context
  return html`<div role="group" aria-label=${t('presets')}>${menuChoices(
    PRESET_IDS.map(name => ({
      name,
      label: html`<b>${t(`preset.${name}`)}</b> <span class="note">${t(`preset.${name}.note`)}</span>`,
      isChosen: preset === name,
      act: () => actions.choose(name),
    })),
  )}</div>
    ${preset ? differs(context, preset) : nothing}`
}

/** True once the reader has opened the part about differences; only then are its texts loaded. */
let isDifferenceOpen = false

/** Explains how the numbers of a preset differ from its source, and why. @param {Context} context @param {PresetId} preset */
function differs({ t, actions }, preset) {
  const { document } = PRESETS[preset]
  if (!document) return nothing
  const open = () => {
    isDifferenceOpen = true
    actions.refresh()
  }
  return html`<details class="differs" id="differs" @toggle=${open}>
    <summary>${t('differs')}</summary>
    ${
      isDifferenceOpen
        ? partTexts(t).draw(t =>
            t(`differs.${document}`)
              .split('\n')
              .map(paragraph => html`<p>${paragraph}</p>`),
          )
        : nothing
    }
  </details>`
}
