// Exports: the model, the run as a program, the curves; and opening a saved model.

import { html, nothing } from 'lit'
import { copy, save } from '../../files/clipboard.js'
import { svgOf } from './curves.js'
import { qkvProgram } from './programs/node.js'
import { pytorchProgram } from './programs/pytorch.js'
import { configOf, fromFile, toFile } from './saved-model.js'

/** @typedef {import('./room.js').Context} Context */

/** @param {readonly import('./curves.js').Point[]} points */
export function csvOf(points) {
  const heads = points[0]?.heads.flatMap((layer, l) => layer.map((_, h) => `${l + 1}.${h + 1}`)) ?? []
  const head = 'step,accuracy,heldOutAccuracy,alignment,previous,induction,loss,heldOutLoss'
  const more = heads.flatMap(name => [`previous ${name}`, `answer ${name}`])
  const rows = points.map(({ step, accuracy, heldOutAccuracy, alignment, scores, loss, heldOutLoss, heads }) =>
    [
      ...[step, accuracy, heldOutAccuracy, alignment, scores.previous, scores.induction, loss, heldOutLoss],
      ...heads.flat().flatMap(({ previous, answer }) => [previous, answer]),
    ].join(','),
  )
  return [[head, ...more].join(','), ...rows, ''].join('\n')
}

/** @param {Context} context */
async function saveModel({ watch }, isConfig = false) {
  const { task, settings, text } = watch
  const { state, step } = await watch.state()
  const config = configOf(task, settings, step, text)
  const name = `${task}-seed${settings.seed}-step${step}`
  if (isConfig) save(`${name}.json`, `${JSON.stringify(config, null, 2)}\n`, 'application/json')
  else save(`${name}.safetensors`, toFile(state, config), 'application/octet-stream')
}

/** @param {Context} context @param {File[]} files */
export async function openModel(context, files) {
  const { watch, look } = context
  try {
    const json = files.find(({ name }) => /\.json$/i.test(name))
    const file = files.find(each => each !== json)
    if (!file) throw new RangeError('no safetensors file given.')
    const {
      task,
      settings: _,
      learn,
      step,
      text,
      state,
    } = fromFile(new Uint8Array(await file.arrayBuffer()), await json?.text())
    look({ problem: '' })
    watch.adopt({ task, learn, text, given: { state, step } })
  } catch (error) {
    look({ problem: /** @type {Error} */ (error).message })
  }
}

/** @param {Context} context @param {import('./session.js').Report} report */
export function along(context, { settings }) {
  const { t, watch, view, look } = context
  const { task, text } = watch
  const programs = /** @type {const} */ (['pytorch', 'qkv'])
  const program = view.program === 'qkv' ? qkvProgram(task, settings, text) : pytorchProgram(task, settings, text)
  const paper = () => getComputedStyle(document.documentElement).getPropertyValue('background-color') || '#fff'
  return html`<details class="learn-along" ?open=${view.isAlong} @toggle=${(/** @type {Event & { target: HTMLDetailsElement }} */ { target }) => look({ isAlong: target.open })}><summary>${t('learnAlong')}</summary>
    ${
      view.isAlong
        ? html`<div class="learn-buttons">
      <button type="button" class="tool" id="learn-save" @click=${() => saveModel(context)}>${t('learnSaveModel')}</button>
      <button type="button" class="tool" id="learn-save-json" @click=${() => saveModel(context, true)}>${t('learnSaveConfig')}</button>
      <button type="button" class="tool" id="learn-link" @click=${async () => look({ copied: (await copy(location.href)) ? 'link' : '' })}>${t('learnCopyLink')}${view.copied === 'link' ? ' ✓' : ''}</button>
      <button type="button" class="tool" id="learn-csv" @click=${() => save(`${task}.csv`, csvOf(watch.points), 'text/csv')}>${t('learnSaveCurves')}</button>
      <button type="button" class="tool" id="learn-svg" @click=${() => save(`${task}.svg`, svgOf(context.root, paper()), 'image/svg+xml')}>${t('learnSaveSvg')}</button>
    </div>
    <p class="note">${t('learnSaveText')}</p>
    <div class="learn-buttons">${programs.map(name => html`<button type="button" class="tool" data-program=${name} aria-pressed=${(view.program || 'pytorch') === name} @click=${() => look({ program: name, copied: '' })}>${t(`learnProgram.${name}`)}</button>`)}
      <button type="button" class="tool" id="learn-copy" @click=${async () => look({ copied: (await copy(program)) ? 'program' : '' })}>${t('learnCopy')}${view.copied === 'program' ? ' ✓' : ''}</button></div>
    <p class="note">${t('learnProgramText')}</p>
    <pre tabindex="0" aria-label=${t(`learnProgram.${view.program || 'pytorch'}`)}><code>${program}</code></pre>`
        : nothing
    }</details>
    <p class="learn-open"><label class="tool">${t('learnOpenModel')}<input type="file" id="learn-file" class="offstage" multiple accept=".safetensors,.json" @change=${(
      /** @type {Event & { target: HTMLInputElement }} */ { target },
    ) => {
      const files = Array.from(target.files ?? [])
      target.value = ''
      if (files.length) openModel(context, files)
    }} /></label> <span class="note">${t('learnOpenText')}</span></p>
    ${view.problem ? html`<p class="learn-problem" role="alert">${t('learnFileProblem', { message: view.problem })}</p>` : nothing}`
}
