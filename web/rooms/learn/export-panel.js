// Exports the model, the run as a program, and the curves; opens a saved model.

import { html, nothing } from 'lit'
import { until } from 'lit/directives/until.js'
import { headScores, svgOf } from './curves.js'
import { runSettings } from './fields.js'
import { failureOf, pictureOf, runOf } from './run-state.js'
import { TASKS } from './tasks/index.js'

/** @import { Context } from './learn.js' */

/** Formats the curves as CSV. @param {readonly import('./watched-run.js').Point[]} points */
function csvOf(points) {
  const heads = headScores(points)
  const of = ['step', 'accuracy', 'heldOutAccuracy', 'alignment', 'previous', 'induction', 'loss', 'heldOutLoss']
  const rows = points.map(point => {
    /** @type {Record<string, unknown>} */
    const numbers = { ...point, ...point.scores }
    return [...of.map(name => numbers[name]), ...heads.map(({ value }) => value(point))]
  })
  return [[...of, ...heads.map(({ name, kind }) => `${kind} ${name}`)], ...rows, []]
    .map(row => row.join(','))
    .join('\n')
}

/** True until the first picture has been drawn. Its appearance would move this panel. @param {Context} context */
const isComing = context => !failureOf(context) && !(runOf(context) && pictureOf(context))

/** @param {Context} context */
export function exportPanel(context) {
  const { t, view, act } = context
  const problem = context.got.file?.is === 'failed' ? context.got.file.problem : undefined
  if (isComing(context)) return nothing
  return html`${runOf(context) ? exports(context) : nothing}
    <p class="learn-open"><label class="tool">${t('learnOpenModel')}<input type="file" id="learn-file" class="offstage"
      multiple accept=".safetensors,.json" @change=${(
        /** @type {Event & { target: HTMLInputElement }} */ { target },
      ) => {
        const files = Array.from(target.files ?? [])
        target.value = ''
        if (files.length) act.open(files)
      }} /></label> <span class="note">${t('learnOpenText')}</span></p>
    ${
      problem
        ? html`<p class="learn-problem" role="alert"
          id="learn-file-problem">${t('learnFileProblem', { message: t(problem.key, problem.params) })}</p>`
        : nothing
    }
    ${
      view.refused
        ? html`<p class="learn-problem" role="alert" id="learn-refused"
          data-files=${view.refused}>${t('learnRefused', { files: view.refused })}</p>`
        : nothing
    }`
}

/** Cache: the last program. @type {{ key: string, program: Promise<string> }} */
let made = { key: '', program: Promise.resolve('') }

/** Returns the program of the run; its writer is loaded on demand. @param {Context} context */
function programOf({ settings, view }) {
  const { task } = settings
  const own = runSettings(settings)
  const key = JSON.stringify([view.program, task, own, view.text])
  if (key !== made.key)
    made = {
      key,
      program: import('./programs/exported.js').then(({ programOf }) => programOf(view.program, task, own, view.text)),
    }
  return made.program
}

/** Returns the note about what a link of this run does not contain. @param {Context} context @returns {import('./learn.js').LearnKey} */
function linkNote(context) {
  if (TASKS[context.settings.task].hasText) return 'learnLinkText'
  return runOf(context)?.isOpened ? 'learnLinkFile' : 'learnSaveText'
}

/** @param {Context} context */
function exports(context) {
  const { t, settings, view, act } = context
  const { task } = settings
  /** @type {import('./learn.js').View['program'][]} */
  const languages = ['pytorch', 'qkv']
  const program = view.isExporting ? programOf(context) : '' // loads nothing while closed
  const paper = () => getComputedStyle(document.documentElement).getPropertyValue('background-color') || '#fff'
  const saveSvg = (/** @type {Event & { target: Element }} */ { target }) => {
    const room = target.closest('.learn')
    if (room) act.save(`${task}.svg`, svgOf(room, paper()), 'image/svg+xml')
  }
  return html`<details class="learn-along" ?open=${view.isExporting}
    @toggle=${(/** @type {Event & { target: HTMLDetailsElement }} */ { target }) =>
      act.show({ isExporting: target.open })}><summary>${t('learnAlong')}</summary>
    ${
      view.isExporting
        ? html`<div class="learn-buttons">
      <button type="button" class="tool" id="learn-save" @click=${() => act.saveModel(false)}>${t('learnSaveModel')}</button>
      <button type="button" class="tool" id="learn-save-json" @click=${() => act.saveModel(true)}>${t('learnSaveConfig')}</button>
      <button type="button" class="tool" id="learn-link" @click=${() => act.copyLink()}>${t('learnCopyLink')}</button>
      <button type="button" class="tool" id="learn-csv"
        @click=${() => act.save(`${task}.csv`, csvOf(view.points), 'text/csv')}>${t('learnSaveCurves')}</button>
      <button type="button" class="tool" id="learn-svg" @click=${saveSvg}>${t('learnSaveSvg')}</button>
    </div>
    <p class="note" id="learn-link-note">${t(linkNote(context))}</p>
    <div class="learn-buttons">${languages.map(
      name =>
        html`<button type="button" class="tool" data-program=${name} aria-pressed=${view.program === name}
          @click=${() => act.show({ program: name })}>${t(`learnProgram.${name}`)}</button>`,
    )}
      <button type="button" class="tool" id="learn-copy" @click=${async () => act.copy(await program)}>${t('copy')}</button></div>
    <p class="note">${t('learnProgramText')}</p>
    <pre tabindex="0" aria-label=${t(`learnProgram.${view.program}`)}><code>${until(program)}</code></pre>`
        : nothing
    }</details>`
}
