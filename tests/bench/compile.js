// C files as wasm, by the emcc that build.sh has installed.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FLAGS = ['-std=c11', '-O3', '-msimd128', '-fno-unroll-loops', '--no-entry']
const OWN_MEMORY = ['-sIMPORTED_MEMORY=1', '-sALLOW_MEMORY_GROWTH=1', '-sMAXIMUM_MEMORY=4GB']

export const compilePeak = () => compile([fileURLToPath(new URL('./peak.c', import.meta.url))], OWN_MEMORY)

/** @param {string[]} files @param {string[]} flags @returns {Buffer<ArrayBuffer>} */
export function compile(files, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-compile-'))
  try {
    const wasm = join(folder, 'out.wasm')
    execFileSync('emcc', [...FLAGS, ...flags, ...files, '-o', wasm])
    return readFileSync(wasm)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
