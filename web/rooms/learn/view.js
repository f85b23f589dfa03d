// Draws the room: the task and its settings, the answer to the reader's input, the heads, the curves, and the dock.

import { html, nothing } from 'lit'
import { visible } from '../../elements/drawing-backends.js'
import { percent } from '../../files/number-format.js'
import { glosses } from '../../ui/glosses.js'
import { bar } from './bar.js'
import { changesPanel } from './changes-chips.js'
import { compareRuns } from './compare-runs.js'
import { curvesPanel } from './curves-panel.js'
import { dock } from './dock.js'
import { exportPanel } from './export-panel.js'
import { isFresh } from './fields.js'
import { gradientMaps } from './gradient-maps.js'
import { heads, selectedHead } from './head-maps.js'
import { why } from './logit-shares-panel.js'
import { pictureOf, runOf } from './run-state.js'

import { TASKS } from './tasks/index.js'

/** @import { Context, Picture, RunInfo } from './learn.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Context} context */
export function draw(context) {
  const run = runOf(context)
  const picture = pictureOf(context)
  const isNew = isFresh(context)
  const stage =
    run &&
    picture &&
    html`<div class="learn-stage">
      <div class="learn-says">${probe(context, run, picture)}${why(context, run, picture)}</div>
      <section class="learn-heads">${heads(context, run, picture)}</section>
      <section class="learn-model">
        ${isNew ? nothing : changesPanel(context, picture)}
        ${selectedHead(context, run, picture)}
        ${gradientMaps(context, run, picture)}
      </section>
      <section class="learn-run">${curvesPanel(context, run, picture)}${isNew ? nothing : compareRuns(context, run, picture)}</section>
    </div>`
  return html`<main class="learn" id="stage">
    ${bar(context)}
    ${stage ?? nothing}
    ${dock(context)}
    ${exportPanel(context)}
  </main>`
}

/** Draws the reader's input with the model's answer. @param {Context} context @param {RunInfo} run @param {Picture} picture */
function probe({ t, settings, view, around, act }, run, { shown }) {
  const { task } = settings
  const { answers, language = nothing, words } = TASKS[task].tokens({ V: 0, ...run.shape })
  const [best] = shown.next
  const gloss = TASKS[task].hasGlosses ? glosses(t, () => act.show({})) : undefined
  const answer = (/** @type {string} */ text, /** @type {number} */ index, /** @type {string} */ label) =>
    html`<button type="button" class="answer-token" lang=${language} data-gloss=${gloss?.(text) ?? nothing}
      aria-pressed=${settings.why === index} aria-label=${label}
      @click=${() => act.explain(settings.why === index ? null : index)}>${text}</button>`
  const token = visible(best.token)
  const says = t('learnSays', { token, share: percent(best.share) })
  const typed = settings.probe || shown.probe
  return html`<div class="learn-probe">
    <label>${t(`probeLabel.${task}`)}
      <input id="learn-probe" type="text" autocomplete="off" spellcheck="false" .value=${typed}
        @change=${(/** @type {InputEvent} */ { target }) => act.ask(target.value)} /></label>
    ${
      shown.trouble
        ? html`<p class="learn-problem" role="alert"
          data-problem=${shown.trouble.key}>${t(shown.trouble.key, shown.trouble.params)}</p>`
        : nothing
    }
    ${words || TASKS[task].hasText ? ownSentence({ t, settings, around, act }, run, words, shown.trouble !== undefined) : nothing}
    <p class="learn-answer" id="learn-answer">${
      answers === 'all'
        ? shown.answers.map((token, i) => html`${answer(token, i, t('why', { token }))} `)
        : answer(says, shown.answers.length - 1, `${says}. ${t('why', { token })}`)
    }${
      shown.continued === undefined
        ? nothing
        : html`<span class="learn-continued"><bdi>${typed}</bdi><mark>${shown.continued}</mark></span>`
    }</p>
    <p class="note">${view.steps === 0 && !run.isOpened ? t('learnUntrained') : t('learnWhyHint')}</p>
    ${words ? grammarWords({ t, settings, act }, words) : nothing}
    <p class="offstage" role="status"
      id="learn-spoken">${
        view.spoken
          ? t(`learnSpoken${heldOutOf(task)}`, {
              step: view.spoken.step,
              accuracy: percent(view.spoken.accuracy),
            })
          : nothing
      }</p>
  </div>`
}

/** Returns the suffix of the text keys about held-out data, which is a tenth of the text or certain lengths. @param {string} task */
const heldOutOf = task => (TASKS[task].hasText ? '.text' : '')

/** Draws every word that can be typed, as buttons. @param {Pick<Context, 't' | 'settings' | 'act'>} context @param {readonly string[]} words */
const grammarWords = ({ t, settings, act }, words) =>
  html`<details class="learn-words"><summary>${t('learnWords')}</summary><p>${words.map(
    word =>
      html`<button type="button" class="learn-word" @click=${() => act.ask(`${settings.probe} ${word}`.trim())}>${word}</button> `,
  )}<button type="button"
    class="learn-word" @click=${() => act.ask('')}>×</button></p></details>`

/**
 * Draws the button that takes the sentence of "One layer" as input.
 * @param {Pick<Context, 't' | 'settings' | 'around' | 'act'>} context
 * @param {RunInfo} run
 * @param {readonly string[] | undefined} words
 * @param {boolean} hasTrouble
 */
function ownSentence({ t, settings, around, act }, { characters = [] }, words, hasTrouble) {
  const known = words ?? characters
  const parts = words ? settings.probe.split(/(\s+)/) : Array.from(settings.probe)
  return html`<p class="learn-own-sentence"><button type="button" class="tool" id="learn-use-sentence"
    ?disabled=${!around.sentence} title=${t('learnUseSentenceText')}
    @click=${() => act.ask(around.sentence)}>${t('learnUseSentence')}</button>
    ${
      hasTrouble
        ? html`<span class="note"
          id="learn-unknown">${parts.map(part => (part.trim() && !known.includes(part) ? html`<u>${part}</u>` : part))}</span>`
        : nothing
    }</p>`
}
