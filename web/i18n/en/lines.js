// The texts of the lines between two columns of words, a picture of a head.

export const texts = {
  linesHint:
    'Each colour is a head; the stronger a line, the more one word looks at the other. To see only the lines of one word, ‹point at it or ›click it.',
  linesFrom: 'each word …',
  linesTo: '… looks at',
  linesHeads: 'Heads that are drawn',
  linesAllHeads: 'All heads',
  linesOnly: 'Only {name}',
  linesAllWords: 'All words',
  linesLooks: '“{word}” looks most at: {list}',
  linesSeen: '“{word}” is looked at most by: {list}',
  linesMost: '“{word}” {weight} ({name})',
  linesComma: ', ',
  linesNone:
    'This text has no lines: it is too long (at most {most}), or not all of its weights are here. The map shows it.',
}
