// Opens random vocabularies with our reader, and with llama.cpp if node-llama-cpp is installed.

import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readGguf } from '../../../src/models/gguf/read-gguf.js'
import { openMetadata } from '../../../src/models/gguf/tokenizer.js'
import { Tokenizer } from '../tokenizer.js'
import { randomOf } from '../tokenizers/random-files.js'
import { KINDS } from './random-vocabularies.js'
import { writeGguf } from './write-gguf.js'

/** Opens the tokenizer of a GGUF file. @param {Uint8Array} bytes of the file */
export async function openBytes(bytes) {
  const source = {
    size: bytes.length,
    read: async (/** @type {number} */ from, /** @type {number} */ to) => bytes.subarray(from, to),
  }
  const { metadata } = await readGguf(source, 'model.gguf')
  return openMetadata(metadata, Tokenizer)
}

/** @param {keyof typeof KINDS} kind @param {number} seed */
export const randomVocabulary = (kind, seed) => {
  const { metadata, texts } = KINDS[kind](randomOf(seed), seed)
  return { metadata, texts, bytes: writeGguf(metadata) }
}

/** Returns eight hexadecimal digits that depend on all ids. @param {readonly number[]} ids */
export const digest = ids => createHash('sha256').update(ids.join(' ')).digest('hex').slice(0, 8)

/** Imports node-llama-cpp, from the folder NODE_LLAMA_CPP if that is set. Returns undefined if it is not installed. @returns {Promise<any>} */
export async function importLlama() {
  const { NODE_LLAMA_CPP } = process.env
  const from = NODE_LLAMA_CPP ? pathToFileURL(join(NODE_LLAMA_CPP, 'x.js')) : import.meta.url
  try {
    return await import(pathToFileURL(createRequire(from).resolve('node-llama-cpp')).href)
  } catch {
    return undefined
  }
}

/**
 * Opens llama.cpp; its idsOf tokenizes texts with the vocabulary of a GGUF file. Returns undefined if node-llama-cpp is not installed.
 * @returns {Promise<{ idsOf: (bytes: Uint8Array, texts: readonly string[]) => Promise<number[][]> } | undefined>}
 */
export async function llamaCpp() {
  const found = await importLlama()
  if (!found) return undefined
  const llama = await found.getLlama({ gpu: false, build: 'never', logger: () => {} })
  return {
    async idsOf(bytes, texts) {
      const folder = mkdtempSync(join(tmpdir(), 'qkv-gguf-'))
      try {
        const modelPath = join(folder, 'vocabulary.gguf')
        writeFileSync(modelPath, bytes)
        const model = await llama.loadModel({ modelPath, vocabOnly: true })
        const ids = texts.map(text => [...model.tokenize(text, true)])
        await model.dispose()
        return ids
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  }
}
