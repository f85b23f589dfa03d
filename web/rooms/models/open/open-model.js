// Draws the open model, controls to open another one, the progress, and the reason for a failure.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { SHIPPED } from '../../../files/shipped-models.js'
import { counted } from '../../../i18n/counted.js'
import { later } from '../../../shell/later.js'
import { closeMenu, menu, menuChoices } from '../../../shell/menu.js'
import { textsLater } from '../../../shell/texts-later.js'
import { duration } from '../long-text/limits.js'
import { askedOf, failureOf, requestOf, titleOf, typeOf } from '../shown.js'
import { galleryOf, modelField } from './model-field.js'
import { isOfHub, megabytes } from './sources.js'

/** Loads the guided stories, for models that have some. */
export const stories = later(() => import('../story.js'))

/** @type {import('../../../shell/texts-later.js').Later<typeof import('../long-text/draft.js') & { l: import('../long-text/draft.js').LongTexts }>} */
const long = textsLater(['long-text'], async texts => {
  const [module, l] = await Promise.all([import('../long-text/draft.js'), texts])
  return { ...module, l }
})

/** Maximum number of characters quoted in the offer to restore the reader's text. */
const SHOWN = 40

/** @import { Room } from '../models.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Room} room */
export function opening(room) {
  const { t, act, got, openModel } = room
  const asked = askedOf(room)
  const choose = (/** @type {InputEvent} */ { target }) => {
    act.bring(Array.from(target.files ?? []))
    target.value = '' // else choosing a file of the same name again is no change
    closeMenu(target)
  }
  const isOfGallery = openModel !== undefined && isOfHub(openModel.name)
  return html`<div class="models-bar">
      ${modelField(room)}
      ${menu(
        { id: 'models-open', label: t('modelsOpen') },
        html`${othersHere(room)}
          <label class="tool models-file">${t('modelsFolder')}<input class="visually-hidden" id="models-folder"
            type="file" webkitdirectory multiple @change=${choose} /></label>
          <label class="tool models-file">${t('modelsFiles')}<input class="visually-hidden" id="models-files"
            type="file" multiple accept=".json,.safetensors,.gguf,.bin,.spm,.txt,.md" @change=${choose} /></label>
          <p class="note">${t('modelsLocal')}</p>`,
      )}
      ${openModel?.about?.tour?.length ? stories.draw(({ storyMenu }) => storyMenu(room)) : nothing}
      ${openModel ? facts(room, openModel) : nothing}
    </div>
    ${asked ? galleryOf(room).draw(({ hubQuestion, g }) => hubQuestion(room, asked, g)) : nothing}
    ${openProgress(room)} ${running(room)} ${failure(room)}
    ${openModel ? source(room, openModel) : nothing}
    ${isOfGallery ? galleryOf(room).draw(({ lookFor, g }) => lookFor(room, g)) : nothing}
    ${!openModel && !asked && got.open?.is !== 'waiting' ? html`<p class="models-empty">${t('modelsEmpty')}</p>` : nothing}`
}

/** Lists the other shipped models. @param {Room} room */
function othersHere({ t, act, openModel }) {
  const others = SHIPPED.filter(({ name }) => name !== openModel?.name)
  return html`<div id="models-here" role="group"
    aria-label=${t('modelsHere')}>${menuChoices(
      others.map(({ name }) => ({ name, label: titleOf({ t }, name), act: () => act.openTyped(name) })),
    )}</div>`
}

/** @param {Room} room @param {import('../models.js').OpenModel} model */
function facts({ t }, { stacks, parameters, bytes, dtype, types, threads, ...model }) {
  const sizes = [stacks.encoder, stacks.decoder].flatMap(stack =>
    stack ? counted(t, 'modelsSizes', stack.numHeads, { layers: stack.layers }) : [],
  )
  const said = t('modelsFacts', {
    type: typeOf(t, model),
    sizes: sizes.join(' + '),
    parameters: parameters.toLocaleString('en'),
    memory: megabytes(bytes),
  })
  return html`<span class="models-facts"
    id="models-facts">${[said, dtype || types.join(' + ')].filter(Boolean).join(', ')}${
      threads > 1 ? `, ${t('modelsThreads', { count: threads })}` : ''
    }</span>`
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
    left: duration(t, secondsLeft),
  }
  return html`<div class="models-progress" role="status">
    <span>${t('modelsOpening', { name })} ${sizes ? t(rate ? 'modelsDownload' : 'modelsProgress', sizes) : ''}</span>
    <progress max="1" .value=${share} aria-label=${t('modelsOpening', { name })}></progress>
    <button type="button" class="tool" id="models-cancel" @click=${() => act.cancel('open')}>${t('cancel')}</button>
  </div>`
}

/** Shows the progress of a long run, or that it was cancelled. @param {Room} room */
function running({ t, act, got }) {
  const slots = [got.run, got.changed]
  const own = slots.find(each => each?.is === 'waiting' && each.progress)
  if (own?.is === 'waiting' && own.progress) {
    const { layer, layers, share, seconds } = own.progress
    const left = share > 0 ? t('modelsAboutLeft', { time: duration(t, (seconds / share) * (1 - share)) }) : ''
    return html`<div class="models-progress" id="models-running" role="status">
      <span>${t('modelsRunning', { layer, layers, seconds: seconds.toFixed(1) })} ${left}</span>
      <progress max="1" .value=${share} aria-label=${t('modelsRun')}></progress>
      <button type="button" class="tool" id="models-cancel-run" @click=${() => act.cancel('run')}>${t('cancel')}</button>
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
  if (problem.key === 'modelsLarge')
    return galleryOf(room).draw(({ tooLarge }) => tooLarge(room, /** @type {any} */ (problem.params)))
  const { key, params } = problem
  const message = String(params?.message ?? '').replace(/^\w+: |[.。]$/g, '') // strips the function name and the last full stop
  return html`<p class="models-problem" id="models-problem" role="alert"
    data-problem=${key}>${t(key, { ...params, message })} ${
      isLost
        ? html`<button type="button" class="tool" id="models-again" @click=${() => act.startAgain()}>${t('modelsAgain')}</button>`
        : openModel && isRefused
          ? t('modelsStays')
          : ''
    }</p>`
}

/** Offers to restore the reader's text that was set aside. @param {Room} room */
function setAside({ t, act, view, text }) {
  const { setAside: kept } = view
  if (kept === undefined || kept === text) return nothing
  const start = kept.length > SHOWN ? `${kept.slice(0, SHOWN)}…` : kept
  return html`<p class="models-progress" id="models-set-aside" role="status"><span>${t('modelsSetAside', { start })}</span>
    <button type="button" class="tool" id="models-bring-back" @click=${() => act.bringBack()}>${t('modelsBringBack')}</button></p>`
}

/** Draws the input of the model. @param {Room} room @param {import('../models.js').OpenModel} model */
function source(room, model) {
  const { t, act, settings, text, second, view } = room
  const { hasTokenizer, hasHead, stacks, mask } = model
  const isTranslation = stacks.encoder && stacks.decoder
  const label = !hasTokenizer
    ? 'modelsIds'
    : isTranslation
      ? 'modelsSource'
      : stacks.decoder || !hasHead
        ? 'modelsText'
        : 'modelsMasked'
  const needsSource =
    second !== undefined || settings.sourceText || settings.changes.some(({ kind }) => kind === 'patch')
  return html`<label class="models-text">${t(label, { mask: mask ?? '[MASK]' })}
      <textarea id="models-text" data-undo="room" rows="1" spellcheck="false" .value=${live(view.draft ?? text)}
        @input=${(/** @type {InputEvent} */ { target }) => act.type(target.value)}></textarea></label>
    ${hasTokenizer ? nothing : html`<p class="note">${t('modelsMakeTokenizer')}</p>`}
    ${view.draft === undefined ? setAside(room) : long(t('htmlLang')).draw(({ longText, l }) => longText(room, model, view.draft ?? '', l))}
    ${
      needsSource
        ? html`<label class="models-text">${t(second === undefined ? 'modelsSourceText' : 'modelsSecondText')}
      <textarea id="models-source-text" rows="1" spellcheck="false" .value=${live(second ?? settings.sourceText)}
        @input=${(/** @type {InputEvent} */ { target }) => act.typeSource(target.value)}></textarea></label>`
        : nothing
    }`
}
