// The texts of "What matters for this answer?" in the room "Models".

export const texts = {
  mattersSay:
    '“{first}” leads “{second}”, the second guess: their logits differ by {value}. Each cell says how much of this lead is lost when its part is replaced: orange raises the answer, purple lowers it.',
  mattersSayClass:
    'The class “{first}” leads “{second}”, the second class: their logits differ by {value}. Each cell says how much of this lead is lost when its part is replaced: orange raises the answer, purple lowers it.',
  mattersSayOne:
    'The logit of “{first}” is {value} here. Each cell says how much of it is lost when its part is replaced: orange raises the answer, purple lowers it.',
  mattersSayLikeness:
    'The two texts are alike by {value} (their cosine). Each cell says how much of this is lost when a part of the first text is replaced.',
  mattersAlike: 'Head {name} makes the texts more alike: with its mean in its place, {value} of their likeness is lost',
  mattersUnlike: 'Head {name} makes the texts less alike: with its mean in its place, their likeness grows by {value}',
  mattersHeads: 'Total effect: each head replaced by its mean, and what follows it computed again',
  mattersHead: 'heads',
  mattersLayer: 'layers',
  mattersExact: 'Every number here was computed, none is estimated.',
  mattersChooseHead: 'Choose a cell to replace its head.',
  mattersChooseState: 'Choose a cell, from layer 2 on, to patch its state.',
  mattersEstimate: 'First an estimate, by the gradient. Exact rows so far, from the last layer: {exact} of {rows}.',
  mattersComputing: 'What matters is being estimated.',
  mattersCancelled: 'Cancelled. Rows that are exact: {exact} of {rows}; the others are estimates.',
  mattersCompute: 'Compute the rest',
  mattersHelps: 'Head {name} supports the answer: with its mean in its place, {value} of the difference is lost',
  mattersHinders: 'Head {name} lowers the answer: with its mean in its place, the difference grows by {value}',
  mattersForetold:
    'Heads that you replaced: {count}. The map estimated {foretold}; together they change it by {real}. The two differ when heads work together or stand in for each other.',
  mattersPositions: 'Each state that enters a layer, taken from another text',
  mattersPosition: 'positions',
  mattersOther: 'Other text, with a word changed',
  mattersPositionsText: 'Change one word. Both texts must have the same number of tokens.',
  mattersTooLong: 'The text is too long to find what matters: give a shorter one.',
  mattersLengths:
    'Tokens of this text: {here}, of the other: {there}; both need the same number. This one: {tokens}. The other one: {others}.',
}
