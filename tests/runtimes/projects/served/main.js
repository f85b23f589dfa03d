import { load } from 'qkv'

// With optimizeDeps.exclude, Vite serves the wasm file. Without it, the answer is the message of the error.
globalThis.answer = await load().then(
  qkv => String(qkv.attention([[1]], [[1]], [[7]]).output),
  error => error.message,
)
