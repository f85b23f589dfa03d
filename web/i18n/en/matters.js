// The texts of "What matters for this answer?" in the room "Models".

export const texts = {
  mattersSay:
    '“{first}” leads “{second}”, the second guess: their logits differ by {value}. Each cell says how much of this lead is lost: orange cells raise the answer, purple cells lower it.',
  mattersSayClass:
    'The logit of the class “{first}” less that of “{second}”, the second class, is {value} here. Each cell says how much of it is lost: orange cells raise the answer, purple cells lower it.',
  mattersSayOne:
    'The logit of “{first}” is {value} here. Each cell says how much of it is lost: orange cells raise the answer, purple cells lower it.',
  mattersSayLikeness:
    'The likeness of the two texts, their cosine, is {value} here. Each cell says how much of it is lost by a change of the first text.',
  mattersAlike: 'Head {name} makes the texts more alike: with its mean in its place, {value} of their likeness is lost',
  mattersUnlike: 'Head {name} makes the texts less alike: with its mean in its place, their likeness grows by {value}',
  mattersHeads: 'Total effect: each head replaced by its mean, and what follows it computed again',
  mattersHead: 'heads',
  mattersLayer: 'layers',
  mattersExact: 'All rows are exact.',
  mattersChooseHead: 'A head becomes a change when you choose its cell.',
  mattersChooseState: 'A state from layer 2 on becomes a patch when you choose its cell.',
  mattersEstimate: 'Estimated by the gradient. Rows that are exact so far, from the last layer: {exact} of {rows}.',
  mattersComputing: 'What matters is being estimated.',
  mattersCancelled: 'Cancelled. Rows that are exact: {exact} of {rows}; the others are estimates.',
  mattersCompute: 'Compute the rest',
  mattersHelps: 'Head {name} supports the answer: with its mean in its place, {value} of the difference is lost',
  mattersHinders: 'Head {name} lowers the answer: with its mean in its place, the difference grows by {value}',
  mattersForetold:
    'For the heads that you replaced ({count}) the map estimated {foretold}; together they change it by {real}. Heads that work together, or stand in for each other, make the two differ.',
  mattersPositions: 'Each state that enters a layer, taken from another text',
  mattersPosition: 'positions',
  mattersOther: 'Other text, with a word changed',
  mattersPositionsText: 'Change one word. Both texts must have the same number of tokens.',
  mattersTooLong: 'The text is too long to find what matters: give a shorter one.',
  mattersLengths:
    'Tokens of this text: {here}, of the other: {there}; both need the same number. This one: {tokens}. The other one: {others}.',
}
