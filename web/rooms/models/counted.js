// Texts with a number: of one thing the text is another.

/** @typedef {'modelsTokens' | 'modelsGenerated' | 'modelsChosen' | 'modelsSizes'} Counted */

/** @param {import('./models.js').Context['t']} t @param {Counted} key of 1, the text of the key with ".one" @param {number} count @param {Record<string, string | number>} [params] */
export const counted = (t, key, count, params) => t(count === 1 ? `${key}.one` : key, { ...params, count })
