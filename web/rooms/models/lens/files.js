// Opens a lens file that the reader chose, and exports the current lens.

import { readLens, saveLens, tokenDirections } from 'qkv/interpret'
import { keepFile, lensOf } from './sources.js'

/** @import { Model } from 'qkv/models' */
/** @import { Lens } from 'qkv/interpret' */

/** Reads a lens file. @param {{ source: File | string, token: string }} asked @param {AbortSignal} signal */
export const readFile = ({ source, token }, signal) =>
  readLens(source, { signal, ...(typeof source === 'string' && { token: token || undefined }) })

/**
 * Caches the lens of a file. Calls `tokenDirections` first, only because it throws if the lens does not fit the model.
 * @param {Model} model
 * @param {string} name
 * @param {Lens} lens
 */
export function keep(model, name, lens) {
  for (const layer of lens.sourceLayers) tokenDirections(model, lens, layer, [0])
  keepFile(model, name, lens)
  return { name, lens: lens.kind }
}

/**
 * Exports the current lens as a file that PyTorch can open.
 * @param {Model} model
 * @param {import('../models.js').LensAsked} asked
 * @param {import('./sources.js').Watch} watch
 */
export async function lensBytes(model, asked, watch) {
  const own = await lensOf(model, asked, watch)
  if (!own || own.lens === 'logit') throw new Error('the logit lens has no file')
  return { name: `${asked.lens}-lens.pt`, data: saveLens(own.lens) }
}
