// Facts about the verification against PyTorch, shown on the front page and in every menu.

import { html } from 'lit'

/** @import { Translate } from './room.js' */

/**
 * `models`: lower bound on the number of models compared with PyTorch; `most`: largest difference of an attention weight.
 * tests/models/goldens.test.js measures both.
 */
export const CHECKED = { models: 70, most: '0.000005' }

/** @param {{ t: Translate }} context */
export const checked = ({ t }) =>
  html`<details class="checked"><summary>${t('checked')}</summary><p class="note">${t('checkedText', CHECKED)}</p></details>`
