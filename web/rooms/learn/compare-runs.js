// Two runs side by side, or two moments of one: A is kept, B is the current one.

import { html, nothing } from 'lit'
import { writeLearn } from './check.js'

/** @typedef {import('./room.js').Context} Context */

/** @param {Context} context @param {import('./session.js').Report} report */
export function compare({ t, watch }, { settings, steps, isTraining, kept: shownA }) {
  const { kept, task } = watch
  const now = watch.settings
  /** A: the run of now; B: one that differs. @param {object} patch */
  const against = patch => {
    watch.keep('run')
    watch.link({ learn: writeLearn(task, { ...now, ...patch }) })
  }
  const isReady = steps > 0 && !isTraining
  return html`<section class="learn-compare" aria-labelledby="learn-compare-title"><h2 id="learn-compare-title">${t('learnCompare')}</h2>
    ${
      kept && shownA
        ? html`<p class="learn-of is-kept">${t(kept.at === null ? 'learnKeptRun' : 'learnKeptStep', { seed: kept.settings.seed, layers: kept.settings.layers, step: shownA.shownAt })}</p>
          <p class="learn-of is-new">${t('learnKeptNow', { seed: settings.seed, layers: settings.layers })}</p>
          <button type="button" class="tool" id="learn-release" @click=${() => watch.keep(null)}>${t('learnRelease')}</button>`
        : html`<p class="note">${t(isReady ? 'learnCompareText' : 'learnCompareLater')}</p>`
    }
    <div class="learn-buttons">
      <button type="button" class="tool" id="learn-keep" ?disabled=${!isReady} @click=${() => watch.keep('run')}>${t('learnKeep')}</button>
      <button type="button" class="tool" id="learn-keep-step" ?disabled=${!isReady} @click=${() => watch.keep('step')}>${t('learnKeepMoment')}</button>
      <button type="button" class="tool" id="learn-other-seed" ?disabled=${!isReady} @click=${() => against({ seed: now.seed + 1 })}>${t('learnOtherSeed')}</button>
      ${now.layers > 1 ? html`<button type="button" class="tool" id="learn-one-layer" ?disabled=${!isReady} @click=${() => against({ layers: 1 })}>${t('learnOneLayer')}</button>` : nothing}
    </div></section>`
}
