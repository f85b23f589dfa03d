// Runs a forward pass that yields to other tasks.

import { readOptions } from '../../base/arguments.js'
import { RUN_OPTIONS } from './inputs.js'
import { inTurns, layersOf } from './turns.js'
import * as within from './turns-within.js'

/** @import { ModelOutput, RunOptions } from '../model.js' */
/** @import { AsyncOptions } from './turns.js' */

/**
 * Runs a forward pass.
 * @param {import('../../qkv.js').Qkv} qkv
 * @param {(options: RunOptions, within: import('./network.js').Call['within']) => import('./network.js').RunSteps<ModelOutput>} start
 * @param {{ encoder?: { layers: number }, decoder?: { layers: number } }} stacks
 * @param {RunOptions & AsyncOptions} options
 * @param {boolean} [isBrief] see inTurns
 */
export async function runInTurns(qkv, start, stacks, options, isBrief) {
  const { signal, onLayer, ...others } = readOptions(options, [...RUN_OPTIONS, 'signal', 'onLayer'], 'forward')
  return inTurns(qkv, start(others, within), { signal, onLayer, layers: layersOf(stacks, others), isBrief })
}
