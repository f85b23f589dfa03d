// The entries of the package: the file of each in dist/, its source, and the tag of the element that it defines. A new entry needs a
// line here and one in "exports" of package.json; tests/package.test.js compares the two.

/**
 * An entry of the package. An element with isPlain does not extend the base class of the others.
 * @typedef {{ name: string, source: string, tag?: string, element?: string, isPlain?: boolean }} Entry
 */

/** The entries of the library. All import core.js. @type {Entry[]} */
export const LIBRARY = [
  { name: 'index', source: 'src/entries/index.js' },
  { name: 'nn', source: 'src/entries/nn.js' },
  { name: 'models', source: 'src/entries/models.js' },
  { name: 'train', source: 'src/entries/train.js' },
  { name: 'interpret', source: 'src/entries/interpret.js' },
  { name: 'corpus', source: 'src/entries/corpus.js' },
]

/** The entry qkv/corpus, for Node, and files that are run instead of imported: the command `qkv` and the worker. @type {Entry[]} */
export const CORPUS = [
  ...LIBRARY.filter(({ name }) => name === 'corpus'),
  { name: 'cli', source: 'src/corpus/cli.js' },
  { name: 'corpus-worker', source: 'src/corpus/corpus-worker.js' },
]

/** The model that comes with the package; its weights are in a file next to the entry. @type {Entry} */
export const STORIES = { name: 'stories', source: 'build/stories.js' }

/** The wasm files; the last two are made by ./build.sh --relaxed. */
export const WASM = ['qkv.wasm', 'qkv.integers.wasm', 'qkv.relaxed.wasm', 'qkv.relaxed.integers.wasm']

/** `import 'qkv'` and `load()` load these files. */
export const LOADED = ['index.js', 'core.js', 'qkv.wasm']
/** `load({ threads })` loads these files in addition. */
export const THREADS = ['threads.js', 'worker.js']

/** The entries of the elements. The last one exports all of them. @type {Entry[]} */
export const ELEMENTS = [
  { name: 'elements/heatmap', source: 'web/elements/heatmap.js', tag: 'qkv-heatmap', element: 'QkvHeatmap' },
  { name: 'elements/heads', source: 'web/elements/heads.js', tag: 'qkv-heads', element: 'QkvHeads' },
  { name: 'elements/flow', source: 'web/elements/flow.js', tag: 'qkv-flow', element: 'QkvFlow' },
  { name: 'elements/deep-map', source: 'web/elements/deep-map.js', tag: 'qkv-deep-map', element: 'QkvDeepMap' },
  { name: 'elements/trace', source: 'web/elements/trace.js', tag: 'qkv-trace', element: 'QkvTrace' },
  {
    name: 'elements/exercise',
    source: 'web/elements/exercise.js',
    tag: 'qkv-exercise',
    element: 'QkvExercise',
    isPlain: true,
  },
  { name: 'elements', source: 'web/elements/index.js' },
]

/** The widget: one file without imports, because a notebook sends it as text. @type {Entry} */
export const WIDGET = { name: 'anywidget', source: 'web/elements/anywidget.js' }
