// Describes a model of the hub before any of it is downloaded: its size, the memory it needs in each dtype, and what data the reader
// reveals to the hub.

import { html, nothing } from 'lit'
import { idOf, megabytes, usualDtype } from '../open/sources.js'
import { typeOf } from '../shown.js'
import { GALLERY } from './gallery.js'

/** @import { Look, Room } from '../models.js' */
/** @import { GalleryTexts } from '../open/model-field.js' */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */

/** @type {('' | 'float16' | 'int8')[]} */
const DTYPES = ['', 'float16', 'int8']

/** Returns the gallery entry of a model. @param {string} name */
export const entryOf = name => GALLERY.find(each => idOf(each.name) === idOf(name))

/** Returns the three largest gallery models that fit into memory and need no account. @param {number} most bytes */
export const fitting = most =>
  GALLERY.filter(({ memory, isGated }) => memory <= most && !isGated)
    .sort((a, b) => b.memory - a.memory)
    .slice(0, 3)

/**
 * @param {Room} room
 * @param {import('../models.js').Asked} asked
 * @param {GalleryTexts} g
 */
export function hubQuestion(room, asked, g) {
  const { act, got, settings, view } = room
  const name = idOf(asked.name)
  const failed = got.look?.is === 'failed' || got.look?.is === 'lost' ? got.look.problem : undefined
  const look = asked.isAsking && got.look?.is === 'here' ? got.look.value : undefined
  const refuse = html`<button type="button" class="tool" id="models-refuse" @click=${() => act.refuse()}>${room.t('cancel')}</button>`
  if (!asked.isAsking) {
    const size = settings.size || entryOf(asked.name)?.download
    return card(html`<p>${size ? g('galleryLink', { name, size: megabytes(size) }) : g('galleryLinkUnknown', { name })}</p>
      <p><button type="button" class="tool is-filled" id="models-agree"
        @click=${() => act.agree()}>${g('galleryOpenLink', { name })}</button></p>`)
  }
  if (failed?.key === 'modelsHub.GATED' || failed?.key === 'modelsHub.TOKEN')
    return card(html`<p><a href="https://huggingface.co/${name}" target="_blank" rel="noreferrer">${g('galleryTerms', { name })}</a></p>
      <p><label>${g('galleryToken')} <input type="password" id="models-token" autocomplete="off" .value=${view.token}
        @input=${(/** @type {InputEvent} */ { target }) => act.show({ token: target.value.trim() })} /></label>
      <button type="button" class="tool is-filled" id="models-agree" @click=${() => act.agree()}>${g('galleryAgain')}</button> ${refuse}</p>
      <p class="note">${g('galleryTokenNote')}</p>`)
  if (failed) return nothing // already reported above
  if (!look) return card(html`<p role="status">${g('galleryLooking', { name })} ${refuse}</p>`)
  return card(choice(room, asked, look, g, refuse))

  /** @param {unknown} content */
  function card(content) {
    return html`<section class="models-question" id="models-question"
      aria-label=${name}>${content}<p class="note">${g('galleryPrivacy')}</p></section>`
  }
}

/**
 * Draws size, licence, and the choice of dtype with the memory that each takes.
 * @param {Room} room
 * @param {import('../models.js').Asked} asked
 * @param {Look} look
 * @param {GalleryTexts} g
 * @param {unknown} refuse template of the button that cancels
 */
function choice({ t, act, view: { mostBytes: most } }, asked, look, g, refuse) {
  const { parameters, license, download, bytes, seconds } = look
  const usual = usualDtype(bytes, most)
  const dtype = asked.dtype ?? usual
  const sizeOf = (/** @type {typeof DTYPES[number]} */ each) => bytes[each || 'stored']
  const least = Math.min(bytes.stored, bytes.float16, bytes.int8)
  const name = idOf(asked.name)
  const fits = fitting(most)
  return html`<h2>${name}</h2>
    <p id="models-size">${g('galleryFacts', {
      type: typeOf(t, look),
      parameters: parameters.toLocaleString('en'),
      license: license || g('galleryNoLicense'),
    })}
    ${g('galleryDownload', { size: megabytes(download) })}</p>
    ${
      least > most
        ? nothing
        : html`<p id="models-time"
          data-seconds=${seconds}>${seconds < 1 ? g('galleryTimeShort') : g('galleryTime', { seconds: Math.ceil(seconds) })}</p>`
    }
    ${
      least > most
        ? html`<p class="models-problem"
          id="models-too-large">${g('galleryTooLarge', {
            name,
            least: megabytes(least),
            most: megabytes(most),
            by: megabytes(least - most),
          })}
          ${fits.length ? g('galleryFitting') : nothing}${fits.map(
            each =>
              html` <button type="button" class="tool" @click=${() => act.openTyped(each.name)}>${each.title}
                (${megabytes(each.memory)})</button>`,
          )}</p>`
        : html`<fieldset class="models-dtypes"><legend>${g('galleryMemory')}</legend>${DTYPES.filter(
            each => !each || sizeOf(each) < bytes.stored,
          ).map(
            each =>
              html`<label><input type="radio" name="models-dtype" value=${each || 'stored'} .checked=${each === dtype}
                ?disabled=${sizeOf(each) > most} @change=${() => act.show({ asked: { ...asked, dtype: each } })} />
                ${g(`galleryDtype.${each || 'stored'}`)},
                ${megabytes(sizeOf(each))}${
                  sizeOf(each) > most ? ` (${g('galleryOver', { by: megabytes(sizeOf(each) - most) })})` : ''
                }</label>`,
          )}${
            usual === 'int8'
              ? html`<p class="note" id="models-large-dtype">${g('galleryLarge', { most: megabytes(most) })}</p>`
              : nothing
          }<p class="note">${g('galleryUsual')}</p></fieldset>`
    }
    <p>${
      least > most
        ? nothing
        : html`<button type="button" class="tool is-filled" id="models-agree" @click=${() => {
            navigator.storage?.persist?.().catch(() => {}) // without this, the browser may evict the model when the disk is full
            act.agree(dtype)
          }}>${g('galleryAgree', { size: megabytes(download) })}</button>`
    } ${refuse}</p>`
}
