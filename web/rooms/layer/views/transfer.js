import { html, nothing } from 'lit'
import { MOST_MEGABYTES } from '../import.js'
import { qkvCode } from '../programs/node.js'
import { pytorchCode } from '../programs/pytorch.js'

/** @import { Context, SceneContext } from '../layer.js' */

/** The import example, as in the tests and the page's README. */
const EXAMPLE = `{
  "tokens": ["the", "cat", "sat"],
  "weights": [
    [[1, 0, 0], [0.3, 0.7, 0], [0.1, 0.6, 0.3]],
    [[0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
  ],
  "v": [
    [[1, 0], [0, 1], [2, -1]],
    [[0.5, 0.5], [1, 1], [-1, 0]]
  ]
}`

/** @type {['pytorch' | 'qkv', typeof pytorchCode][]} */
const programs = [
  ['pytorch', pytorchCode],
  ['qkv', qkvCode],
]

/** Draws a program to copy. @param {Context['t']} t @param {'pytorch' | 'qkv'} name @param {string} text @param {boolean} isOpen */
const program = (t, name, text, isOpen) => html`<details class="program" name="program" ?open=${isOpen}>
    <summary>${t(`code.${name}`)}</summary>
    <pre class="code" tabindex="0" aria-label=${t(`code.${name}`)}><code id="code-${name}">${text}</code></pre>
  </details>`

/** @param {SceneContext} context */
export function exportPart({ t, actions, result }) {
  // A trained layer depends on the layers below, so no program is offered here; "Models" writes one for the whole model.
  const isTrained = result.settings.model === 'trained'
  const texts = isTrained ? [] : programs.map(([name, write]) => ({ name, text: write(result) }))
  return html`<p class="text">${t(isTrained ? 'exportTrained' : 'exportText')}</p>
    <div class="buttons">
      <button type="button" data-copy-as="link" @click=${actions.copyLink}>${t('copy.link')}</button>
      ${texts.map(
        ({ name, text }) =>
          html`<button type="button" data-copy-as=${name}
            @click=${() => actions.copy(text, `copied.${name}`)}>${t(`copy.${name}`)}</button>`,
      )}
      <button type="button" id="save-json" @click=${actions.saveAll}>${t('saveAll')}</button>
    </div>
    ${result.detailHead === undefined ? texts.map(({ name, text }) => program(t, name, text, name === 'pytorch')) : nothing}`
}

/** @param {Context} context */
export function importPart({ t, actions }) {
  const chosen = (/** @type {Event & { target: HTMLInputElement }} */ { target: input }) => {
    if (input.files?.length) actions.import(Array.from(input.files))
    input.value = '' // allows choosing the same file again
  }
  const box = () => /** @type {HTMLTextAreaElement} */ (document.getElementById('paste'))
  return html`<p class="text">${t('importText', { most: MOST_MEGABYTES })}</p>
    <dl class="import-format">
      <div><dt>JSON</dt><dd>${t('importFormatJson')}</dd></div>
      <div><dt>.npy</dt><dd>${t('importFormatNpy')}</dd></div>
      <div><dt>${t('importShapes')}</dt><dd>${t('importFormatShapes')}</dd></div>
    </dl>
    <label for="paste">${t('importPaste')}</label>
    <textarea id="paste" data-undo="own" rows="4" dir="ltr" spellcheck="false" autocapitalize="off" autocomplete="off"
      placeholder='{ "weights": [[1, 0], [0.5, 0.5]], "tokens": ["a", "b"] }'></textarea>
    <div class="buttons">
      <button type="button" id="import-pasted" @click=${() => actions.import(box().value)}>${t('importPasted')}</button>
      <button
        type="button"
        id="import-example"
        @click=${() => {
          box().value = EXAMPLE
          actions.import(EXAMPLE)
        }}
      >${t('importExample')}</button>
      <button type="button" id="import-choose" @click=${() => document.getElementById('import-files')?.click()}>${t('importFiles')}</button>
      <input id="import-files" type="file" aria-label=${t('importFiles')} hidden multiple
        accept=".json,.npy,application/json" @change=${chosen} />
    </div>`
}
