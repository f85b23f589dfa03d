// Builds dist/, which the npm package ships: the sources as a few readable modules, the worker that threads run, the wasm files, the public
// types and the elements. Prints the size of the package.

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { CORPUS, LIBRARY, LOADED, STORIES, WASM } from './entries.js'
import { minifiedSize } from './minified-size.js'
import { portable } from './portable-types.js'
import { publicTypes } from './types.js'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
rmSync('dist', { recursive: true, force: true })
mkdirSync('dist')
for (const name of WASM)
  if (existsSync(`src/${name}`)) copyFileSync(`src/${name}`, `dist/${name}`)
  else console.log(`dist: without ${name}, which build.sh makes`)

// The modules are not minified, so that Node prints the line that threw, and stack traces have function names. core.js has everything that
// `import 'qkv'` loads, because one file compresses better than several. Bundlers tree-shake it. So nothing in it may have side effects on
// load, not even a static block of a class, and it has only one dynamic import. The other files:
// - threads.js: what only threads and the relaxed build need
// - block.js, kv-cache.js: what nn, train and models share
// - layers.js: what nn and train share
// - the file of an entry: what only this entry needs
// - families/: code that is loaded with a model of a family
const entries = LIBRARY.filter(({ name }) => name !== 'corpus')
/** Makes a predicate for module ids: true if their path relative to src matches `pattern`. @param {RegExp} pattern */
const of = pattern => (/** @type {string} */ id) => pattern.test(relative('src', id))
/** The modules that the main entry imports, directly or not. @type {Set<string>} */
const inCore = new Set()
/** @param {string} id @param {{ getModuleInfo(id: string): { importedIds: string[] } | null }} modules */
function addToCore(id, modules) {
  if (inCore.has(id)) return
  inCore.add(id)
  for (const each of modules.getModuleInfo(id)?.importedIds ?? []) addToCore(each, modules)
}
const groups = [
  {
    /** @param {string} id @param {Parameters<typeof addToCore>[1]} modules */
    name(id, modules) {
      addToCore(resolve(LIBRARY[0].source), modules)
      return inCore.has(id) ? 'core' : null
    },
    debugName: 'core',
    priority: 1,
  },
  { name: 'kv-cache', test: of(/^ops\/attention\/kv-cache/) },
  { name: 'multihead', test: of(/^(layers\/multihead|ops\/attention\/(extra-keys|onnx))/) },
  { name: 'layers', test: of(/^layers\/(state-dict|linear|embedding)\b/) },
  { name: 'block', test: of(/^(base|ops|layers\/(packed-linear|weight-blocks))\b/) },
  { name: 'threads', test: of(/^(threads\/|relaxed|wasm-bytes)/) },
]
/** Keeps only the comments that bundlers read. The comments of public calls are in the types, all others in the sources. */
const output = { comments: { annotation: true, jsdoc: false, legal: false } }
/** @param {{ moduleIds: string[] }} chunk */
const chunkFileNames = ({ moduleIds }) =>
  moduleIds.some(id => /models\/famil/.test(id)) ? 'families/[name].js' : '[name].js'
await build({
  input: Object.fromEntries(entries.map(({ name, source }) => [name, source])),
  platform: 'neutral',
  external: ['@huggingface/tokenizers'], // optional: users' bundlers find it
  output: { ...output, dir: 'dist', chunkFileNames, codeSplitting: { groups } },
})
// qkv/corpus imports the other entries as external modules, so that bundling it does not split them into more shared files.
/** @type {Record<string, string>} */
const ENTRY_OF = {
  'load.js': 'index',
  'base/tensor.js': 'index',
  'ops/loss/cross-entropy.js': 'nn',
  'models/load-model.js': 'models',
}
await build({
  input: Object.fromEntries(CORPUS.map(({ name, source }) => [name, source])),
  platform: 'neutral',
  external: /^node:/,
  plugins: [
    {
      name: 'entries',
      resolveId(id, importer) {
        const entry = importer && ENTRY_OF[relative('src', resolve(dirname(importer), id))]
        return entry ? { id: `./${entry}.js`, external: true } : undefined
      },
    },
  ],
  output: { ...output, dir: 'dist', chunkFileNames: 'corpus-[name].js' },
})
for (const [source, name] of [
  ['src/threads/worker.js', 'worker'],
  [STORIES.source, STORIES.name],
])
  await build({ input: source, platform: 'neutral', output: { ...output, file: `dist/${name}.js` } })

execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.types.json'], { stdio: 'inherit' })
const types = publicTypes(
  'dist/types',
  LIBRARY.map(({ name, source }) => ({
    name,
    module: source.replace(/^src\/|\.js$/g, ''),
  })),
)
for (const [name, text] of Object.entries(types)) writeFileSync(`dist/${name}.d.ts`, portable(text))
for (const name of WASM)
  writeFileSync(
    `dist/${name}.d.ts`,
    portable(`/** What a bundler makes of ${name}: a compiled module in edge functions, elsewhere its address. load takes both. */
declare const wasm: WebAssembly.Module & string;
export default wasm;
`),
  )
rmSync('dist/types', { recursive: true })
copyFileSync('web/trained/stories/model.safetensors', 'dist/stories.safetensors')
writeFileSync(
  'dist/stories.d.ts',
  portable(`/**
 * The files of a small language model that tells stories of three sentences: \`loadModel(qkv, stories)\`. It was trained on texts made
 * by a program; it has 3 layers, 2 heads and 95,040 parameters.
 */
export declare const stories: Record<'config.json' | 'tokenizer.json' | 'tokenizer_config.json', Uint8Array<ArrayBuffer>> & {
  'model.safetensors': (from: number, to: number) => Promise<Uint8Array>;
};
`),
)
execFileSync(process.execPath, ['build/elements.js'], { stdio: 'inherit' })

const pack = ['pack', '--dry-run', '--json', '--ignore-scripts']
const [{ size }] = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
const gzipped = LOADED.map(name => minifiedSize(`dist/${name}`))
console.log(
  `dist: module and wasm ${gzipped.join(' + ')} = ${gzipped.reduce((a, b) => a + b)} bytes minified and gzipped; ` +
    `the package with types, README and elements ${size}`,
)
