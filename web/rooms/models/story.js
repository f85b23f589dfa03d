// The guided story of a model that ships with the page: each stop is a head with a prompt. The
// stops are measured when the model is trained and stored beside its weights; every number comes from the run that is shown.

import { html, nothing } from 'lit'
import { percent } from '../../files/number-format.js'

/** @typedef {import('./room.js').ModelsRoom} Room */

/**
 * What lies beside the weights of a shipped model.
 * @typedef {{ id: string, prompt: string, layer: number, head: number, kind: string, weight?: number, looksAt?: string }} Stop
 * @typedef {{ tour?: Stop[], figures?: { example?: { text?: string } } }} About
 */

const KINDS = /** @type {const} */ ([
  'name',
  'song',
  'noun',
  'colour',
  'gender',
  'pronoun',
  'own',
  'place',
  'previous',
  'behind',
])
/** @typedef {(typeof KINDS)[number]} Kind */

/** @param {string} kind @returns {kind is Kind} */
const isKind = kind => /** @type {readonly string[]} */ (KINDS).includes(kind)

/** Below such a weight on what answers, the head does something else here. */
const LEAST = 0.3

/** What the head of a stop does, in words. @param {Room} room @param {Stop} stop */
function sentence({ t }, { kind, weight = 1, looksAt = '' }) {
  if (weight < LEAST) return t('modelsStoryOther', { word: looksAt })
  return isKind(kind) ? t(`modelsStory.${kind}`) : ''
}

/** The first text of a shipped model. @param {About | undefined} about */
export const firstText = about => about?.figures?.example?.text ?? about?.tour?.[0]?.prompt

/** Goes to a stop, from 0. @param {Room} room @param {number | undefined} at */
function visit(room, at) {
  room.stop = at
  const stop = at === undefined ? undefined : room.about?.tour?.[at]
  if (!stop) return
  room.type(stop.prompt)
  room.past = room.future = []
  room.set({ changes: '' })
  room.showing = 'after'
  room.openHead({ stack: '', layer: stop.layer, head: stop.head })
}

/** @param {Room} room */
export function story(room) {
  const { t, about, stop: at, runBefore, runAfter } = room
  const stops = about?.tour ?? []
  if (!stops.length) return nothing
  if (at === undefined)
    return html`<p class="models-story-start"><button type="button" class="tool is-filled" id="models-story" @click=${() => visit(room, 0)}>${t('modelsStory', { count: stops.length })}</button> <span class="note">${t('modelsStoryWhat')}</span></p>`
  const stop = stops[at]
  const guess = runBefore?.top[0]
  const name = room.nameOf(stop)
  const isOff = room.changes.some(
    change => change.kind === 'head' && change.isOn && change.layer === stop.layer && change.head === stop.head,
  )
  const now = runAfter?.top[0]
  return html`<section class="models-story" aria-label=${t('modelsStoryLabel')}>
    <p>${t('modelsStoryHead', { name })} ${sentence(room, stop)}
      ${guess ? t('modelsStorySays', { token: guess.token, share: percent(guess.probability) }) : ''}
      ${isOff && guess && now ? html`<b class="is-changed">${t('modelsStoryNow', { name, token: guess.token, share: percent(runAfter?.first ?? 0), other: now.token })}</b>` : nothing}</p>
    <span class="models-story-buttons">
      <button type="button" class="tool is-filled" id="models-story-off" aria-pressed=${isOff} @click=${() =>
        isOff
          ? room.setChanges([])
          : room.addChanges([
              { kind: 'head', isOn: true, stack: '', layer: stop.layer, head: stop.head, how: 0 },
            ])}>${t(isOff ? 'modelsStoryOn' : 'modelsStoryOff', { name })}</button>
      <button type="button" class="tool" ?disabled=${at === 0} @click=${() => visit(room, at - 1)}>${t('modelsStoryBack')}</button>
      <span class="number-of">${t('modelsStoryAt', { at: at + 1, of: stops.length })}</span>
      <button type="button" class="tool" id="models-story-next" ?disabled=${at + 1 >= stops.length} @click=${() => visit(room, at + 1)}>${t('modelsStoryNext')}</button>
      <button type="button" class="tool icon" aria-label=${t('modelsClose')} @click=${() => visit(room, undefined)}>×</button>
    </span></section>`
}
