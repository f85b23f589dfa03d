// The guided stories of a shipped model: each stop is a head with a prompt. The stops were chosen when the model was trained, and are
// stored beside its weights. All numbers come from the displayed run.

import { html, nothing } from 'lit'
import { headChange, withFactor } from '../../attention-head/changes.js'
import { percent } from '../../files/number-format.js'
import { guide } from '../../shell/guide.js'
import { menu, menuChoices } from '../../shell/menu.js'
import { FIRST_GRAPH, nameOf } from './shown.js'

/** @import { Room } from './models.js' */

const KINDS = /** @type {const} */ (['previous', 'pronoun', 'gender', 'behind', 'chapter', 'thing'])

/** Kinds of stops about the induction circuit. They offer the graph of heads, which shows this circuit. */
const INDUCTION = ['previous', 'behind']

/** Minimum weight on the answer. Below it, the story only names the word that the head attends to. */
const LEAST = 0.3

/** Describes what the head of a stop does. @param {Room} room @param {import('./models.js').Stop} stop */
function sentence({ t }, { kind, weight = 1, looksAt = '' }) {
  if (weight < LEAST) return t('modelsStoryOther', { word: looksAt })
  const known = KINDS.find(each => each === kind)
  return known ? t(`modelsStory.${known}`) : ''
}

/** Draws the menu of stories. @param {Room} room */
export function storyMenu(room) {
  const { t, act, view, openModel, settings } = room
  const { tour: stops = [], text: long } = openModel?.about ?? {}
  if (!stops.length) return nothing
  const names = stops.map(nameOf)
  const items = stops.map((stop, i) => ({
    name: String(i),
    label: html`<b>${t('headTitle', { name: names[i] })}</b>
      ${names.indexOf(names[i]) < i ? t('modelsStoryAlso') : nothing} ${sentence(room, stop)}`,
    isChosen: view.storyStep === i,
    act: () => act.goTo(i),
  }))
  if (long)
    items.push({
      name: 'long',
      label: html`${t('modelsStoryLong', { count: long.split(' ').length })}`,
      isChosen: settings.prompt === long,
      act: () => act.readDraft(long),
    })
  return menu({ id: 'models-stories', label: t('modelsStories') }, menuChoices(items))
}

/** Draws the open story. @param {Room} room */
export function story(room) {
  const { t, act, view, settings, openModel, runBefore, runAfter } = room
  const stops = openModel?.about?.tour ?? []
  const { storyStep: step } = view
  if (step === undefined || !stops[step]) return nothing
  const stop = stops[step]
  const { layer, head } = stop
  /** @type {import('../../attention-head/head.js').HeadAt} */
  const at = { stack: '', layer, head }
  const guess = runBefore?.top[0]
  const now = runAfter?.top[0]
  const name = nameOf(stop)
  const isOff = headChange(settings.changes, at)?.isOn === true
  const change = () => act.change(isOff ? [] : withFactor(settings.changes, at, 0))
  const says = guess ? t('modelsStorySays', { token: guess.token, share: percent(guess.probability) }) : ''
  const after =
    isOff && guess && now
      ? html`<b class="is-changed">${t('modelsStoryNow', {
          name,
          token: guess.token,
          share: percent(runAfter?.first ?? 0),
          other: now.token,
        })}</b>`
      : nothing
  return guide({
    t,
    id: 'models-story',
    label: t('modelsStoryLabel'),
    at: step + 1,
    of: stops.length,
    text: html`<b>${t('headTitle', { name })}</b> ${sentence(room, stop)} ${says} ${after}`,
    isDone: isOff,
    tools: html`<button type="button" class="tool ${isOff ? '' : 'is-filled'}" id="models-story-off"
      aria-pressed=${isOff} @click=${change}>${t(isOff ? 'modelsStoryOn' : 'modelsStoryOff', { name })}</button>
      ${
        INDUCTION.includes(stop.kind)
          ? html`<button type="button" class="tool" id="models-story-graph"
            @click=${() => act.setGraph(FIRST_GRAPH, true)}>${t('modelsStoryGraph')}</button>`
          : nothing
      }`,
    go: at => act.goTo(at === null ? undefined : at - 1),
  })
}
