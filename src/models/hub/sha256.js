// Incremental SHA-256 (FIPS 180-4), because a browser's crypto.subtle hashes only whole files.

/** The first 64 primes. The constants of SHA-256 are fractional parts of their cube and square roots. */
const primes = Array.from({ length: 310 }, (_, n) => n + 2).filter(n => {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return true
})
/**
 * Computes a constant of SHA-256.
 * @param {number} n
 * @param {bigint} power 2 for the square root of n, 3 for its cube root
 * @returns {number} the first 32 bits of the root's fraction
 */
function fraction(n, power) {
  const target = BigInt(n) << (32n * power)
  let root = 0n
  for (let bit = 1n << 36n; bit; bit >>= 1n) if ((root + bit) ** power <= target) root += bit
  return Number(root & 0xffffffffn)
}
const K = Int32Array.from(primes.slice(0, 64), n => fraction(n, 3n))

export class Sha256 {
  #state = Int32Array.from(primes.slice(0, 8), n => fraction(n, 2n))
  #words = new Int32Array(64)
  #rest = new Uint8Array(64)
  #restLength = 0
  #length = 0

  /** @param {Uint8Array} bytes */
  update(bytes) {
    this.#length += bytes.length
    let at = 0
    if (this.#restLength) {
      at = Math.min(64 - this.#restLength, bytes.length)
      this.#rest.set(bytes.subarray(0, at), this.#restLength)
      this.#restLength += at
      if (this.#restLength < 64) return this
      this.#blocks(this.#rest, 0, 64)
    }
    const end = at + ((bytes.length - at) & ~63)
    this.#blocks(bytes, at, end)
    this.#rest.set(bytes.subarray(end))
    this.#restLength = bytes.length - end
    return this
  }

  /** @returns {string} 64 hexadecimal digits */
  digest() {
    const bits = this.#length * 8
    const end = new Uint8Array(this.#restLength < 56 ? 64 - this.#restLength : 128 - this.#restLength)
    end[0] = 0x80
    const view = new DataView(end.buffer)
    view.setUint32(end.length - 8, Math.floor(bits / 2 ** 32))
    view.setUint32(end.length - 4, bits >>> 0)
    this.update(end)
    return Array.from(this.#state, word => (word >>> 0).toString(16).padStart(8, '0')).join('')
  }

  /** @param {Uint8Array} bytes @param {number} from @param {number} to whole blocks of 64 bytes */
  #blocks(bytes, from, to) {
    const w = this.#words
    const state = this.#state
    for (let at = from; at < to; at += 64) {
      for (let i = 0, j = at; i < 16; i++, j += 4)
        w[i] = (bytes[j] << 24) | (bytes[j + 1] << 16) | (bytes[j + 2] << 8) | bytes[j + 3]
      for (let i = 16; i < 64; i++) {
        const x = w[i - 15]
        const y = w[i - 2]
        const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
        const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
        w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0
      }
      let a = state[0]
      let b = state[1]
      let c = state[2]
      let d = state[3]
      let e = state[4]
      let f = state[5]
      let g = state[6]
      let h = state[7]
      for (let i = 0; i < 64; i++) {
        const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
        const one = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0
        const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
        const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
        h = g
        g = f
        f = e
        e = (d + one) | 0
        d = c
        c = b
        b = a
        a = (one + two) | 0
      }
      state[0] += a
      state[1] += b
      state[2] += c
      state[3] += d
      state[4] += e
      state[5] += f
      state[6] += g
      state[7] += h
    }
  }
}
