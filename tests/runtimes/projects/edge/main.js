// An edge function, which has no files and no compiler at run time. The wasm is imported as a compiled Module.
import { load } from 'qkv'
import wasm from 'qkv/qkv.wasm'
import { results } from '../results.js'

export default {
  async fetch() {
    return Response.json(results(await load({ wasm })))
  },
}
