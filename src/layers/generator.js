import { RandomStream } from '../ops/random-stream.js'
import { Embedding, Linear } from './layers.js'
import { MultiheadAttention } from './multihead.js'

/**
 * PyTorch's CPU random stream, and the layers whose weights it draws as PyTorch does.
 */
export class Generator extends RandomStream {
  /**
   * torch.nn.Embedding(num, dim): a table drawn from the standard normal.
   * @param {number} num rows
   * @param {number} dim size of a row
   * @param {{ paddingIdx?: number }} [options] paddingIdx: a row that is set to zeros
   */
  embedding(num, dim, options = {}) {
    return Embedding.random(this.core, this, num, dim, options)
  }

  /**
   * torch.nn.Linear(inFeatures, outFeatures): weight and bias uniform in +-1/sqrt(inFeatures).
   * @param {number} inFeatures
   * @param {number} outFeatures
   * @param {{ bias?: boolean }} [options] default true
   */
  linear(inFeatures, outFeatures, options = {}) {
    return Linear.random(this.core, this, inFeatures, outFeatures, options)
  }

  /**
   * torch.nn.MultiheadAttention(embedDim, numHeads, batch_first=True): Xavier-uniform projections.
   * @param {number} embedDim
   * @param {number} numHeads divides embedDim
   * @param {import('./multihead.js').MultiheadOptions} [options]
   */
  multiheadAttention(embedDim, numHeads, options = {}) {
    return MultiheadAttention.random(this.core, this, embedDim, numHeads, options)
  }
}
