// Converts the chosen head to the input of the pictures in web/attention-head, with their actions.

import { html } from 'lit'
import { largestOf } from '../../../attention-head/scale.js'
import { short } from '../../../files/number-format.js'
import { later } from '../../../shell/later.js'
import { glosses, withGlosses } from '../../../ui/glosses.js'
import { otherHead } from '../explain/comparison.js'
import { namesOf } from '../explain/labels.js'
import { hasScores } from '../fields.js'
import { flowOf } from './flow-trace.js'
import { partTexts } from './folded.js'
import { headName, headSentences } from './head-list.js'
import { withOrigin } from './map-title.js'
import { selectCell, selectWord } from './select.js'
import { domain, meantWord, spokenWord } from './spoken.js'
import { share } from './word-buttons.js'

/** @import { MatrixId, SceneContext } from '../layer.js' */
/** @import { HeadActions, HeadView } from '../../../attention-head/head.js' */

const HAN = /\p{Script=Han}/u

/** Returns glosses of words, if the sentences mix English and Chinese. @param {SceneContext} context */
export const glossOf = ({ t, result: { settings }, actions }) =>
  settings.isCross && HAN.test([...settings.queries.tokens, ...settings.keys.tokens].join(''))
    ? glosses(t, actions.refresh)
    : undefined

/** @param {SceneContext} context @returns {HeadView} */
export function shownHead(context) {
  const { t, head, matrices, mask, mode, pointed, result, settings, filter, range, picture } = context
  const { tensor, before } = matrices.get('weights')
  const { queries, keys } = namesOf(result)
  const gloss = glossOf(context)
  /** Returns the cell if it belongs to the weights of this head. @param {SceneContext['pointed'] | null} cell */
  const own = cell => (cell?.matrix === 'weights' && cell.head === head ? cell : undefined)
  return {
    prefix: '',
    label: withOrigin(context, t('matrix.weights')),
    weights: tensor,
    before,
    visible: mask,
    queries: withGlosses(queries, gloss),
    keys: withGlosses(keys, gloss),
    isCross: result.settings.isCross,
    view: picture,
    mode,
    domain: domain(context),
    pointed: own(pointed),
    selected: own(settings.cell),
    subtracted: own(settings.less),
    word: spokenWord(context),
    rows: { filter, range },
    less: picture === 'difference' ? less(context) : undefined,
    flow: picture === 'flow' ? flowOf(context) : undefined,
    layer: picture === 'lines' ? allHeads(context) : undefined,
    plane: picture === 'plane' ? planeView(context) : undefined,
    heads: picture === 'numbers' ? numbersOfHeads(context) : undefined,
  }
}

const planes = later(() => import('../trace/plane.js'))

/** Returns the queries and keys of the head in a plane; null until the module that computes them has loaded. @param {SceneContext} context @returns {HeadView['plane']} */
function planeView(context) {
  const { qkv, result, head, matrices, actions } = context
  const { tensor: weights } = matrices.get('weights')
  planes.ask(actions.refresh)
  if (!planes.module) return null
  const plane = planes.module.planeOf(qkv, result, head)
  if (!plane) return undefined
  const word = meantWord(context)
  const query = word?.side === 'queries' ? word.position : (context.link?.row ?? 0)
  return { ...plane, query, weights }
}

/** Returns the weights of all heads, if all were kept. @param {SceneContext} context @returns {HeadView['layer']} */
function allHeads(context) {
  const { result, head } = context
  if (result.smalls) return undefined
  const { data } = result.tensors.weights
  const names = Array.from({ length: result.heads }, (_, h) => headName(context, h))
  return { data: data, from: 0, names, own: head }
}

/** True if a causal mask can be turned on. @param {SceneContext} context */
const isMaskable = ({ settings, result }) =>
  settings.mask === 'none' && !settings.painted.length && !result.settings.isCross && hasScores(settings)

/** @param {SceneContext} context @returns {HeadActions} */
export function headActions(context) {
  const { actions, head } = context
  /** @param {number} row @param {number} column @param {MatrixId} [matrix] */
  const cellAt = (row, column, matrix = 'weights') => ({ matrix, head: matrix === 'X' ? 0 : head, row, column })
  return {
    show: view => actions.look({ view: view }),
    setMode: actions.setMode,
    point(place) {
      if (place?.cell) actions.point(cellAt(place.cell.row, place.cell.column))
      else if (place?.word) actions.hover(place.word)
      else {
        actions.point(undefined)
        actions.hover(undefined)
      }
    },
    select({ cell, word }, isSecond) {
      if (cell) selectCell(actions, cellAt(cell.row, cell.column, /** @type {MatrixId} */ (cell.matrix)), isSecond)
      if (word) selectWord(actions, word, isSecond)
    },
    edit: (row, column, value, mark) =>
      actions.edit(cellAt(row, column), value && Math.min(Math.max(value, 0), 1), mark),
    editInput: (matrix, row, column, value, mark) =>
      actions.edit(cellAt(row, column, /** @type {MatrixId} */ (matrix)), value, mark),
    undo: actions.undo,
    hideLater: isMaskable(context) ? () => actions.change({ mask: 'causal' }) : undefined,
    frame: (step, key) => actions.frame(flowOf(context)?.query ?? 0, step, key),
    hide: (row, column, isHidden) => actions.paint(row, column, !isHidden),
    open: other => actions.select({ head: other }),
    subtract: choice =>
      actions.look(choice === 'settings' ? { minus: 'settings' } : { minus: 'head', other: Number(choice) }),
    chooseRows: actions.setRange,
    filterRows: actions.setFilter,
  }
}

/** Draws the choice of the colour scale's maximum. @param {SceneContext} context */
export function scaleChoice(context) {
  const { t, scaleEnd, actions, result, matrices } = context
  /** @type {(typeof scaleEnd)[]} */
  const ends = ['shared', 'one', 'own']
  const all = result.smalls ?? result.tensors.weights
  const own = matrices.get('weights').tensor
  const most = { shared: largestOf(all), one: 1, own: largestOf(own) }
  return html`<label class="scale-choice">${t('scaleEnd')}
    <select id="scale-end"
      @change=${(/** @type {import('../../../shell/room.js').Chosen<typeof scaleEnd>} */ { target }) =>
        actions.setScaleEnd(target.value)}>
      ${ends.map(
        name =>
          html`<option value=${name} ?selected=${scaleEnd === name}>${t(`scaleEnd.${name}`, {
            end: short(domain({ ...context, scaleEnd: name })[1]),
            share: share(context, most[name]),
          })}</option>`,
      )}
    </select></label>`
}

/**
 * Returns the comparison: this head minus another, or the baseline minus the current settings.
 * @param {SceneContext} context
 * @returns {import('../../../attention-head/head.js').Less}
 */
function less(context) {
  const { t, result, head, settings, actions, compared } = context
  const { minus, baseline } = settings
  const other = otherHead(settings.other, head, result.heads)
  const heads = Array.from({ length: result.heads }, (_, h) => h).filter(h => h !== head)
  const of = minus === 'settings' ? t('lessNow') : t('lessHead', { head: head + 1, other: other + 1 })
  const difference = compared?.difference
  return {
    choices: [
      ...heads.map(h => ({ value: String(h), name: t('minusHead', { head: head + 1, other: h + 1 }) })),
      { value: 'settings', name: t('minusSettings') },
    ],
    chosen: minus === 'settings' ? 'settings' : String(other),
    of,
    difference,
    problem: difference ? undefined : partTexts(t).draw(t => t(compared?.trouble ?? 'compareNone', compared?.params)),
    more: html`<button type="button" class="plain" id="keep" @click=${actions.setBaseline}>${t(baseline ? 'keepAgain' : 'keep')}</button>`,
  }
}

/** Lists the meaningful statistics of each head. @param {SceneContext} context @returns {import('../../../attention-head/head.js').HeadTable} */
function numbersOfHeads(context) {
  const { t, head, language, statistics = [], result } = context
  const write = new Intl.NumberFormat(language, { minimumFractionDigits: 4, maximumFractionDigits: 4 })
  // Positions of two sentences are not comparable.
  /** @type {('entropy' | 'first' | 'previous' | 'self')[]} */
  const names = result.settings.isCross ? ['entropy', 'first'] : ['entropy', 'first', 'previous', 'self']
  const sentences = result.heads > 1 ? headSentences(context) : []
  return {
    caption: t('numbersText'),
    head: t('headColumn'),
    columns: names.map(name => t(`numbers.${name}`)),
    rows: statistics.map((each, h) => ({
      name: String(h + 1),
      head: h,
      values: names.map(name => (Number.isNaN(each[name]) ? '–' : write.format(each[name]))),
      note: sentences[h],
      isOwn: h === head,
    })),
  }
}
