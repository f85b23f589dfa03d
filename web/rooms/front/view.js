// Draws the front door: the story with its links, the next word, the switches, what happened, a field for the reader's sentence, three
// cards.

import { html, nothing, svg } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { headName } from '../../attention-head/changes.js'
import { untilReleased } from '../../shell/held-key.js'
import { menu, menuItem } from '../../shell/menu.js'
import { cards, ownSentence, thisStory } from './cards.js'
import {
  BOYS,
  carriedBy,
  FIRST,
  GIRLS,
  isName,
  NAMED,
  otherOf,
  percent,
  runName,
  SECOND_LINE,
  sayings,
  shownWord,
  storyOf,
  tokensOf,
} from './pronoun-story.js'
import { recorded } from './recorded.js'
import { LEAST_LINK } from './story-links.js'

/** @import { Context } from './front.js' */
/** @import { Runs, Told } from './pronoun-story.js' */

/** @param {number} number @param {string} language */
const grouped = (number, language) => number.toLocaleString(language)

/** Returns the runs of the story, if known: computed by the model (`isLive`), or recorded. @param {Context} context @returns {{ runs?: Runs, isLive: boolean }} */
function runsOf({ settings, got }) {
  if (got.tell?.is === 'here') return { runs: got.tell.value, isLive: true }
  const { girl, boy, first, pronoun } = settings
  const isFirst = girl === FIRST.girl && boy === FIRST.boy && first === FIRST.first
  return { runs: isFirst ? recorded[pronoun] : undefined, isLive: false }
}

/** @param {Context} context */
export function draw(context) {
  const { t, act, settings, view } = context
  if (view.isHeld) untilReleased(() => act.release())
  const switches = view.isHeld ? { isOn: true, othersOn: true } : settings
  const { runs, isLive } = runsOf(context)
  const told = runs?.[runName(switches)]
  return html`<main class="front" id="stage" tabindex="-1" data-live=${isLive}>
    <h2 class="front-title">${t('frontTitle')}</h2>
    <p class="front-intro">${t('frontIntro', { count: grouped(recorded.parameters, t('htmlLang')) })}</p>
    <div class="front-stage">
      <div class="front-story">${line(context, 0, SECOND_LINE)}${line(context, SECOND_LINE, undefined, told)}
        ${links(context, runs?.all, switches.isOn)}</div>
      ${bars(context, told)}
      ${switchRow(context, switches, runs?.all.row)}
      ${says(context, runs, switches)}
    </div>
    ${own(context)}
    ${cards(context)}
  </main>`
}

/**
 * Draws the words of the story from index `from` up to `to`. Without `to`, ends with the predicted word, or with … until `told` is known.
 * @param {Context} context
 * @param {number} from
 * @param {number} [to]
 * @param {Told} [told]
 */
function line(context, from, to, told) {
  const { t, settings } = context
  const tokens = tokensOf(storyOf(settings))
  const words = tokens.slice(from, to)
  const show = (/** @type {number} */ i) =>
    html`<span class="front-word" data-token=${from + i}>${wordOf(context, words[i])}${gloss(t, words[i])}</span>`
  const isStop = (/** @type {number} */ i) => words[i] === '.'
  return html`<p class="front-line" lang="en">${repeat(
    words,
    (_, i) => i,
    (_, i) => {
      if (isStop(i)) return nothing
      return isStop(i + 1) ? html`<span class="front-pair">${show(i)}${show(i + 1)}</span>` : show(i)
    },
  )}${
    to === undefined
      ? html`<output class="front-answer" aria-live="off">${told ? shownWord(told.top[0][0]) : '…'}</output>
      <span class="front-hint note" lang=${t('htmlLang')}>${t('frontHint', { pronoun: settings.pronoun })}</span>`
      : nothing
  }</p>`
}

/** Icon of two arrows, for the button that swaps the pronoun. */
const swapSign = svg`<svg class="front-swap" viewBox="0 0 12 12" aria-hidden="true"><path d="M1 4h10l-3-3M11 8H1l3 3"></path></svg>`

/** Draws the meaning of a word below it, on the Chinese page. @param {Context['t']} t @param {string} word */
const gloss = (t, word) => (t('frontGlosses') ? html`<small class="front-gloss">${glossOf(t, word)}</small>` : nothing)

/** @param {Context['t']} t @param {string} word */
function glossOf(t, word) {
  const found = t('frontGlosses')
    .split(' ')
    .find(pair => pair.startsWith(`${word}=`))
  return found?.slice(word.length + 1) ?? nothing
}

/** Draws a word of the story; names and the pronoun can be changed. @param {Context} context @param {string} word */
function wordOf({ t, act, settings }, word) {
  if (word === '<s>') return html`<span class="front-start" title=${t('frontStart')}></span>`
  if (word === settings.pronoun) {
    const other = otherOf(word)
    const label = t('frontSwap', { word, other })
    return html`<button type="button" class="front-pick" id="front-pronoun" title=${label}
      @click=${() => act.pronoun(other)}>${word}${swapSign}</button>`
  }
  if (!isName(word)) return word === 'is' ? 'Is' : word
  const who = word === settings.girl ? 'girl' : 'boy'
  const names = who === 'girl' ? GIRLS : BOYS
  return menu(
    {
      id: `front-${who}`,
      label: shownWord(word),
      title: t('frontNames', { name: shownWord(word) }),
      buttonClass: 'front-pick',
    },
    html`${names.map(name => menuItem(`front-name-${name}`, shownWord(name), () => act.name(who, name)))}
      ${menuItem(`front-swap-${who}`, t('frontOrder'), act.swap)}`,
  )
}

/**
 * Draws lines from the pronoun to the words that it attends to.
 * @param {Context} context
 * @param {Told | undefined} told the run with all heads
 * @param {boolean} isOn
 */
function links({ t, settings }, told, isOn) {
  const tokens = tokensOf(storyOf(settings))
  const titles = tokens.map((word, i) =>
    t('frontGives', {
      pronoun: settings.pronoun,
      word: word === '<s>' ? t('frontStart') : shownWord(word),
      weight: told ? percent(told.row[i], t) : '',
    }),
  )
  const { row = [] } = told ?? {}
  const carried = carriedBy(row)
  const carries = carried && t('frontCarries', { word: tokens[carried[0]], name: shownWord(tokens[carried[1]]) })
  return html`<story-links .weights=${row} .from=${tokens.length - 1} .isOff=${!isOn} .titles=${titles}
    .carried=${carried} .carries=${carries}></story-links>
    <ol class="visually-hidden" id="front-gives"
      aria-label=${t('frontLinks')}>${titles.map((title, i) => (isOn && row[i] >= LEAST_LINK ? html`<li>${title}</li>` : nothing))}</ol>`
}

/** Draws bars of the most likely words, and one for all others together. @param {Context} context @param {Told | undefined} told */
function bars({ t }, told) {
  const shown = told?.top.filter(([, p]) => p >= LEAST_BAR) ?? []
  const rest = 1 - shown.reduce((sum, [, p]) => sum + p, 0)
  const bar = (/** @type {string | typeof nothing} */ word, /** @type {string} */ name, /** @type {number} */ p) =>
    html`<li data-word=${word} data-p=${p.toPrecision(6)}><span class="name">${name}</span>
      <span class="front-bar"><span .style=${`inline-size: ${p * 100}%`}></span></span>
      <span class="number">${percent(p, t)}</span></li>`
  return html`<div class="front-next"><h3>${t('frontBars')}</h3>
    <ol class="front-bars">${shown.map(([word, p]) => bar(word, shownWord(word), p))}${
      told ? bar(nothing, t('frontRest'), Math.max(0, rest)) : nothing
    }</ol></div>`
}
/** Minimum probability of a word with its own bar; `percent` formats smaller ones as "under 0.1%". */
const LEAST_BAR = 0.0005

/**
 * Draws the switches, and the link to the map of the head.
 * @param {Context} context
 * @param {import('./pronoun-story.js').Switches} switches
 * @param {readonly number[]} [row] attention of the pronoun on each word
 */
function switchRow({ t, act, settings, view }, { isOn, othersOn }, row) {
  const { layer, head } = NAMED[settings.pronoun]
  const name = headName({ layer, head })
  const isNew = !view.isUsed && settings.isOn && settings.othersOn
  const one = (/** @type {'isOn' | 'othersOn'} */ which, /** @type {boolean} */ value, /** @type {string} */ name) =>
    html`<button type="button" role="switch" class="front-switch ${isNew ? 'is-new' : ''}" id="front-${which}"
      aria-checked=${value} @click=${() => act.flip(which)}>
      <span class="front-knob"></span>${t(value ? 'frontOn' : 'frontOff', { name })}</button>`
  return html`<div class="front-switches">${one('isOn', isOn, t('frontHead', { head: name }))}
    ${
      isNew
        ? html`<span class="note">${t('frontTry', { layer: layer + 1, head: head + 1 })}</span>`
        : one('othersOn', othersOn, t('frontOthers'))
    }
    <a class="front-way" id="front-go-on" href=${thisStory(settings, row)}>${t('frontGoOn')}</a></div>`
}

/** Draws the field for the reader's sentence, which the English model continues. @param {Context} context */
function own({ t, act, view }) {
  const link = (/** @type {string} */ text) => ownSentence(text.trim() || t('frontOwnExample'))
  // Enter follows the link for the current text of the field, since the drawn link may be outdated.
  const follow = (/** @type {Event & { currentTarget: HTMLFormElement }} */ event) => {
    event.preventDefault()
    location.hash = link(event.currentTarget.querySelector('input')?.value ?? '')
  }
  const type = (/** @type {Event & { target: HTMLInputElement }} */ { target }) => act.own(target.value)
  return html`<form class="front-own" @submit=${follow}>
    <label for="front-own">${t('frontOwn')}</label>
    <input id="front-own" maxlength="400" lang="en" autocomplete="off" .value=${view.own} placeholder=${t('frontOwnExample')}
      @input=${type} />
    <a class="tool is-filled" id="front-to-own" href=${link(view.own)}>${t('frontOwnGo')}</a>
  </form>`
}

/** Formats the reason of a failure for use inside a sentence, without its full stop. @param {import('./front.js').Context['t']} t @param {import('../../shell/room.js').Problem} problem */
const reasonOf = (t, { key, params }) =>
  String(key === 'requestFailed' ? params?.message : t(key, params)).replace(/[.。]$/, '')

/**
 * Describes the effect of the switches.
 * @param {Context} context
 * @param {Runs | undefined} runs
 * @param {import('./pronoun-story.js').Switches} switches
 */
function says({ t, act, settings, view, got }, runs, switches) {
  const head = headName(NAMED[settings.pronoun])
  const lines = runs
    ? sayings(storyOf(settings), runs, switches).map(({ key, words, shares }) =>
        t(key, {
          head,
          pronoun: settings.pronoun,
          ...mapped(words, word => (word === '<s>' ? t('frontStart') : shownWord(word))),
          ...mapped(shares, share => percent(share, t)),
        }),
      )
    : []
  const tell = got.tell
  const isFailed = tell?.is === 'failed' || tell?.is === 'lost'
  const size = Math.round(recorded.bytes / 1024)
  const state = isFailed
    ? t(runs ? 'frontFailed' : 'frontCannot', { message: reasonOf(t, tell.problem) })
    : tell?.is === 'here'
      ? ''
      : t(view.isSaving && !view.isWanted ? 'frontSaving' : runs ? 'frontRecorded' : 'frontWaiting', { size })
  return html`<div class="front-told"><p class="front-says" role="status" aria-live="polite">${lines.join(t('frontSpace'))}</p>
    <p class="note front-state ${isFailed ? 'problem' : ''}">${state}
      ${
        isFailed
          ? html`<button type="button" class="plain" id="front-retry" @click=${() => act.retry()}>${t('retry')}</button>`
          : nothing
      }</p></div>`
}

/** @template V, W @param {Record<string, V>} record @param {(value: V) => W} of @returns {Record<string, W>} */
const mapped = (record, of) => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]))
