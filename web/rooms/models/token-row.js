// The text as tokens: shaded by where the selected one looks, clicked to select, Shift-clicked to search by example.

import { html, nothing } from 'lit'
import { paletteOf, stepOf } from '../../elements/colour-scale.js'
import { percent } from '../../files/number-format.js'
import { held, released, wasLong } from '../../head/long-press.js'
import { mapAt } from './atlas-maps.js'
import { counted } from './texts.js'

/** @typedef {import('./room.js').ModelsRoom} Room */

const MOST_WORDS = 400

/** @param {Room} room */
export function strips(room) {
  const { t, run, stack } = room
  if (!run) return nothing
  const { tokens, targets } = run
  return html`<div class="models-strips">
      ${strip(room, tokens, targets ? 'keys' : 'both', targets ? t('modelsSource') : counted(t, 'modelsTokens', tokens.length))}
      ${targets ? strip(room, targets, 'queries', t('modelsTranslation')) : nothing}
    </div>
    <p class="note models-hint">${hint(room)}</p>
    ${stack === '' || !targets ? nothing : tabs(room)}`
}

/** @param {Room} room */
function hint({ t, query, keyWord, words, run, told }) {
  const isMasked = told?.stacks.decoder === undefined
  if (query === undefined || !run)
    return t(!told?.hasHead ? 'modelsHintHeads' : isMasked ? 'modelsHintMasked' : 'modelsHint')
  const name = words.queries[query] ?? ''
  return keyWord === undefined
    ? t('modelsHintSecond', { word: name })
    : t('modelsExample', { query: name, key: words.keys[keyWord] ?? '' })
}

/** How much the selected word looks at each key: with the open head or the one that is pointed at. @param {Room} room */
function shares(room) {
  const { head, query, pointed, maps } = room
  if (query === undefined) return undefined
  const matrix = head ? room.matrixOf(room.showing !== 'before') : undefined
  const columns = matrix?.dims[1] ?? maps?.columns ?? 0
  if (matrix) return matrix.data.subarray(query * columns, (query + 1) * columns)
  if (!pointed || !maps || maps.cells) return undefined
  const row = mapAt(maps, pointed)
  return row.subarray(query * columns, (query + 1) * columns)
}

/** @param {Room} room @param {readonly string[]} tokens @param {'queries' | 'keys' | 'both'} side @param {string} label */
function strip(room, tokens, side, label) {
  const { query, keyWord, isDark, run, stack, t } = room
  const isEncoder = stack === 'encoder'
  const isQueries = side === 'both' || (side === 'keys' ? isEncoder : !isEncoder)
  const isKeys = side === 'both' || (side === 'keys' ? stack !== 'decoder' : stack === 'decoder')
  const weights = isKeys ? shares(room) : undefined
  const { colours, inks } = paletteOf('sequential', isDark)
  const end = weights ? Math.max(...weights, 1e-9) : 1
  const count = side === 'keys' ? 0 : room.more.length + room.fresh.length
  const answers = new Map((run?.answers ?? []).map(answer => [answer.row, answer]))
  return html`<div class="text-strip ${tokens.length > 60 ? 'is-long' : ''}"><span class="strip-label">${label}</span>
    <div class="strip-words">${tokens.slice(0, MOST_WORDS).map((token, i) => {
      const step = weights ? stepOf(weights[i] ?? 0, [0, end]) : undefined
      const isSelected = (isQueries && query === i) || (isKeys && keyWord === i)
      const isGenerated = i >= tokens.length - count
      const generated = isGenerated ? room.steps[i - tokens.length + room.steps.length] : undefined
      const answer = side === 'both' ? answers.get(i) : undefined
      const select = (/** @type {boolean} */ isSecond) =>
        room.selectWord(isGenerated ? i - 1 : i, isSecond, isQueries ? 'queries' : 'keys')
      return html`<button type="button" class="word-button ${isSelected ? 'is-selected' : ''} ${isGenerated ? 'is-generated' : ''}" aria-pressed=${isSelected}
        title=${generated ? others(room, generated) : nothing}
        @pointerdown=${(/** @type {PointerEvent} */ event) => held(event, () => select(true))}
        @pointerup=${released} @pointercancel=${released}
        @click=${(/** @type {MouseEvent} */ { shiftKey }) => wasLong() || select(shiftKey)}><span class="token" .style=${step === undefined ? '' : `background: ${colours[step]}; color: ${inks[step]}`}>${token}</span><sub aria-hidden="true">${i + 1}</sub>${
          answer
            ? html`<small class="models-answer">${t('modelsAnswerHere', { token: answer.token, share: percent(answer.probability) })}</small>`
            : nothing
        }</button>`
    })}${tokens.length > MOST_WORDS ? html`<span class="note">${t('modelsMoreTokens', { count: tokens.length - MOST_WORDS })}</span>` : nothing}</div></div>`
}

/** What a step could have said. @param {Room} room @param {import('./generate.js').Step} step */
const others = ({ t }, { others }) =>
  others.map(({ token, probability }) => `${token} ${percent(probability)}`).join(t('comma'))

/** @param {Room} room */
function tabs(room) {
  const { t, run, stack } = room
  const names = /** @type {import('./hooks.js').Stack[]} */ (Object.keys(run?.maps ?? {}))
  return html`<div class="models-stacks" role="group" aria-label=${t('modelsStacks')}>${names.map(
    name =>
      html`<button type="button" class="tab" data-stack=${name} aria-pressed=${name === stack} @click=${() => {
        room.openHead(undefined)
        room.stack = name
        room.query = room.keyWord = undefined
      }}>${t(/** @type {any} */ (`modelsStack.${name}`))}</button>`,
  )}</div>`
}
