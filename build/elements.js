// Builds the custom elements in dist/: a module for each element, with shared chunks; their types; custom-elements.json; the widget for
// notebooks; and the licences of the bundled packages.

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { constants } from './constants.js'
import { ELEMENTS, WIDGET } from './entries.js'
import { manifest } from './manifest.js'
import { minifiedSize } from './minified-size.js'
import { modulesOf, notices } from './notices.js'
import { publicTypes } from './types.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
rmSync('dist/elements', { recursive: true, force: true })
mkdirSync('dist/elements', { recursive: true })

/** @type {Set<string>} */
const modules = new Set()
const add = (/** @type {Iterable<string>} */ ids) => {
  for (const id of ids) modules.add(id)
}
/**
 * Removes unneeded spaces from a style, but keeps its lines, so that the widget's source map remains valid; a test reads the map.
 * @param {string} style
 */
const shorten = style =>
  style
    .replace(/ *\n */g, '\n')
    .replace(/ \{/g, '{')
    .replace(/([:,;]) /g, '$1')

/** Minifies styles in template literals, which JavaScript minifiers leave as they are. @type {import('rolldown').Plugin} */
const shortStyles = {
  name: 'short-styles',
  transform: code => (code.includes('css`') ? { code: code.replace(/css`[^`$]*`/g, shorten), map: null } : undefined),
}
const options = {
  // Lets tree shaking drop helpers that d3-array creates on import for functions not used here.
  treeshake: { propertyReadSideEffects: /** @type {const} */ (false), manualPureFunctions: ['bisector'] },
  platform: /** @type {const} */ ('browser'),
  plugins: [constants(add), shortStyles],
  // Supplies globals that the modules read on import and that are missing on a server.
  transform: { inject: { HTMLElement: from('dom.js', 'HTMLElement'), document: from('dom.js', 'document') } },
}
/** Drops legal comments, because THIRD_PARTY_NOTICES has the licences. */
const output = { comments: { annotation: true, jsdoc: false, legal: false } }
const built = [
  await build({
    ...options,
    input: Object.fromEntries(ELEMENTS.map(({ name, source }) => [name, source])),
    output: { ...output, dir: 'dist', chunkFileNames: 'elements/[name].js' },
  }),
  await build({
    ...options,
    input: WIDGET.source,
    // A notebook sends this file as text, and no bundler sees it later, so it is minified here.
    output: {
      comments: false,
      minify: true,
      sourcemap: 'hidden',
      codeSplitting: false,
      file: `dist/${WIDGET.name}.js`,
    },
  }),
]
const chunks = built.flatMap(({ output }) => output).filter(file => file.type === 'chunk')
for (const chunk of chunks) add(modulesOf(chunk))
writeFileSync('dist/THIRD_PARTY_NOTICES', notices(modules))

execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.elements.json'], { stdio: 'inherit' })
const declared = [
  { name: 'elements/base', module: 'base', withAliases: true },
  ...ELEMENTS.map(({ name, source, tag, element }) => ({
    name,
    module: source.replace(/^.*\/|\.js$/g, ''),
    withAliases: !tag,
    more: tag && `declare global {\n  interface HTMLElementTagNameMap {\n    '${tag}': ${element};\n  }\n}\n`,
  })),
  {
    name: WIDGET.name,
    module: 'anywidget',
    more: 'declare const _default: { render: Render };\nexport default _default;\n',
  },
]
const types = publicTypes('dist/types', declared, { TensorLike: 'index' })
for (const [name, text] of Object.entries(types)) writeFileSync(`dist/${name}.d.ts`, text)
rmSync('dist/types', { recursive: true })
copyFileSync('web/elements/react.d.ts', 'dist/elements/react.d.ts')
writeFileSync('dist/custom-elements.json', `${JSON.stringify(manifest(), null, 1)}\n`)

/** Lists a file of dist/ and all files that it imports, directly or not. @param {string} file @returns {string[]} */
function loaded(file) {
  const files = [file]
  for (const name of files)
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? [])
      if (!files.includes(next)) files.push(next)
  return files
}
for (const { name } of [...ELEMENTS, WIDGET]) {
  const files = loaded(`${name}.js`)
  const size = files.map(file => minifiedSize(`dist/${file}`)).reduce((a, b) => a + b)
  console.log(`dist/${name}.js: ${files.length} files, ${size} bytes minified and gzipped`)
}

/** @param {string} file @param {string} name @returns {[string, string]} */
function from(file, name) {
  return [fileURLToPath(new URL(`../web/elements/${file}`, import.meta.url)), name]
}
