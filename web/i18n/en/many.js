// The texts of "This head over many sentences" in the room "Models".

export const texts = {
  manyText:
    'One text may be chance. Here the head is measured over many: paste your own sentences, one a line. Choose one to see its map.',
  manySentences: 'Sentences, one a line',
  manyScore: 'Score',
  manyOwn: 'Sentences of the page',
  manyComputing: 'Measuring …',
  manyNothing: 'No sentence has this score: no token comes again, or all are too long.',
  manyMean: 'Mean {mean}, spread {spread} (sentences: {count})',
  manyNoRepeat: 'no token comes again',
  manyTooLong: 'too long',
}
