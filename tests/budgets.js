// The maximum size of what users download, in bytes; without another word, gzipped. A limit leaves 20 % of room and is raised once a
// release: for 0.2.0 on 2026-11-27, for kernels of short texts and long sums.

const KB = 1024

/** Each wasm file, not compressed. */
export const WASM = 76 * KB

/** Code of the package, minified. */
export const PACKAGE = {
  /** What `import 'qkv'` and load() load, with the wasm file. */
  qkv: 55 * KB,
  /** What qkv/models adds. */
  models: 25 * KB,
  /** A part that qkv/models loads later. */
  later: 4 * KB,
  /** What only a name on the hub loads. */
  hub: 8 * KB,
  /** What only a GGUF file loads. */
  gguf: 14 * KB,
  /** What only a conversation loads: the language of templates. */
  chat: 20 * KB,
  train: 10 * KB,
}

/** qkv/stories with its weights, not compressed. */
export const STORIES_FILES = 250_000

/** A bundled program that imports `tensor` only. */
export const TENSOR_PROGRAM = 6 * KB

/** A bundled program that imports one name of qkv/nn. */
export const NN_PROGRAMS = {
  kvCache: 24 * KB,
  linearLayer: 11 * KB,
  multiheadAttention: 19 * KB,
  onnxAttention: 24 * KB,
}

/** A bundled program that imports one entry of the elements. @type {Record<string, number>} */
export const ELEMENT_PROGRAMS = {
  'elements/heatmap': 22 * KB,
  'elements/heads': 16 * KB,
  'elements/flow': 20 * KB,
  'elements/deep-map': 24 * KB,
  'elements/trace': 28 * KB,
  'elements/exercise': 4 * KB,
  elements: 43 * KB,
  anywidget: 27 * KB,
}

export const PAGE = {
  /** What the front door loads before its model. */
  front: 60_000,
  /** What any link loads before its room is drawn. */
  link: 200_000,
  /** The code of all rooms. */
  rooms: 120_000,
}
