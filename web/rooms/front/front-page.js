// The picture of the front door: the story with its links, the next word, the switches, what happened, three cards.

import { html, nothing } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { headName } from '../../head/changes.js'
import { untilReleased } from '../../shell/held-key.js'
import { menu, menuItem } from '../../shell/menu.js'
import { cards, thisStory } from './cards.js'
import {
  BOYS,
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

/** @typedef {import('./front.js').Context} Context */
/** @typedef {import('./pronoun-story.js').Runs} Runs */
/** @typedef {import('./pronoun-story.js').Told} Told */

/** @param {number} number @param {string} language */
const grouped = (number, language) => number.toLocaleString(language)

/** The runs of the story, if they are known: those of the model, or the recorded ones. @param {Context} context @returns {{ runs?: Runs, isLive: boolean }} */
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
  const { layer, head } = NAMED[settings.pronoun]
  return html`<main class="front" id="stage" tabindex="-1" data-live=${isLive}>
    <p class="front-intro">${t('frontIntro', { count: grouped(recorded.parameters, t('htmlLang')) })}</p>
    <div class="front-stage">
      <div class="front-story">${line(context, 0, SECOND_LINE)}${line(context, SECOND_LINE, undefined, told)}
        ${links(context, runs?.all, switches.isOn)}</div>
      ${bars(context, told)}
      ${switchRow(context, switches, runs?.all.row)}
      ${says(context, runs, switches)}
      <p class="note">${t('frontHint', { pronoun: settings.pronoun, name: headName({ layer, head }), layer: layer + 1, head: head + 1 })}</p>
    </div>
    ${cards(context)}
  </main>`
}

/** The words from one to another; the last line ends in the next word. @param {Context} context @param {number} from @param {number} [to] @param {Told} [told] */
function line(context, from, to, told) {
  const { t, settings } = context
  const tokens = tokensOf(storyOf(settings))
  const words = tokens.slice(from, to)
  return html`<p class="front-line" lang="en">${repeat(
    words,
    (_, i) => i,
    (word, i) =>
      html`<span class="front-word ${word === '.' ? 'is-stop' : ''}" data-token=${from + i}>${wordOf(context, word)}${gloss(t, word)}</span>`,
  )}${to === undefined ? html`<output class="front-answer" aria-live="off">${told ? shownWord(told.top[0][0]) : '…'}</output>` : nothing}</p>`
}

/** In Chinese, what a word means stands under it. @param {Context['t']} t @param {string} word */
const gloss = (t, word) => (t('frontGlosses') ? html`<small class="front-gloss">${glossOf(t, word)}</small>` : nothing)

/** @param {Context['t']} t @param {string} word */
function glossOf(t, word) {
  const found = t('frontGlosses')
    .split(' ')
    .find(pair => pair.startsWith(`${word}=`))
  return found?.slice(word.length + 1) ?? nothing
}

/** A word of the story; names and the pronoun can be changed. @param {Context} context @param {string} word */
function wordOf({ t, act, settings }, word) {
  if (word === '<s>') return html`<span class="front-start" title=${t('frontStart')}></span>`
  if (word === settings.pronoun) {
    const other = otherOf(word)
    const label = t('frontSwap', { word, other })
    return html`<button type="button" class="front-pick" id="front-pronoun" title=${label} @click=${() => act.pronoun(other)}>${word}</button>`
  }
  if (!isName(word)) return word === 'is' ? 'Is' : word
  const who = word === settings.girl ? 'girl' : 'boy'
  const names = who === 'girl' ? GIRLS : BOYS
  return menu(
    {
      id: `front-${who}`,
      label: html`<span class="front-pick">${shownWord(word)}</span>`,
      title: t('frontNames', { name: shownWord(word) }),
    },
    html`${names.map(name => menuItem(`front-name-${name}`, shownWord(name), () => act.name(who, name)))}
      ${menuItem(`front-swap-${who}`, t('frontOrder'), act.swap)}`,
  )
}

/** @param {Context} context @param {Told | undefined} told of the run with all heads @param {boolean} isOn */
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
  return html`<story-links .weights=${row} .from=${tokens.length - 1} .isOff=${!isOn} .titles=${titles}></story-links>
    <ol class="visually-hidden" id="front-gives" aria-label=${t('frontLinks')}>${titles.map((title, i) => (isOn && row[i] >= LEAST_LINK ? html`<li>${title}</li>` : nothing))}</ol>`
}

/** The six likeliest words. @param {Context} context @param {Told | undefined} told */
function bars({ t }, told) {
  return html`<ol class="front-bars" aria-label=${t('frontBars')}>${told?.top.map(
    ([word, p]) =>
      html`<li data-word=${word} data-p=${p.toPrecision(6)}><span class="name">${shownWord(word)}</span>
        <span class="front-bar"><span .style=${`inline-size: ${p * 100}%`}></span></span>
        <span class="number">${percent(p, t)}</span></li>`,
  )}</ol>`
}

/** The switches, and the way to the map of the head. @param {Context} context @param {import('./pronoun-story.js').Switches} switches @param {readonly number[]} [row] what the pronoun gives to each word */
function switchRow({ t, act, settings, view }, { isOn, othersOn }, row) {
  const head = headName(NAMED[settings.pronoun])
  const one = (/** @type {'isOn' | 'othersOn'} */ which, /** @type {boolean} */ value, /** @type {string} */ name) =>
    html`<button type="button" role="switch" class="front-switch ${which === 'isOn' && !view.isUsed ? 'is-new' : ''}" id="front-${which}" aria-checked=${value} @click=${() => act.flip(which)}>
      <span class="front-knob"></span>${t(value ? 'frontOn' : 'frontOff', { name })}</button>`
  return html`<div class="front-switches">${one('isOn', isOn, t('frontHead', { head }))}
    ${view.isUsed || !settings.othersOn || !settings.isOn ? one('othersOn', othersOn, t('frontOthers')) : nothing}
    <a class="front-way" id="front-go-on" href=${thisStory(settings, row)}>${t('frontGoOn')}</a></div>`
}

/** Why something failed, to stand within a sentence. @param {import('./front.js').Context['t']} t @param {import('../../shell/room.js').Problem} problem */
const reasonOf = (t, { key, params }) =>
  String(key === 'requestFailed' ? params?.message : t(/** @type {any} */ (key), params)).replace(/[.。]$/, '')

/** What happened, in words. @param {Context} context @param {Runs | undefined} runs @param {import('./pronoun-story.js').Switches} switches */
function says({ t, act, settings, view, got }, runs, switches) {
  const head = headName(NAMED[settings.pronoun])
  const otherPronoun = otherOf(settings.pronoun)
  const lines = runs
    ? sayings(storyOf(settings), runs, switches).map(({ key, words, shares }) =>
        t(key, {
          head,
          otherPronoun,
          other: headName(NAMED[otherPronoun]),
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
  return html`<p class="front-says" role="status" aria-live="polite">${lines.join(t('frontSpace'))}</p>
    <p class="note front-state ${isFailed ? 'problem' : ''}">${state}
      ${isFailed ? html`<button type="button" class="plain" id="front-retry" @click=${() => act.retry()}>${t('retry')}</button>` : nothing}</p>`
}

/** @template V, W @param {Record<string, V>} record @param {(value: V) => W} of @returns {Record<string, W>} */
const mapped = (record, of) => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]))
