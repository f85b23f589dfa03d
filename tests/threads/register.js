// node --import ./tests/threads/register.js: imports of src/entries/index.js load tests/threads/threaded-qkv.js instead.

import { register } from 'node:module'

const url = JSON.stringify(new URL('./threaded-qkv.js', import.meta.url).href)
const hooks = `export async function resolve(name, context, next) {
  const resolved = await next(name, context)
  const isOurs = resolved.url.endsWith('/src/entries/index.js') && context.parentURL !== ${url}
  return isOurs ? { url: ${url}, shortCircuit: true } : resolved
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
