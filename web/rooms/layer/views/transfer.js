import { html, nothing } from 'lit'
import { MOST_MEGABYTES } from '../import.js'
import { qkvCode } from '../programs/node.js'
import { pytorchCode } from '../programs/pytorch.js'

/** @import { Context, SceneContext } from '../layer.js' */

/** The example of the page, the tests and the README of the page. */
export const EXAMPLE = `{
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

const programs = /** @type {const} */ ([
  ['pytorch', pytorchCode],
  ['qkv', qkvCode],
])

/** A program as it is copied. @param {Context['t']} t @param {'pytorch' | 'qkv'} name @param {string} text @param {boolean} isOpen */
const program = (t, name, text, isOpen) => html`<details class="program" name="program" ?open=${isOpen}>
    <summary>${t(`code.${name}`)}</summary>
    <pre class="code" tabindex="0" aria-label=${t(`code.${name}`)}><code id="code-${name}">${text}</code></pre>
  </details>`

/** @param {SceneContext} context */
export function takeAlong({ t, actions, result }) {
  const all = /** @type {const} */ (['link', 'pytorch', 'qkv'])
  return html`<section class="take" id="take" tabindex="-1" aria-labelledby="take-title">
    <h2 id="take-title">${t('take')}</h2>
    <p class="text">${t('takeText')}</p>
    ${result.detailHead === undefined ? programs.map(([name, write]) => program(t, name, write(result), name === 'pytorch')) : nothing}
    <div class="buttons">
      ${all.map(what => html`<button type="button" data-copy-as=${what} @click=${() => actions.copy(what)}>${t(`copy.${what}`)}</button>`)}
      <button type="button" id="save-json" @click=${actions.saveAll}>${t('saveAll')}</button>
    </div>
  </section>`
}

/** @param {Context} context */
export function bring({ t, actions }) {
  const chosen = (/** @type {Event} */ { target }) => {
    const input = /** @type {HTMLInputElement} */ (target)
    if (input.files?.length) actions.bring(Array.from(input.files))
    input.value = '' // the same file may be chosen again
  }
  const box = () => /** @type {HTMLTextAreaElement} */ (document.getElementById('paste'))
  return html`<section class="bring" id="bring" tabindex="-1" aria-labelledby="bring-title">
    <h2 id="bring-title">${t('bring')}</h2>
    <p class="text">${t('bringText', { most: MOST_MEGABYTES })}</p>
    <dl class="bring-format">
      <div><dt>JSON</dt><dd>${t('bringFormatJson')}</dd></div>
      <div><dt>.npy</dt><dd>${t('bringFormatNpy')}</dd></div>
      <div><dt>${t('bringShapes')}</dt><dd>${t('bringFormatShapes')}</dd></div>
    </dl>
    <label for="paste">${t('bringPaste')}</label>
    <textarea id="paste" rows="4" dir="ltr" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder='{ "weights": [[1, 0], [0.5, 0.5]], "tokens": ["a", "b"] }'></textarea>
    <div class="buttons">
      <button type="button" id="bring-pasted" @click=${() => actions.bring(box().value)}>${t('bringTake')}</button>
      <button
        type="button"
        id="bring-example"
        @click=${() => {
          box().value = EXAMPLE
          actions.bring(EXAMPLE)
        }}
      >${t('bringExample')}</button>
      <button type="button" id="bring-choose" @click=${() => document.getElementById('bring-files')?.click()}>${t('bringFiles')}</button>
      <input id="bring-files" type="file" aria-label=${t('bringFiles')} hidden multiple accept=".json,.npy,application/json" @change=${chosen} />
    </div>
  </section>`
}
