// Reads the lens that ships with a model.

import { readLens } from 'qkv/interpret'

/** @param {string} address @param {AbortSignal} signal @returns {Promise<import('./sources.js').Own>} */
export async function shippedLens(address, signal) {
  const answer = await fetch(address, { signal })
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  const lens = await readLens(await answer.blob())
  return { lens, origin: { from: 'shipped', texts: lens.numPrompts } }
}
