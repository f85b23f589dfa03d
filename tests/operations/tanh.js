// tanh.

import * as nn from '../../src/entries/nn.js'

/** @type {import('../operations.js').Operation['reference']} */
export const reference = ({ x }) => Array.from(x.data, Math.tanh)

/** @type {import('../operations.js').Case[]} */
export const cases = [{ dims: { x: [37] } }, { dims: { x: [2, 9] }, large: 4 }]

/** Computes output and gradients by the functions of qkv and qkv/nn. @type {import('../operations.js').Call} */
export const call = (qkv, { x }, _, dY, more) => ({ output: qkv.tanh(x), x: nn.tanhBackward(qkv, x, dY, more).dX })

/** A call that is large enough for threads. @type {import('../operations.js').Case} */
export const threads = { dims: { x: [70, 1100] } }
