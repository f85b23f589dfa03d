// Draws the message of a failure, with a button that retries.

import { html } from 'lit'

/** @param {(key: any, params?: Record<string, string | number>) => string} t @param {import('./room.js').Problem} problem @param {() => void} again */
export const retry = (t, { key, params }, again) =>
  html`<p class="failure" role="alert" data-problem=${key}>${t(key, params)} <button type="button" class="plain"
    @click=${again}>${t('retry')}</button></p>`
