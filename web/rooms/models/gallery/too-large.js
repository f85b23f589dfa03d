// Explains that a model is too large, and offers smaller dtypes.

import { html, nothing } from 'lit'
import { megabytes } from '../open/sources.js'
import { titleOf } from '../shown.js'

/** @import { Room } from '../models.js' */

/** @param {Room} room @param {{ name: string, most: number, stored: number, float16: number, int8: number }} sizes in bytes */
export function tooLarge(room, { name, most, ...bytes }) {
  const { t, act } = room
  const { stored, float16, int8 } = bytes
  /** @type {('float16' | 'int8')[]} */
  const offers = ['float16', 'int8']
  const fits = offers.filter(dtype => bytes[dtype] <= most)
  const sizes = {
    name: titleOf(room, name),
    stored: megabytes(stored),
    float16: megabytes(float16),
    int8: megabytes(int8),
    most: megabytes(most),
  }
  return html`<div class="models-problem" id="models-large" role="alert">${t('modelsLarge', sizes)}
    ${fits.map(
      dtype =>
        html`<button type="button" class="tool is-filled" data-dtype=${dtype}
          @click=${() => act.openSmaller(dtype)}>${t('modelsOpenAs', { dtype, memory: megabytes(bytes[dtype]) })}</button>`,
    )}
    ${fits.length ? nothing : t('modelsNothingFits')}
    <button type="button" class="tool" @click=${() => act.dismiss()}>${t('cancel')}</button></div>`
}
