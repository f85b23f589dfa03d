// For bundlers with a loader of files: the wasm by its name, its address to load.
import { load } from 'qkv'
import file from 'qkv/qkv.wasm'
import { results } from '../results.js'

globalThis.answer = load({ wasm: new URL(file, import.meta.url) }).then(results)
if (typeof document === 'undefined') console.log(JSON.stringify(await globalThis.answer))
