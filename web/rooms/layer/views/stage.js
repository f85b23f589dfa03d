import { html, nothing } from 'lit'
import { hasScores, isPair } from '../fields.js'
import '../../../attention-head/word-arcs.js'
import { headView, paintButton, pictureSelector, viewTabs } from '../../../attention-head/head-view.js'
import { MANY_ROWS } from '../../../attention-head/part-of-map.js'
import { menu, menuChoices } from '../../../shell/menu.js'
import { colourOf } from '../../../ui/number-colours.js'
import { looksAt, seenBy, shades } from '../explain/word-facts.js'
import { shippedLink, trainedLink, trainingLink } from '../presets.js'
import { isSameCell } from '../settings.js'
import { partTexts } from './folded.js'
import { headAnswer } from './head-list.js'
import { originOf } from './map-title.js'
import { saveMenu } from './save-menu.js'
import { glossOf, headActions, scaleChoice, shownHead } from './shown-head.js'
import { domain, meantWord, spokenCell, spokenWord } from './spoken.js'
import { cellSentence, evenSentence, rich, weightsOf, wordButton, wordSentences } from './word-buttons.js'

/** @import { SceneContext, Word } from '../layer.js' */

/** Maximum number of words in the row. The row ends with the number of words left out. Maps label all words. */
const MOST_WORDS = 400

/** The word on which a mouse stroke began, and whether it has moved to another word. @type {{ from?: number, isStroke: boolean }} */
const stroke = { isStroke: false }

/**
 * Returns listeners for mouse strokes over words. After a stroke, the map shows only the rows of these words. The click that ends the
 * stroke is swallowed.
 * @param {SceneContext} context
 * @param {Word['side']} side
 */
function strokeOver({ actions }, side) {
  const at = (/** @type {Event} */ { target }) => {
    const word = target instanceof Element && target.closest('[data-word]')?.getAttribute('data-word')?.split(':')
    return word && word[0] === side ? Number(word[1]) : undefined
  }
  return {
    down: (/** @type {PointerEvent} */ event) => {
      stroke.from = side === 'queries' && event.pointerType !== 'touch' ? at(event) : undefined
      stroke.isStroke = false
    },
    up: (/** @type {PointerEvent} */ event) => {
      const [from, to] = [stroke.from, at(event)]
      stroke.from = undefined
      if (from === undefined || to === undefined || from === to) return
      stroke.isStroke = true
      actions.setRange({ from: Math.min(from, to), to: Math.max(from, to) })
    },
    swallow: (/** @type {Event} */ event) => {
      if (stroke.isStroke) event.stopPropagation()
      stroke.isStroke = false
    },
  }
}

/**
 * Draws the sentence as buttons, shaded by the weights of the current word.
 * @param {SceneContext} context
 * @param {Word['side']} side
 */
function tokenRow(context, side) {
  const { t, result, settings, isDark } = context
  const { isCross } = result.settings
  const { tokens } = result.settings[side]
  const word = meantWord(context)
  const isShaded = word && (isCross ? word.side !== side : true)
  const shade = isShaded ? shades(weightsOf(context), word) : undefined
  const reach = domain(context)[1]
  const { down, up, swallow } = strokeOver(context, side)
  const gloss = glossOf(context)
  return html`<div class="token-row ${tokens.length > MANY_ROWS ? 'is-long' : ''}">
    ${isCross ? html`<span class="token-row-label">${t(side === 'queries' ? 'tokensQueries' : 'tokensKeys')}</span>` : nothing}
    <tool-group class="token-row-words" @pointerdown=${down} @pointerup=${up}
      @click=${{ handleEvent: swallow, capture: true }}
      aria-label=${t(isCross ? (side === 'queries' ? 'tokensQueries' : 'tokensKeys') : 'tokens')}>
      ${tokens.slice(0, MOST_WORDS).map((token, position) => {
        const own = { side, position }
        const { ground, ink } = shade ? colourOf('share', reach, shade[position], isDark) : { ground: '', ink: '' }
        const isSelected = settings.word?.side === side && settings.word.position === position
        return wordButton(
          context,
          own,
          html`<bdi class="token"
            .style=${shade ? `background-color: ${ground}; color: ${ink}` : ''}>${token}</bdi><sub>${position + 1}</sub>`,
          isSelected ? 'is-selected' : '',
          gloss?.(token.toLowerCase()),
        )
      })}
      ${tokens.length > MOST_WORDS ? html`<span class="note">${t('moreTokens', { count: tokens.length - MOST_WORDS })}</span>` : nothing}
    </tool-group>
  </div>`
}

/** Maximum number of arcs, and minimum weight of an arc. */
const [MOST_ARCS, LEAST_ARC] = [12, 0.01]
/**
 * Caches the last arcs, so that equal arcs are the same array.
 * @type {{ key: readonly unknown[], arcs: readonly import('../../../attention-head/word-arcs.js').Arc[] } | undefined}
 */
let lastArcs

/**
 * Returns arcs from the current word to the words it attends to, and dotted arcs from words that attend to it; for a cell, a single arc.
 * @param {SceneContext} context
 */
function arcs(context) {
  const { result, hovered, mask } = context
  const cell = hovered ? undefined : spokenCell(context)
  const word = meantWord(context)
  const weights = weightsOf(context)
  const key = [weights, mask, word?.side, word?.position, cell?.row, cell?.column]
  if (lastArcs?.key.every((each, i) => each === key[i])) return lastArcs.arcs
  const side = result.settings.isCross ? 'keys' : 'queries'
  const arc = (/** @type {number} */ row, /** @type {number} */ column, isFrom = false) => ({
    from: `queries:${row}`,
    to: `${side}:${column}`,
    weight: weights.at(row, column),
    isFrom,
  })
  const list = (/** @type {import('../layer.js').Share[]} */ shares) =>
    shares.filter(({ weight }) => weight >= LEAST_ARC).slice(0, MOST_ARCS)
  const looks = word?.side === 'queries' ? list(looksAt(weights, word.position, mask?.data)) : []
  const seen =
    word && (word.side === 'keys' || side === 'queries') ? list(seenBy(weights, word.position, mask?.data)) : []
  const made = cell
    ? [arc(cell.row, cell.column)]
    : [
        ...looks.map(({ position }) => arc(word?.position ?? 0, position)),
        ...seen
          .filter(({ position }) => side === 'keys' || position !== word?.position)
          .map(({ position }) => arc(position, word?.position ?? 0, true)),
      ]
  lastArcs = { key, arcs: made }
  return made
}

/** Describes the pointed or selected head, cell or word. @param {SceneContext} context */
function answer(context) {
  const { t, link, hovered, settings } = context
  const cell = hovered ? undefined : spokenCell(context)
  const word = spokenWord(context)
  const strongest = link && { side: /** @type {const} */ ('queries'), position: link.row }
  const isCell = cell && (context.pointed || !word || settings.cell)
  const about = isCell ? { side: /** @type {const} */ ('queries'), position: cell.row } : (word ?? strongest)
  const [first, second] = about ? wordSentences(context, about) : [t('strongestNone')]
  const head = headAnswer(context)
  // The sentence about an edited weight fills two lines. Omit the second sentence, so that the map below does not move.
  const isSet = isCell && settings.edits.some(edit => isSameCell(edit, cell))
  const sentences = head ? [head, first] : isCell ? [cellSentence(context, cell), isSet ? '' : first] : [first, second]
  return html`<div class="answer" aria-live="polite">
    <p class="answer-first">${rich(sentences[0] ?? '')}${
      about && !isCell && !head ? html`<span class="even-share note">${evenSentence(context, about)}</span>` : nothing
    }</p>
    <p class="answer-second">${rich(sentences[1] ?? '')}</p>
  </div>`
}

/** Links a trained head to its whole model, and random matrices to trained models. @param {SceneContext} context */
function linksBelow({ t, result, head }) {
  const { model, layer, sentence } = result.settings
  if (model === 'trained') {
    const name = `${layer}.${head + 1}`
    return html`<p class="note links-below"><a id="to-trained" href=${shippedLink(sentence, name)}>${t('seeShipped', { name })}</a></p>`
  }
  if (model !== 'heads' && model !== 'multihead') return nothing
  // With one sentence, the switch above already leads to a trained head.
  const trained = isPair(result.settings)
    ? html`<a id="to-trained" href=${trainedLink(result.settings)}>${t('seeTrained.cross')}</a> · `
    : nothing
  return html`<p class="note links-below">${trained}<a id="to-training" href=${trainingLink(result.settings)}>${t('trainOne')}</a></p>`
}

/** Describes the picture and the source of its numbers, such as a trained model or a random draw. @param {SceneContext} context */
function seen(context) {
  const { t, result, isTrained } = context
  const { softmaxAxis, kind, sentence, second, tokenizer } = result.settings
  const isTranslation = (kind === 'cross' && tokenizer === 'segments') || (isTrained && sentence !== second)
  const rows = t(softmaxAxis === 'keys' ? (isTranslation ? 'seenCross' : 'seen') : 'seenColumns')
  const bits = softmaxAxis === 'keys' && result.heads > 1 ? t('seenBits') : nothing
  return html`<div class="note seen" id="seen">${rows} <span class="even-share">${bits}</span>
    ${t(`untrained.${originOf(context)}`, { layer: result.settings.layer, head: context.head + 1 })}</div>`
}

/** Views with a tab; the menu has the others. */
/** @type {import('../explain/picture.js').Picture[]} */
const FIRST_VIEWS = ['flow', 'map', 'lines', 'plane']
/** @type {import('../explain/picture.js').Picture[]} */
const OTHER_VIEWS = ['difference', 'numbers']

/** Draws the tabs of views, and the actions of the map. @param {SceneContext} context */
function tabs(context) {
  const { t, picture, settings, actions, mode } = context
  const large = context.matrices.get('weights')
  const { show } = headActions(context)
  const isFirst = FIRST_VIEWS.includes(picture)
  return html`<tool-group class="tabs" aria-label=${t('view')}>
    ${viewTabs(picture, show, t, FIRST_VIEWS)}
    ${menu(
      {
        id: 'views',
        buttonClass: `tab ${isFirst ? '' : 'is-shown'}`,
        label: html`${t(isFirst ? 'more' : `view.${picture}`)}`,
      },
      menuChoices(
        OTHER_VIEWS.map(name => ({
          name,
          label: t(`view.${name}`),
          isChosen: picture === name,
          act: () => show(name),
        })),
      ),
    )}
    <span class="spring"></span>
    ${picture === 'map' && hasScores(settings) ? paintButton({ prefix: '', mode }, actions.setMode, t) : nothing}
    ${
      context.result.heads > 1 && picture !== 'flow'
        ? saveMenu({ t, className: 'of-heads', text: t.elements.heads, picture: 'qkv-heads' })
        : nothing
    }
    ${saveMenu({
      t,
      className: 'of-weights',
      text: t(`view.${picture}`),
      matrix: large,
      picture: pictureSelector({ prefix: '', view: picture }),
    })}
  </tool-group>`
}

/** Describes what a large trace omits. @param {SceneContext} context */
function left({ t, result, head }) {
  if (result.detailHead === undefined) return nothing
  const params = { head: head + 1, heads: result.heads }
  const key = result.smalls ? 'leftOutWeights' : 'leftOut'
  return html`<p class="note left-out">${partTexts(t).draw(t => t(key, params))}</p>`
}

/** Draws the sentence with its arcs and the answer. @param {SceneContext} context */
export function sentenceHead(context) {
  const { t, result } = context
  const { isCross, batch } = result.settings
  return html`<div class="sentence-head">
    ${batch > 1 ? html`<p class="note" id="one-of-batch">${t('oneOfBatch', { batch })}</p>` : nothing}
    <div class="token-rows">${tokenRow(context, 'queries')}
      ${isCross ? tokenRow(context, 'keys') : nothing}<word-arcs .arcs=${arcs(context)}></word-arcs></div>
    ${answer(context)}
  </div>`
}

/** Draws the picture of the chosen head. @param {SceneContext} context */
export function stage(context) {
  const { t, picture } = context
  return html`<section class="stage" id="stage" tabindex="-1" aria-label=${t('matrix.weights')}>
    ${tabs(context)}
    ${headView(shownHead(context), headActions(context), t, picture === 'map' ? scaleChoice(context) : nothing)}
    ${seen(context)} ${linksBelow(context)} ${left(context)}
  </section>`
}

/** Draws the map of the head beside its flow. @param {SceneContext} context */
export const besideFlow = context =>
  html`<div class="beside">${headView({ ...shownHead(context), view: 'map' }, headActions(context), context.t)}</div>`
