/** The optional package that reads tokenizer.json; by a variable, because its types are not ours to check. */
const name = '@huggingface/tokenizers'
/** @type {import('../../src/models/tokenizer.js').TokenizerClass} */
export const Tokenizer = (await import(name)).Tokenizer
