// The open model, the ways to open another one, its progress, and why it failed.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { megabytes, SHIPPED } from './sources.js'
import { counted } from './texts.js'

/** @typedef {import('./room.js').ModelsRoom} Room */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @param {Room} room @param {string} name */
function titleOf({ t }, name) {
  if (name === 'stories' || name === 'translation') return t(`modelsShipped.${name}`)
  return name.split('~')[0]
}

/** @param {Room} room */
export function opening(room) {
  const { t, told, wanted } = room
  const names = [...new Set([...SHIPPED.map(({ name }) => name), ...room.brought.keys(), ...(told ? [told.name] : [])])]
  const choose = (/** @type {InputEvent} */ { target }) => room.bring(Array.from(target.files ?? []))
  return html`<div class="models-bar">
      ${
        names.length
          ? html`<label>${t('modelsModel')} <select id="models-model" @change=${(/** @type {InputEvent} */ { target }) => room.open(target.value)}>
        ${names.map(name => html`<option value=${name} ?selected=${name === (told?.name ?? wanted)}>${titleOf(room, name)}</option>`)}
      </select></label>`
          : nothing
      }
      <label class="tool models-file">${t('modelsFolder')}<input class="visually-hidden" id="models-folder" type="file" webkitdirectory multiple @change=${choose} /></label>
      <label class="tool models-file">${t('modelsFiles')}<input class="visually-hidden" id="models-files" type="file" multiple accept=".json,.safetensors" @change=${choose} /></label>
      <span class="note"><span class="models-drop">${t('modelsDrop')}</span> ${t('modelsLocal')}</span>
      ${told ? facts(room) : nothing}
    </div>
    ${progress(room)} ${running(room)}
    ${
      room.failure === undefined
        ? nothing
        : html`<p class="models-problem" id="models-problem" role="alert">${t('modelsFailed', { message: room.failure.replace(/[.。]$/, '') })} ${
            room.isLost
              ? html`<button type="button" class="tool" id="models-again" @click=${() => room.open(told?.name ?? (wanted || names[0]))}>${t('modelsAgain')}</button>`
              : told && room.isRefused
                ? t('modelsStays')
                : ''
          }</p>`
    }
    ${told ? source(room) : nothing}
    ${!told && !room.plan ? html`<p class="models-empty">${t('modelsEmpty')}</p>` : nothing}`
}

/** @param {Room} room */
function facts({ t, told }) {
  if (!told) return nothing
  const { encoder, decoder } = told.stacks
  const list = [encoder, decoder].flatMap(stack =>
    stack ? counted(t, 'modelsSizes', stack.heads, { layers: stack.layers }) : [],
  )
  return html`<span class="models-facts" id="models-facts">${t('modelsFacts', {
    ...{ type: told.type, sizes: list.join(' + '), parameters: told.parameters.toLocaleString('en') },
    memory: megabytes(told.bytes),
  })}${told.dtype ? `, ${told.dtype}` : ''}${told.threads > 1 ? `, ${t('modelsThreads', { count: told.threads })}` : ''}</span>`
}

/** @param {Room} room */
function progress(room) {
  const { t, plan, progress } = room
  if (!plan) return nothing
  const title = titleOf(room, plan.name)
  if ('isTooLarge' in plan && plan.isTooLarge) return tooLarge(room, plan)
  const share = progress ? progress.loaded / progress.total : 0
  return html`<div class="models-progress" role="status">
    <span>${t('modelsOpening', { name: title })} ${progress ? t('modelsProgress', { loaded: megabytes(progress.loaded), total: megabytes(progress.total), seconds: progress.seconds.toFixed(1) }) : ''}</span>
    <progress max="1" .value=${share} aria-label=${t('modelsOpening', { name: title })}></progress>
    <button type="button" class="tool" id="models-cancel" @click=${() => room.session?.ask({ cancel: true })}>${t('modelsCancel')}</button>
  </div>`
}

/** How far a long run is, or that it was cancelled. @param {Room} room */
function running(room) {
  const { t, running } = room
  if (running)
    return html`<div class="models-progress" id="models-running" role="status">
      <span>${t('modelsRunning', { share: Math.round(100 * running.share), seconds: running.seconds.toFixed(1) })}</span>
      <progress max="1" .value=${running.share} aria-label=${t('modelsRun')}></progress>
      <button type="button" class="tool" id="models-cancel-run" @click=${() => room.session?.ask({ cancel: true })}>${t('modelsCancel')}</button>
    </div>`
  if (!room.wasCancelled) return nothing
  return html`<div class="models-progress" id="models-cancelled" role="status">
    <span>${t('modelsCancelled')}</span>
    <button type="button" class="tool" id="models-run-again" @click=${() => room.runAgain()}>${t('modelsRunAgain')}</button>
  </div>`
}

/** @param {Room} room @param {NonNullable<import('./session.js').Report['plan']>} plan */
function tooLarge(room, { name, bytes }) {
  const { t, most } = room
  const fits = /** @type {const} */ (['float16', 'int8']).filter(dtype => bytes[dtype] <= most)
  const sizes = {
    ...{ stored: megabytes(bytes.stored), float16: megabytes(bytes.float16), int8: megabytes(bytes.int8) },
    most: megabytes(most),
  }
  return html`<div class="models-problem" id="models-large" role="alert">${t('modelsLarge', { name: titleOf(room, name), ...sizes })}
    ${fits.map(dtype => html`<button type="button" class="tool is-filled" data-dtype=${dtype} @click=${() => room.open(name, { dtype })}>${t('modelsOpenAs', { dtype, memory: megabytes(bytes[dtype]) })}</button>`)}
    ${fits.length ? nothing : t('modelsNothingFits')}
    <button type="button" class="tool" @click=${() => {
      room.plan = undefined
      room.wanted = room.told?.name ?? ''
    }}>${t('modelsCancel')}</button></div>`
}

/** What it reads. @param {Room} room */
function source(room) {
  const { t, told } = room
  const isTranslation = told?.stacks.encoder && told.stacks.decoder
  const label = !told?.hasTokenizer
    ? t('modelsIds')
    : isTranslation
      ? t('modelsSource')
      : told.stacks.decoder
        ? t('modelsText')
        : t('modelsMasked')
  const needsDonor = room.linked.donor || room.changes.some(({ kind }) => kind === 'patch')
  return html`<label class="models-text">${label}
      <textarea id="models-text" rows="1" spellcheck="false" .value=${live(room.text)} @input=${(/** @type {InputEvent} */ { target }) => room.type(target.value, true)}></textarea></label>
    ${
      needsDonor
        ? html`<label class="models-text">${t('modelsDonor')}
      <textarea id="models-donor" rows="1" spellcheck="false" .value=${live(room.linked.donor)} @input=${(/** @type {InputEvent} */ { target }) => room.set({ donor: target.value })}></textarea></label>`
        : nothing
    }`
}
