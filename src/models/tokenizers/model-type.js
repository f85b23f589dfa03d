/** Returns the type of a model of tokenizer.json, which older files do not name. @param {Record<string, any>} model */
export function typeOf(model) {
  if ('type' in model) return model.type
  if (Array.isArray(model.vocab)) return 'Unigram'
  if (model.merges) return 'BPE'
  return model.continuing_subword_prefix === undefined ? 'WordLevel' : 'WordPiece'
}
