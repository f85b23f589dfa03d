// node --import ./tests/threads/register.js: whoever imports qkv gets tests/threads/qkv.js.

import { register } from 'node:module'

const hooks = `export const resolve = (name, context, next) =>
  name === 'qkv' ? { url: ${JSON.stringify(new URL('./qkv.js', import.meta.url).href)}, shortCircuit: true } : next(name, context)`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
