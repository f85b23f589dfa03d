// Builds site/api/, the reference of the public types of dist/, with TypeDoc. A warning, such as one about a type without a page, is an
// error.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ELEMENTS, LIBRARY, STORIES, WIDGET } from './entries.js'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const entries = [...LIBRARY, STORIES, ...ELEMENTS, { name: 'elements/base' }, WIDGET]
const files = entries.map(({ name }) => at(`../dist/${name}.d.ts`))

const options = at('reference/node_modules/typedoc.json')
writeFileSync(
  options,
  JSON.stringify({
    name: 'qkv',
    entryPoints: files,
    out: at('../site/api'),
    tsconfig: at('reference/tsconfig.json'),
    readme: 'none',
    basePath: at('../dist'),
    disableSources: true,
    excludeExternals: true, // omits the members that elements inherit from HTMLElement
    hideGenerator: true,
    includeVersion: true,
    githubPages: false,
    treatWarningsAsErrors: true,
    // Web types have no page: the package declares them itself, so that programs compile without lib.dom (portable-types.js).
    intentionallyNotExported: ['URL', 'Response', 'BufferSource', 'WebAssembly.Module', 'File', 'Blob', 'AbortSignal'],
    logLevel: 'Warn',
  }),
)
execFileSync(process.execPath, [at('reference/node_modules/typedoc/bin/typedoc'), '--options', options], {
  stdio: 'inherit',
})
console.log('site/api: the reference of the types')
