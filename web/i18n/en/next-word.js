// The texts of "Next word, by hand" in the room "Models".

export const texts = {
  nextComputing: 'The next word is being computed.',
  nextBars: 'What can come next',
  'next.temperature': 'Temperature',
  'next.topK': 'Top k',
  'next.topP': 'Top p',
  nextAll: 'all',
  nextKept: 'Tokens still possible: {kept} of {all}.',
  nextTake: 'Take “{token}”',
  nextTakeShare: 'Take “{token}”, {share}',
  nextOut: 'out',
  nextColumns:
    'Click a word to add it to the text. The bar is its chance with the sliders as they are; the small number is the model’s own.',
  nextDraw: 'Draw one at random',
  nextBack: 'Take back',
  nextFull: 'The text is as long as the model can read.',
  nextEnded: 'The model has ended the text here.',
  nextCache: 'What is kept for the next step (KV cache)',
  nextSize:
    'Each layer keeps one row of keys and one row of values for every token, so that none is computed again. Rows now: {tokens}, {bytes} in all layers; each further token adds one ({row}).',
  nextTime:
    'This step took {cached} with the cache (only the last token is computed) and {whole} without it (all {tokens} are).',
  nextHead: 'Head',
  'nextRows.k': 'Keys',
  'nextRows.v': 'Values',
  nextWords: 'tokens',
  nextNumbers: 'numbers',
  nextLong: 'The text is too long to draw every number.',
}
