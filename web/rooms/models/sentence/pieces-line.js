// Draws the notes below a text: words split into several tokens, characters read as bytes, and start and end tokens.

import { html, nothing } from 'lit'
import { isByHand } from '../shown.js'
import { marksOf, piecesOf } from './pieces.js'

/** Maximum number of listed words that consist of several tokens, and of listed characters that are read as bytes. */
const [MOST_WORDS, MOST_SIGNS] = [3, 12]

/** Caches the result of `piecesOf` for the tokens of a run. @type {WeakMap<readonly string[], ReturnType<typeof piecesOf>>} */
const pieces = new WeakMap()

/** @param {import('../run/model-run.js').Run} run @param {number} most number of tokens above which no pieces are returned */
export function piecesIn({ tokens, request: { input } }, most) {
  const found = pieces.get(tokens) ?? piecesOf(input.text, tokens.length > most ? [] : tokens)
  pieces.set(tokens, found)
  return found
}

/**
 * Draws the notes on words of several tokens and on tokens that are not in the text.
 * @param {import('../models.js').Room} room
 * @param {number} most number of tokens above which words are not listed
 */
export function inPieces({ t, act, settings, run, openModel }, most) {
  if (!run || !openModel?.hasTokenizer) return nothing
  const [answer] = run.top
  const isEnd = answer && openModel.ends.includes(answer.id)
  const isSpace = isByHand(openModel) && !settings.generated.length && /\S\s+$/.test(run.request.input.text)
  const { words, bytes } = piecesIn(run, most)
  const { text } = run.request.input
  const { start, end } = { ...marksOf(text, run.targets ?? []), ...marksOf(text, run.tokens) }
  const list = words.slice(0, MOST_WORDS).map(each => `${each.join('')} = ${each.join(' + ')}`)
  return html`${start ? html`<span id="models-start">${t('modelsPiecesStart', { mark: start })}</span>` : nothing}
    ${isEnd ? html`<span id="models-says-end">${t('modelsSaysEnd', { mark: answer.token })}</span>` : nothing}
    ${
      isSpace
        ? html`<span id="models-space">${t('modelsSpace')}
            <button type="button" class="plain" @click=${() => act.type(run.request.input.text.trimEnd())}>${t('modelsSpaceDrop')}</button></span>`
        : nothing
    }
    ${end ? html`<span id="models-end">${t('modelsPiecesEnd', { mark: end })}</span>` : nothing}
    ${list.length ? html`<span id="models-pieces">${t('modelsPiecesWords', { list: list.join(t('comma')) })}</span>` : nothing}
    ${bytes.length ? html`<span id="models-bytes">${t('modelsPiecesBytes', { list: bytes.slice(0, MOST_SIGNS).join(' ') })}</span>` : nothing}`
}
