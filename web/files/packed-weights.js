// Unpacks downloaded weights: int8 matrices with a scale per row, in packed.safetensors (build/train/english/export.py).

import { toSafetensors } from './safetensors-file.js'

/**
 * Converts a file to float32 weights: each row of NAME is multiplied by its scale in NAME.scale.
 * @param {ArrayBuffer} packed safetensors of I8 and F32
 * @returns {Uint8Array<ArrayBuffer>} safetensors of F32
 */
export function unpacked(packed) {
  const length = Number(new DataView(packed).getBigUint64(0, true))
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(packed, 8, length)))
  const numbers = (/** @type {string} */ name) => {
    const { dtype, data_offsets: [from, to] } = header[name] // biome-ignore format: one line
    const own = packed.slice(8 + length + from, 8 + length + to)
    return dtype === 'I8' ? new Int8Array(own) : new Float32Array(own)
  }
  /** @type {import('./safetensors-file.js').Weights} */
  const weights = {}
  for (const [name, { dtype, shape }] of Object.entries(header)) {
    if (name === '__metadata__' || name.endsWith('.scale')) continue
    const data = Float32Array.from(numbers(name))
    if (dtype === 'I8') {
      const scales = numbers(`${name}.scale`)
      const columns = data.length / scales.length
      for (let i = 0; i < data.length; i++) data[i] *= scales[Math.floor(i / columns)]
    }
    weights[name] = { data, dims: shape }
  }
  return toSafetensors(weights, { format: 'pt' })
}
