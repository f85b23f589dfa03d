// Layers that normalise the last axis.

import { readOptions, toBoolean, toNumber } from '../base/arguments.js'
import { Tensor } from '../base/tensor.js'
import { SIZE } from './state-dict.js'

/** Limits of a dim. The memory of a WebAssembly module holds less than 2^30 numbers. */
const DIM = { ...SIZE, most: 2 ** 30 - 1 }

/** @param {number} value @param {number} dim */
const filled = (value, dim) => new Tensor(new Float32Array(dim).fill(value), [dim])

/** torch.nn.LayerNorm: a weight of ones and a bias of zeros over the last axis. */
export class LayerNorm {
  /** @param {number} dim @param {{ eps?: number, bias?: boolean }} [options] eps: default 1e-5; bias: default true */
  constructor(dim, options = {}) {
    const { eps = 1e-5, bias = true } = readOptions(options, ['eps', 'bias'], 'LayerNorm')
    const size = toNumber(dim, 'LayerNorm: dim', DIM)
    this.eps = toNumber(eps, 'LayerNorm: eps', { least: 0 })
    this.weight = filled(1, size)
    this.bias = toBoolean(bias, 'LayerNorm: bias') ? filled(0, size) : undefined
  }
}

/** torch.nn.RMSNorm: a weight of ones over the last axis. */
export class RMSNorm {
  /** @param {number} dim @param {{ eps?: number }} [options] eps: default as in rmsNorm */
  constructor(dim, options = {}) {
    const { eps } = readOptions(options, ['eps'], 'RMSNorm')
    this.eps = eps === undefined ? undefined : toNumber(eps, 'RMSNorm: eps', { least: 0 })
    this.weight = filled(1, toNumber(dim, 'RMSNorm: dim', DIM))
  }
}
