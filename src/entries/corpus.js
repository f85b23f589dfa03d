// qkv/corpus, for Node: runs a model over many texts, on all cores or on many machines, and writes the results to files.

export { corpus } from '../corpus/corpus.js'
export { runPart } from '../corpus/run-part.js'

/** @typedef {import('../corpus/corpus.js').CorpusOptions} CorpusOptions */
/** @typedef {import('../corpus/corpus.js').CorpusProgress} CorpusProgress */
/** @typedef {import('../corpus/merge.js').CorpusResult} CorpusResult */
/** @typedef {import('../corpus/what.js').CorpusWhat} CorpusWhat */
/** @typedef {import('../corpus/measure.js').TextFunction} TextFunction */
/** @typedef {import('../corpus/run-part.js').CorpusPart} CorpusPart */
/** @typedef {import('../corpus/texts.js').Texts} Texts */
