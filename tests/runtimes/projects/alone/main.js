// For bundlers that leave new URL(..., import.meta.url) alone: qkv.wasm is copied beside the bundle.
import { load } from 'qkv'
import { results } from '../results.js'

globalThis.answer = load().then(results)
if (typeof document === 'undefined') console.log(JSON.stringify(await globalThis.answer))
