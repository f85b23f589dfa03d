// The texts of "The whole model in one picture" in the room "Models".

export const texts = {
  blockComputing: 'Measuring …',
  blockText:
    'How “{word}” (word {at}) becomes the answer. The model keeps a row of numbers for it, the stream. Each part reads the stream and adds to it: “+ 40%” means that 40% of the stream after it comes from this part. The numbers say how long the stream is. Select another word above, or a head here.',
  blockNorm: 'norm',
  blockNormText: 'Scales the numbers of each word to one length before a part reads them, or after a sum.',
  blockStream: 'The length of the stream of this word here.',
  blockStreamOpens: 'The length of the stream after layer {layer}. Press to see what the model would say here.',
  blockAdd: 'Adds a vector of length {added}; the sum has length {sum}. Share of the sum: {share}.',
  'block.attention': 'attention',
  'block.cross': 'cross-attention',
  'block.mlp': 'MLP',
  'blockText.attention':
    'Each head carries something over from the words that it looks at. Press a number to open its head.',
  'blockText.cross': 'Each head carries something over from the other text. Press a number to open its head.',
  blockMlpText: 'Works on each word alone: two layers of neurons.',
  blockLayer: 'layer {layer}',
  blockWordText: 'The text that the model reads.',
  blockEmbedding: 'embedding',
  blockEmbeddingPosition: 'embedding + position',
  'blockPosition.added': 'A vector for the word, and one for its place.',
  'blockPosition.rope': 'Word order comes in at each attention: queries and keys are turned by their place.',
  'blockPosition.bias': 'Places are told by a number added to each score.',
  blockLogits: 'logits',
  blockLogitsText: 'A score for each word that could come next. Press to see the prediction.',
  blockAnswer: 'the answer for this word',
}
