// Draws the story about "What each layer says": five stops on the English model. Every number comes from the grid on the page.

import { html, nothing } from 'lit'
import { factorOf, withFactor } from '../../../attention-head/changes.js'
import { percent } from '../../../files/number-format.js'
import { guide } from '../../../shell/guide.js'
import { shown } from '../../../shell/slots.js'
import { signed } from '../../../ui/contributions.js'
import { nameOf } from '../shown.js'
import { guesses, rankAt } from './numbers.js'
import { LENS_STOPS, STORY_MODEL } from './stops.js'

/** @import { LensTexts, Panel } from './panel.js' */
/** @import { Room } from '../models.js' */

/**
 * Returns the values that the texts of the stops refer to: the selected state, the answer of its column, the pinned word, the part that
 * contributed most, and the number of states that already show the answer.
 * @param {Panel} panel
 */
function numbersOf({ room, grid, before, setting: { cell } }) {
  const { layers, words } = grid
  const last = layers.length - 1
  const column = (cell?.position ?? grid.first + words.length - 1) - grid.first
  const row = Math.max(0, layers.indexOf(cell?.layer ?? layers[last]))
  const [own] = guesses(grid, row, column)
  const [answer] = guesses(grid, last, column)
  const writers = shown(room.got.lensWriters)
  const best = writers?.parts.find(({ kind, share }) => kind === 'head' && share > 0)
  const below = layers
    .slice(0, last)
    .flatMap((_, row) => words.map((_, at) => guesses(grid, row, at)[0].id === guesses(grid, last, at)[0].id))
  const pin = grid.names.get(grid.pins[0]) ?? ''
  return {
    layer: layers[row] + 1,
    token: own.token,
    share: percent(own.share),
    answer: answer.token,
    answerShare: percent(answer.share),
    word: words[column],
    head: best ? nameOf(best) : '',
    adds: best ? signed(best.share, 2) : '',
    pin,
    rank: grid.pins.length ? rankAt(grid, 0, row, column) + 1 : 0,
    rankBefore: grid.pins.length ? rankAt(before ?? grid, 0, row, column) + 1 : 0,
    count: below.filter(Boolean).length,
    all: below.length,
  }
}

/** @param {Room} room @param {LensTexts} l @param {Panel | undefined} panel */
export function lensStory(room, l, panel) {
  const { t, act, view, settings, openModel, text, got } = room
  const { lensStop: step } = view
  const stop = step === undefined ? undefined : LENS_STOPS[step]
  if (step === undefined || !stop || openModel?.name !== STORY_MODEL) return nothing
  const { id, off, prompt } = stop
  const [layer, head] = (off ?? '1.1').split('.').map(Number)
  /** @type {import('../../../attention-head/head.js').HeadAt} */
  const at = { stack: '', layer: layer - 1, head: head - 1 }
  const isOff = off !== undefined && factorOf(settings.changes, at) === 0
  // Check that the grid is of this text, since an old grid stays on the page until the new one arrives.
  const isHere =
    panel?.grid.request.input.text === prompt && text === prompt && got.lens?.is === 'here' && (!isOff || panel.before)
  const numbers = panel && isHere ? { ...numbersOf(panel), off: off ?? '' } : undefined
  const key = isOff ? 'lensStory.isOff' : /** @type {`lensStory.${typeof id}`} */ (`lensStory.${id}`)
  const isDone = isOff || (id === 'lenses' && panel?.setting.lens === 'logit')
  const change = () => act.change(withFactor(settings.changes, at, isOff ? 1 : 0))
  const task =
    id === 'off'
      ? l('lensStoryTask.off', { head: off ?? '' })
      : id === 'lenses'
        ? l('lensStoryTask.lenses')
        : l('lensStoryTask.look')
  return guide({
    t,
    id: 'lens-story',
    label: l('lensStoryLabel'),
    at: step + 1,
    of: LENS_STOPS.length,
    title: l(`lensStoryTitle.${id}`),
    text: numbers ? l(key, numbers) : text === prompt ? t('loading') : l('lensStoryOther'),
    task: id === 'off' || id === 'lenses' ? task : undefined,
    isDone,
    tools: html`${id === 'off' || id === 'lenses' ? nothing : html`<span class="note">${task}</span>`}${
      off
        ? html`<button type="button" class="tool ${isOff ? '' : 'is-filled'}" id="lens-story-off" aria-pressed=${isOff}
          @click=${change}>${t(isOff ? 'modelsStoryOn' : 'modelsStoryOff', { name: off })}</button>`
        : nothing
    }`,
    go: at => act.goToLens(at === null ? undefined : at - 1),
  })
}
