// Compares two runs, or two steps of one run: A is the reference, B is the current run.

import { html, nothing } from 'lit'
import { isRunning } from './run-state.js'

/** @param {import('./learn.js').Context} context @param {import('./learn.js').RunInfo} run @param {import('./learn.js').Picture} picture */
export function compareRuns(context, { settings }, { reference: shownA }) {
  const { t, view, act } = context
  const { reference } = view
  const { seed, layers } = settings
  const isReady = view.steps > 0 && !isRunning(context)
  return html`<section class="learn-compare" aria-labelledby="learn-compare-title"><h2 id="learn-compare-title">${t('learnCompare')}</h2>
    ${
      reference && shownA
        ? html`<p class="learn-of is-kept">${t(reference.at === null ? 'learnKeptRun' : 'learnKeptStep', {
            seed: reference.seed,
            layers: reference.layers,
            step: shownA.shownAt,
          })}</p>
          <p class="learn-of is-new">${t('learnKeptNow', { seed, layers })}</p>
          <button type="button" class="tool" id="learn-release" @click=${() => act.show({ reference: null })}>${t('learnRelease')}</button>`
        : html`<p class="note">${t(isReady ? 'learnCompareText' : 'learnCompareLater')}</p>`
    }
    <div class="learn-buttons">
      <button type="button" class="tool" id="learn-keep" ?disabled=${!isReady} @click=${() => act.keep('run')}>${t('learnKeep')}</button>
      <button type="button" class="tool" id="learn-keep-step" ?disabled=${!isReady}
        @click=${() => act.keep('step')}>${t('learnKeepMoment')}</button>
      <button type="button" class="tool" id="learn-other-seed" ?disabled=${!isReady}
        @click=${() => act.against({ seed: seed + 1 })}>${t('learnOtherSeed')}</button>
      ${
        layers > 1
          ? html`<button type="button" class="tool" id="learn-one-layer" ?disabled=${!isReady}
            @click=${() => act.against({ layers: 1 })}>${t('learnOneLayer')}</button>`
          : nothing
      }
    </div></section>`
}
