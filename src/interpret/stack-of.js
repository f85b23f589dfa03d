// Resolves an option `place` to a stack of a model.

import { oneOf } from '../base/arguments.js'
import { stackNames } from '../models/run/stacks.js'

/**
 * Returns the stack that an option `place` names.
 * @param {{ family: import('../models/family-shapes/parts.js').Family }} parts
 * @param {unknown} place 'decoder' (default), 'encoder' or 'cross' of an encoder-decoder
 * @param {string} where
 */
export function stackOf({ family }, place, where) {
  const { encoder, decoder } = family
  const places = encoder && decoder ? ['decoder', 'encoder', 'cross'] : [decoder ? 'decoder' : 'encoder']
  const chosen = oneOf(place ?? places[0], places, `${where}: place`)
  const stacks = stackNames(family)
  const found = stacks.find(({ stack }) => stack === `${chosen === 'cross' ? 'decoder' : chosen}.`) ?? stacks[0]
  return { ...found, isCross: chosen === 'cross' }
}
