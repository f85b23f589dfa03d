// The open model, the ways to open another one, its progress, and why it failed.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { counted } from './counted.js'
import { galleryOf, modelField } from './model-field.js'
import { askedOf, failureOf, requestOf, titleOf } from './shown.js'
import { isOfHub, megabytes } from './sources.js'

/** @typedef {import('./models.js').Room} Room */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Room} room */
export function opening(room) {
  const { t, act, got, openModel } = room
  const asked = askedOf(room)
  const choose = (/** @type {InputEvent} */ { target }) => act.bring(Array.from(target.files ?? []))
  const isOfGallery = openModel !== undefined && isOfHub(openModel.name)
  return html`<div class="models-bar">
      ${modelField(room)}
      <label class="tool models-file">${t('modelsFolder')}<input class="visually-hidden" id="models-folder" type="file" webkitdirectory multiple @change=${choose} /></label>
      <label class="tool models-file">${t('modelsFiles')}<input class="visually-hidden" id="models-files" type="file" multiple accept=".json,.safetensors" @change=${choose} /></label>
      <span class="note"><span class="models-drop">${t('modelsDrop')}</span> ${t('modelsLocal')}</span>
      ${openModel ? facts(room, openModel) : nothing}
    </div>
    ${asked ? galleryOf(room).draw(({ hubQuestion, g }) => hubQuestion(room, asked, g)) : nothing}
    ${openProgress(room)} ${running(room)} ${failure(room)}
    ${openModel ? source(room, openModel) : nothing}
    ${isOfGallery ? galleryOf(room).draw(({ lookFor, g }) => lookFor(room, g)) : nothing}
    ${!openModel && !asked && got.open?.is !== 'waiting' ? html`<p class="models-empty">${t('modelsEmpty')}</p>` : nothing}`
}

/** @param {Room} room @param {import('./models.js').OpenModel} model */
function facts({ t }, { type, stacks, parameters, bytes, dtype, threads }) {
  const sizes = [stacks.encoder, stacks.decoder].flatMap(stack =>
    stack ? counted(t, 'modelsSizes', stack.heads, { layers: stack.layers }) : [],
  )
  const said = t('modelsFacts', {
    type,
    sizes: sizes.join(' + '),
    parameters: parameters.toLocaleString('en'),
    memory: megabytes(bytes),
  })
  return html`<span class="models-facts" id="models-facts">${said}${dtype ? `, ${dtype}` : ''}${threads > 1 ? `, ${t('modelsThreads', { count: threads })}` : ''}</span>`
}

/** @param {Room} room */
function openProgress(room) {
  const { t, act, got } = room
  if (got.open?.is !== 'waiting') return nothing
  const progress = /** @type {Record<string, any>} */ (got.open.progress ?? {})
  const name = titleOf(room, progress.name ?? requestOf(room).requested?.name ?? '')
  const share = progress.total ? progress.loaded / progress.total : 0
  const { rate, secondsLeft = 0 } = progress
  const sizes = progress.total && {
    loaded: megabytes(progress.loaded),
    total: megabytes(progress.total),
    seconds: progress.seconds.toFixed(1),
    rate: megabytes(rate ?? 0),
    left: t(secondsLeft > 90 ? 'modelsLeft.minutes' : 'modelsLeft.seconds', {
      count: Math.ceil(secondsLeft > 90 ? secondsLeft / 60 : secondsLeft),
    }),
  }
  return html`<div class="models-progress" role="status">
    <span>${t('modelsOpening', { name })} ${sizes ? t(rate ? 'modelsDownload' : 'modelsProgress', sizes) : ''}</span>
    <progress max="1" .value=${share} aria-label=${t('modelsOpening', { name })}></progress>
    <button type="button" class="tool" id="models-cancel" @click=${() => act.cancel('open')}>${t('modelsCancel')}</button>
  </div>`
}

/** How far a long run is, or that it was cancelled. @param {Room} room */
function running({ t, act, got }) {
  const slots = [got.run, got.changed]
  const own = slots.find(each => each?.is === 'waiting' && each.progress)
  if (own?.is === 'waiting') {
    const { share, seconds } = /** @type {{ share: number, seconds: number }} */ (own.progress)
    return html`<div class="models-progress" id="models-running" role="status">
      <span>${t('modelsRunning', { share: Math.round(100 * share), seconds: seconds.toFixed(1) })}</span>
      <progress max="1" .value=${share} aria-label=${t('modelsRun')}></progress>
      <button type="button" class="tool" id="models-cancel-run" @click=${() => act.cancel('run')}>${t('modelsCancel')}</button>
    </div>`
  }
  if (!slots.some(each => each?.is === 'cancelled')) return nothing
  return html`<div class="models-progress" id="models-cancelled" role="status">
    <span>${t('modelsCancelled')}</span>
    <button type="button" class="tool" id="models-run-again" @click=${() => act.runAgain()}>${t('modelsRunAgain')}</button>
  </div>`
}

/** @param {Room} room */
function failure(room) {
  const { t, act, openModel } = room
  const found = failureOf(room)
  if (!found) return nothing
  const { problem, isLost, isRefused } = found
  if (problem.key === 'modelsLarge') return tooLarge(room, /** @type {any} */ (problem.params))
  const { key, params } = problem
  const message = String(params?.message ?? '').replace(/^\w+: |[.。]$/g, '') // without the name of our function
  return html`<p class="models-problem" id="models-problem" role="alert" data-problem=${key}>${t(/** @type {any} */ (key), { ...params, message })} ${
    isLost
      ? html`<button type="button" class="tool" id="models-again" @click=${() => act.startAgain()}>${t('modelsAgain')}</button>`
      : openModel && isRefused
        ? t('modelsStays')
        : ''
  }</p>`
}

/** @param {Room} room @param {{ name: string, most: number, stored: number, float16: number, int8: number }} sizes in bytes */
function tooLarge(room, { name, most, ...bytes }) {
  const { t, act } = room
  const { stored, float16, int8 } = bytes
  const fits = /** @type {const} */ (['float16', 'int8']).filter(dtype => bytes[dtype] <= most)
  const sizes = {
    name: titleOf(room, name),
    stored: megabytes(stored),
    float16: megabytes(float16),
    int8: megabytes(int8),
    most: megabytes(most),
  }
  return html`<div class="models-problem" id="models-large" role="alert">${t('modelsLarge', sizes)}
    ${fits.map(dtype => html`<button type="button" class="tool is-filled" data-dtype=${dtype} @click=${() => act.openSmaller(dtype)}>${t('modelsOpenAs', { dtype, memory: megabytes(bytes[dtype]) })}</button>`)}
    ${fits.length ? nothing : t('modelsNothingFits')}
    <button type="button" class="tool" @click=${() => act.dismiss()}>${t('modelsCancel')}</button></div>`
}

/** What the model reads. @param {Room} room @param {import('./models.js').OpenModel} model */
function source({ t, act, settings, text }, { hasTokenizer, stacks, mask }) {
  const isTranslation = stacks.encoder && stacks.decoder
  const label = !hasTokenizer
    ? 'modelsIds'
    : isTranslation
      ? 'modelsSource'
      : stacks.decoder
        ? 'modelsText'
        : 'modelsMasked'
  const needsSource = settings.sourceText || settings.changes.some(({ kind }) => kind === 'patch')
  return html`<label class="models-text">${t(label, { mask: mask ?? '[MASK]' })}
      <textarea id="models-text" rows="1" spellcheck="false" .value=${live(text)} @input=${(/** @type {InputEvent} */ { target }) => act.type(target.value)}></textarea></label>
    ${
      needsSource
        ? html`<label class="models-text">${t('modelsSourceText')}
      <textarea id="models-source-text" rows="1" spellcheck="false" .value=${live(settings.sourceText)} @input=${(/** @type {InputEvent} */ { target }) => act.typeSource(target.value)}></textarea></label>`
        : nothing
    }`
}
