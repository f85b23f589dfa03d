// Texts with a count, with a separate text for one.

/**
 * Returns the text for a count.
 * @template {string} K
 * @param {(key: K | `${K}.one`, params: Record<string, string | number>) => string} t
 * @param {K} key for a count of 1, ".one" is appended
 * @param {number} count
 * @param {Record<string, string | number>} [params]
 */
export const counted = (t, key, count, params) => t(count === 1 ? `${key}.one` : key, { ...params, count })
