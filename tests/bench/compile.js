// Compiles C files to wasm with the emcc that build.sh has installed.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FLAGS = ['-std=c11', '-O3', '-msimd128', '-fno-unroll-loops', '-fno-builtin', '--no-entry'] // -fno-builtin keeps a copying loop from becoming memcpy
const PEAK = fileURLToPath(new URL('./peak.c', import.meta.url))
const OWN_MEMORY = ['-sIMPORTED_MEMORY=1', '-sALLOW_MEMORY_GROWTH=1', '-sMAXIMUM_MEMORY=4GB']

/** Compiles with relaxed SIMD, with the clang that build.sh has installed for it; wasm-opt does not support its instructions yet. */
export function compileFusedPeak() {
  const flags = ['--target=wasm32', '-mrelaxed-simd', ...FLAGS.filter(flag => flag !== '--no-entry')]
  return run('clang-16', [...flags, '-c', PEAK], object =>
    execFileSync('wasm-ld-16', ['--no-entry', '--import-memory', object, '-o', object]),
  )
}

export const compilePeak = () => compile([PEAK], OWN_MEMORY)

/** @param {string[]} files @param {string[]} flags */
export const compile = (files, flags) => run('emcc', [...FLAGS, ...flags, ...files])

/** @param {string} compiler @param {string[]} args @param {(file: string) => unknown} [finish] @returns {Buffer<ArrayBuffer>} */
function run(compiler, args, finish) {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-compile-'))
  try {
    const wasm = join(folder, 'out.wasm')
    execFileSync(compiler, [...args, '-o', wasm])
    finish?.(wasm)
    return readFileSync(wasm)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
