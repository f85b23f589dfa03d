import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { constants } from './build/constants.js'
import { siteNotices } from './build/notices.js'
import { contentSecurityPolicy } from './build/site.js'
import { templates } from './build/templates.js'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

// Cross-origin isolation, which browsers require for memory shared with threads.
const isolated = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

const thirdParty = siteNotices()

/**
 * What a worker imports when it opens a model, after the first picture of its room. Not `network` or `packed-linear`: with them the worker of
 * the front page does not answer in WebKitGTK (tests/page/browsers.test.js).
 */
const WITH_WEIGHTS = new RegExp(
  `/src/models/(${[
    'attribution/.*',
    'config/(?:config|text-files|unread-keys)',
    'families/(?:llama|marian)',
    'family-shapes/(?:llama-like|decoder-only|marian-like|parts|rope-scaling)',
    'generate/.*',
    'other-names',
    'run/(?:attention-summaries|disentangled|inputs|model-hooks|over-texts|run-in-turns|turns)',
    'source/source',
    'tokenizers/(?!sentencepiece|wordpiece).*',
    'weights/safetensors',
  ].join('|')})\\.js$`,
)

/** What a worker imports when a lens is read. */
const OF_LENSES =
  /\/src\/interpret\/(input-of|jacobian\/entered-states|lens\/(lens|lens-attribution|lens-readout)|stack-of)\.js$|\/web\/rooms\/models\/lens\/(sources|task)\.js$/
/** What each room but the front page draws numbers with. */
const NUMBERS =
  /\/web\/(elements\/(colour-scale|long-press|number-text|ramps|raster|signs|theme)|files\/number-format|ui\/(contributions|glosses|inspector|number-colours|pointing|sheet|term-lines)|attention-head\/scale)\.js$/
/** What Models shares with its exercises and its parts that are loaded later. */
const OF_MODELS =
  /\/web\/rooms\/models\/(atlas\/maps|lens\/(numbers|room|setting|stops)|long-text\/(limits|summary-run)|many\/setting|open\/sources|open-head\/kind|run\/hooks|sentence\/text-lines|shown)\.js$/

/** What the files of exercises share with the bar of a task. */
const OF_EXERCISES = /\/web\/exercises\/(attempt|bar-height|exercise-companion|score-book|verdict)\.js$/

/** Names a chunk after its file, with the folder before a name that several folders have. @param {{ name: string, facadeModuleId?: string | null }} chunk */
const chunkFileNames = ({ name, facadeModuleId }) =>
  facadeModuleId && /^(?:panel|page|task|view|exports|files|inspector|trace|story)$/.test(name)
    ? `assets/${basename(dirname(facadeModuleId))}-[name]-[hash].js`
    : 'assets/[name]-[hash].js'

// The page lives in web/ and uses the package by its public name.
export default defineConfig({
  root: at('web'),
  base: './', // any host, any sub-path
  resolve: {
    alias: [
      { find: /^qkv$/, replacement: at('src/entries/index.js') },
      { find: /^qkv\/(\w+)$/, replacement: `${at('src/entries')}/$1.js` },
    ],
  },
  server: { fs: { allow: [at('.')] }, headers: isolated },
  preview: { headers: isolated },
  plugins: [constants(thirdParty.add), templates(), contentSecurityPolicy(), thirdParty.collect, thirdParty.write],
  // Modules, so that a worker loads what it imports on demand when it needs it.
  worker: {
    format: 'es',
    plugins: () => [constants(thirdParty.add), thirdParty.collect],
    rolldownOptions: {
      output: {
        chunkFileNames,
        // What opens a folder and explains its first answer is one file, which comes with the weights.
        codeSplitting: {
          groups: [
            { name: 'checkpoint', test: WITH_WEIGHTS, includeDependenciesRecursively: false },
            { name: 'lens', test: OF_LENSES, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
  build: {
    outDir: at('site'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What every room needs is one file, and so are what rooms draw numbers with, what One layer and Models share with their exercises and
    // the foundations of the library: a file of its own costs some hundred bytes.
    rolldownOptions: {
      output: {
        chunkFileNames,
        codeSplitting: {
          groups: [
            { name: 'shell', test: /\/web\/(shell|i18n)\/[^/]*\.js$/ },
            { name: 'base', test: /\/src\/(base|runtime)\/[^/]*\.js$/, includeDependenciesRecursively: false },
            { name: 'layer', test: /\/web\/rooms\/layer\//, minShareCount: 4, includeDependenciesRecursively: false },
            { name: 'numbers', test: NUMBERS, includeDependenciesRecursively: false },
            { name: 'models', test: OF_MODELS, includeDependenciesRecursively: false },
            {
              name: 'tensor-input',
              test: /\/elements\/(statistics|tensor-input)\.js$/,
              includeDependenciesRecursively: false,
            },
            { name: 'exercise', test: OF_EXERCISES, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
})
