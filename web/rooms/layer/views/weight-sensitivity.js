import { html, nothing } from 'lit'
import { zeroOr } from '../../../files/number-format.js'
import { namesOf } from '../explain/labels.js'
import { weightEffect } from '../explain/weight-effect.js'
import { marked, rich } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */

/** Describes how the other weights of the row shrink if the selected attention weight grows. @param {SceneContext} context */
export function weightSensitivity({ t, result, cell }) {
  const { queries, keys } = namesOf(result)
  const before = weightEffect(result, cell)
  const rows = before?.map(
    ({ name, before, after }) =>
      html`<tr><th scope="row"><bdi>${
        name === undefined ? t('output') : keys[name]
      }</bdi></th><td>${zeroOr(before)}</td><td>${zeroOr(after)}</td></tr>`,
  )
  return html`<div class="sensitivity" id="sensitivity"><h4>${t('sensitivity')}</h4>
    <p>${rich(t('sensitivityWeight', { query: marked(queries[cell.row]), key: marked(keys[cell.column]) }))}</p>
    ${
      rows
        ? html`<table class="before-after"><thead><tr><td></td><th scope="col">${t('before')}</th><th
          scope="col">${t('after')}</th></tr></thead><tbody>${rows}</tbody></table>`
        : nothing
    }</div>`
}
