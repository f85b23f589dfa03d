// For bundlers with a loader for files: the import of the wasm file gives its address, which `load` gets.
import { load } from 'qkv'
import file from 'qkv/qkv.wasm'
import { results } from '../results.js'

globalThis.answer = load({ wasm: new URL(file, import.meta.url) }).then(results)
if (typeof document === 'undefined') console.log(JSON.stringify(await globalThis.answer))
