// peak.c as wasm, by the emcc that build.sh has installed.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FLAGS = [
  ...['-std=c11', '-O3', '-msimd128', '-fno-unroll-loops', '--no-entry'],
  ...['-sIMPORTED_MEMORY=1', '-sALLOW_MEMORY_GROWTH=1', '-sMAXIMUM_MEMORY=4GB'],
]

export function compilePeak() {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-peak-'))
  try {
    const wasm = join(folder, 'peak.wasm')
    execFileSync('emcc', [...FLAGS, fileURLToPath(new URL('./peak.c', import.meta.url)), '-o', wasm])
    return readFileSync(wasm)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
