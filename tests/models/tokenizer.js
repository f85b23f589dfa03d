/** The optional package that reads tokenizer.json. Imported by a variable, so that tsc does not check its types. */
const name = '@huggingface/tokenizers'
/** @type {import('../../src/models/tokenizers/tokenizer.js').TokenizerClass} */
export const Tokenizer = (await import(name)).Tokenizer
