// What the package exports: the file of each entry in dist/, its source, and the tag of the element that it defines. For a
// new entry add a line here and to "exports" of package.json; tests/package.test.js compares the two.

/** @typedef {{ name: string, source: string, tag?: string, element?: string }} Entry */

/** The entries of the library. All but tokenize import core.js. @type {Entry[]} */
export const LIBRARY = [
  { name: 'index', source: 'src/index.js' },
  { name: 'cache', source: 'src/cache.js' },
  { name: 'tokenize', source: 'src/tokenize.js' },
  { name: 'onnx', source: 'src/onnx.js' },
  { name: 'nn', source: 'src/nn.js' },
  { name: 'models', source: 'src/models.js' },
  { name: 'train', source: 'src/train.js' },
]

/** What `import 'qkv'` and `load()` load. */
export const LOADED = ['index.js', 'core.js', 'qkv.wasm']
/** What `load({ threads })` loads in addition. */
export const THREADS = ['threads.js', 'worker.js']

/** The entries of the elements; the last has all of them. @type {Entry[]} */
export const ELEMENTS = [
  { name: 'elements/heatmap', source: 'web/elements/heatmap.js', tag: 'qkv-heatmap', element: 'QkvHeatmap' },
  { name: 'elements/heads', source: 'web/elements/heads.js', tag: 'qkv-heads', element: 'QkvHeads' },
  { name: 'elements/lines', source: 'web/elements/lines.js', tag: 'qkv-lines', element: 'QkvLines' },
  { name: 'elements/trace', source: 'web/elements/trace.js', tag: 'qkv-trace', element: 'QkvTrace' },
  { name: 'elements', source: 'web/elements/index.js' },
]

/** A single file without imports, because a notebook sends it as a text. @type {Entry} */
export const WIDGET = { name: 'anywidget', source: 'web/elements/anywidget.js' }
