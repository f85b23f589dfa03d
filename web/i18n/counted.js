// Texts with a number: of one thing the text is another.

/**
 * @template {string} K
 * @param {(key: K | `${K}.one`, params: Record<string, string | number>) => string} t
 * @param {K} key of 1, the text of the key with ".one"
 * @param {number} count
 * @param {Record<string, string | number>} [params]
 */
export const counted = (t, key, count, params) => t(count === 1 ? `${key}.one` : key, { ...params, count })
