// The texts of the exercises on heads.

export const texts = {
  'e9.task': 'Five heads read “the cat sat and the cat”. Which of them looks at the word before?',
  'e9.may': 'Choose the head here. Click the small maps to see each large.',
  'e9.answer': 'The head that looks at the word before',
  'e9.choice': 'Head {name}',
  'e9.done': 'Its map has a stripe just below the diagonal. Such a head is half of an induction circuit.',
  'e9.notYet': 'Not this one.',
  'e9.hint.first': 'Look at row 5: this head gives {share} to word 1, whatever comes before.',
  'e9.hint.same': 'This head looks at the word itself: its stripe is on the diagonal.',
  'e9.hint.induction': 'This head needs a word that is repeated: it looks behind the earlier copy.',
  'e9.hint.even': 'This head looks at all words alike.',

  'e10.task':
    'The length n of key 1 varies from 0.5 to 1.5. For every n, keep the output within 0.1 of (0.5, 0.5), the mean of values 1 and 2. Two heads are averaged.',
  'e10.may': 'What may change: the number of heads, their queries, and n, to try.',
  'e10.part.one': 'One head',
  'e10.part.two': 'Two heads',
  'e10.q1': 'Head 1: q1',
  'e10.q2': 'q2',
  'e10.q3': 'q3',
  'e10.p1': 'Head 2: q1',
  'e10.p2': 'q2',
  'e10.p3': 'q3',
  'e10.n': 'n',
  'e10.measured': 'Weights {weights}; output ({output}).',
  'e10.done':
    'One head weighs keys against each other, so a longer key wins. Two heads look at two keys, each for itself.',
  'e10.notYet': 'At n = {n} the output is off by {far}.',
  'e10.hint.one': 'At n = {n} one head gives {first} and {second}: it weighs the keys against each other.',
  'e10.hint.equal': 'Both heads ask the same.',
  'e10.hint.sameKey': 'Both heads look at key {key}.',
  'e10.hint.short': 'At n = {n} head {head} gives its key only {share}.',

  'e11.task':
    'Head 4 is an induction head: it looks at what followed an earlier copy of the word. Write a sentence whose last word gives at least 0.9 to one earlier word in head 4.',
  'e11.may': 'What may change: the sentence.',
  'e11.done': 'The last word stood there before, and head 4 looks at the word that followed it: {share} on “{word}”.',
  'e11.notYet': 'The last word gives most to “{word}”, {share}.',
  'e11.hint.none': 'The last word does not repeat an earlier one, so head 4 rests on the first word ({share}).',
  'e11.hint.itself': 'What followed the earlier copy is the last word itself.',
  'e11.hint.shared': '{copies} earlier copies share: the largest weight is {share}.',

  'e12.task':
    'A layer of 8 heads reads a batch of 10 texts of 60 words each; vectors have 512 numbers. How many attention weights does it compute?',
  'e12.may': 'Here you only count; nothing can be changed.',
  'e12.answer': 'Attention weights',
  'e12.done': '10 texts × 8 heads × 60 × 60. Twice the words would be four times as many.',
  'e12.notYet': 'Not {typed}. Each head of each text has one weight for each pair of words.',
  'e12.hint.whole': 'Type a whole number, such as 3600.',
  'e12.hint.sequence': 'That is one text. The batch has ten.',
  'e12.hint.head': 'That is one head. There are eight.',
  'e12.hint.both': 'That is one head of one text.',
  'e12.hint.output': 'That is how many numbers the output has.',
}
