// The texts of "Next word, by hand" in the room "Models".

export const texts = {
  nextComputing: 'The next word is being computed.',
  nextBars: 'What can come next',
  'next.temperature': 'Temperature',
  'next.topK': 'Top k',
  'next.topP': 'Top p',
  nextAll: 'all',
  nextKept: 'Tokens that remain: {kept} of {all}.',
  nextTake: 'Take “{token}”',
  nextTakeShare: 'Take “{token}”, {share}',
  nextOut: 'out',
  nextColumns:
    'Click a word to take it. The bar is its share after the three sliders; the small number is what the model says.',
  nextDraw: 'Draw one at random',
  nextBack: 'Take back',
  nextFull: 'The text has ended, or is as long as the model can read.',
  nextCache: 'What is kept for the next step (KV cache)',
  nextSize:
    'Each layer keeps a row of keys and a row of values for every token. Rows now: {tokens}, {bytes} in all layers. The word that you take adds one to each: {row}.',
  nextTime:
    'This step took {cached} with the cache, where the last token alone is computed, and {whole} without it, where all {tokens} are.',
  nextHead: 'Head',
  'nextRows.k': 'Keys',
  'nextRows.v': 'Values',
  nextWords: 'tokens',
  nextNumbers: 'numbers',
  nextLong: 'The text is too long to draw every number.',
}
