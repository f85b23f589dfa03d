// The weights of a run as lines of a program, in PyTorch or JavaScript, in the order in which the model draws them.

import { blocksOf } from './recipes.js'

/** @typedef {import('./recipes.js').LearnSettings} LearnSettings */

/**
 * @param {LearnSettings} settings
 * @param {boolean} isTranslation
 * @param {object} language how it makes what is not drawn
 * @param {(name: string) => string} language.norm the weight of ones and the bias of zeros of a LayerNorm
 * @param {(name: string) => string} language.distanceBias zeros, one for each head and distance
 */
export function weightLines({ layers, mlp, norm, positions }, isTranslation, language) {
  const ones = (/** @type {string} */ name) => (norm ? [language.norm(name)] : [])
  const draw = (/** @type {string} */ name, /** @type {string} */ dims) => `draw('${name}', ${dims})`
  return [
    draw('embed', 'INPUTS, d'),
    ...(isTranslation ? [draw('embedTarget', 'OUTPUTS + 1, d')] : []),
    ...(positions === 'learned' ? [draw('position', 'T, d')] : []),
    ...(positions === 'learned' && isTranslation ? [draw('positionTarget', 'L, d')] : []),
    ...blocksOf(isTranslation, layers).flatMap(block => [
      ...ones(`${block}.norm1`),
      ...['q', 'k', 'v', 'o'].map(part => draw(`${block}.${part}`, 'd, d')),
      ...(positions === 'distance' ? [language.distanceBias(block)] : []),
      ...(mlp ? [...ones(`${block}.norm2`), draw(`${block}.up`, `${mlp}, d`), draw(`${block}.down`, `d, ${mlp}`)] : []),
    ]),
    ...ones('norm'),
    draw('unembed', 'OUTPUTS, d'),
  ].join('\n')
}
