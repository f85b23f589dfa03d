// The texts of the exercises on dot products and softmax.

export const texts = {
  'e1.task': 'There are three keys. Choose the query so that the output is the second value, (0, 1), to within 0.02.',
  'e1.may': 'What may change: the three numbers of the query.',
  'e1.measured': 'Weights {weights}; output ({output}).',
  'e1.done': 'A query that is long in the direction of a key gives that key nearly all of the weight.',
  'e1.notYet': 'Not yet.',
  'e1.hint.equal': 'The scores are equal, so the shares are equal.',
  'e1.hint.other': 'Your query fits key {key} best.',
  'e1.hint.short': 'The direction is right, the query is too short: key 2 gets {weight}.',

  'e2.task': 'Make the output the mean of the first two values: weights 0.5, 0.5 and 0, each to within 0.01.',
  'e2.may': 'What may change: the three numbers of the query.',
  'e2.measured': 'Weights {weights}; output ({output}).',
  'e2.done': 'Equal scores share equally; what counts is how far they are above the rest.',
  'e2.notYet': 'Not yet.',
  'e2.hint.same': 'Adding the same to all scores changes nothing.',
  'e2.hint.unequal': 'The scores of keys 1 and 2 differ by {gap}.',
  'e2.hint.third': 'Key 3 still gets {weight}.',

  'e3.task':
    'The scores are 2, 1 and 0. What is the first weight after softmax? Three digits are enough. (e is about 2.718.)',
  'e3.may': 'The map of the weights appears when the answer is right. 0.5 and 50% are the same answer.',
  'e3.answer': 'First weight',
  'e3.done': 'e² = 7.389, and 7.389 ÷ (7.389 + 2.718 + 1) = 0.665. Click the number in the picture for its arithmetic.',
  'e3.notYet': 'Not {typed}. Take e to the power of each score, then divide the first by the sum.',
  'e3.hint.divided': 'You divided the scores. Exponentials come first.',
  'e3.hint.two': 'The sum has three terms, not two.',
  'e3.hint.numerator': 'That is the numerator. Divide it by the sum.',

  'e4.task':
    'The scores 2, 1, 0 are multiplied by a scale before softmax. Find the smallest whole scale that gives the first key at least 0.95.',
  'e4.may': 'What may change: the scale.',
  'e4.done': 'A larger scale makes softmax sharper. Dividing by √d does the opposite: it makes the weights more even.',
  'e4.notYet': 'Not yet.',
  'e4.hint.whole': 'Enter a whole number.',
  'e4.hint.even': 'The first key gets {weight}: a scale below 1 makes shares more even.',
  'e4.hint.more': 'The first key gets {weight}: stretch more.',
  'e4.hint.smaller': 'That is enough, but a smaller scale is, too.',
}
