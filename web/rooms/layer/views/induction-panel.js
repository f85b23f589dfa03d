import { html, nothing } from 'lit'
import { inductionOf } from '../explain/induction-facts.js'
import { namesOf } from '../explain/labels.js'
import { marked, rich, share } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */

/**
 * Shows what the induction head does on this sentence: first occurrence, the word that followed, second occurrence, the copied word.
 * @param {SceneContext} context
 */
export function inductionPanel(context) {
  const { t, result, actions } = context
  const { model, handBuilt, isCross } = result.settings
  const head = handBuilt.indexOf('induction')
  if (model !== 'handBuilt' || head < 0 || head >= result.heads || isCross) return nothing
  const { queries } = namesOf(result)
  const found = inductionOf(result, head)
  const previous = handBuilt.indexOf('previous')
  return html`<section class="induction" id="induction" aria-labelledby="induction-title">
    <h3 id="induction-title">${t('induction', { head: head + 1 })}</h3>
    <p class="text">${t('inductionText')} ${previous < 0 ? nothing : t('inductionPrevious', { head: previous + 1 })}</p>
    ${
      found.length
        ? html`<ol class="induction-list">${found.map(
            ({ first, followed, second, weight }) =>
              html`<li><button type="button" class="plain" data-induction=${second} @click=${() =>
                actions.select({
                  head,
                  word: null,
                  cell: { matrix: 'weights', head, row: second, column: followed },
                })}>${rich(
                t('inductionStep', {
                  first: marked(queries[first]),
                  followed: marked(queries[followed]),
                  second: marked(queries[second]),
                  share: share(context, weight),
                }),
              )}</button></li>`,
          )}</ol>`
        : html`<p id="induction-none">${t('inductionNone')}</p>`
    }
  </section>`
}
