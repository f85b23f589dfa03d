// The texts of "What matters for this answer?" in the room "Models".

export const texts = {
  mattersSay:
    'The logit of “{first}” less that of “{second}”, the second guess, is {value} here. Each cell says by how much that changes.',
  mattersSayClass:
    'The logit of the class “{first}” less that of “{second}”, the second class, is {value} here. Each cell says by how much that changes.',
  mattersSayOne: 'The logit of “{first}” is {value} here. Each cell says by how much that changes.',
  mattersSayLikeness:
    'The likeness of the two texts, their cosine, is {value} here. Each cell says by how much a change of the first text changes it.',
  mattersAlike: 'Head {name} makes the texts more alike: its mean in its place changes their likeness by {value}',
  mattersUnlike: 'Head {name} makes the texts less alike: its mean in its place changes their likeness by {value}',
  mattersHeads: 'Each head replaced by its mean',
  mattersHead: 'heads',
  mattersLayer: 'layers',
  mattersExact: 'All rows are exact.',
  mattersChooseHead: 'A head becomes a change when you choose its cell.',
  mattersChooseState: 'A state from layer 2 on becomes a patch when you choose its cell.',
  mattersEstimate: 'Estimated by the gradient. Rows that are exact so far, from the last layer: {exact} of {rows}.',
  mattersComputing: 'What matters is being estimated.',
  mattersCancelled: 'Cancelled. Rows that are exact: {exact} of {rows}; the others are estimates.',
  mattersCompute: 'Compute the rest',
  mattersHelps: 'Head {name} supports the answer: its mean in its place changes the difference by {value}',
  mattersHinders: 'Head {name} works against the answer: its mean in its place changes the difference by {value}',
  mattersForetold:
    'For the heads that you replaced ({count}) the map foretold {foretold}; together they change it by {real}. Heads that work together, or stand in for each other, make the two differ.',
  mattersPositions: 'Each state that enters a layer, taken from another text',
  mattersPosition: 'positions',
  mattersOther: 'Other text, with a word changed',
  mattersPositionsText: 'Change one word. Both texts must have the same number of tokens.',
  mattersTooLong: 'The text is too long to find what matters: give a shorter one.',
  mattersLengths:
    'Tokens of this text: {here}, of the other: {there}; both need the same number. This one: {tokens}. The other one: {others}.',
}
