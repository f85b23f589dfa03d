// The sentences over which a head is measured: the reader's, one per line, or defaults for the model. Pure.

/** Default sentences for an English model. */
const ENGLISH = [
  'The cat sat on the mat because it was tired.',
  'Tom gave the ball to Anna, and Anna gave the ball to Tom.',
  'One day a little girl went to the park with her mother.',
  'The dog ran to the tree, and the cat ran to the house.',
  'She was happy because she had a new red dress.',
  'The boy said that he wanted to go home.',
  'We had bread and milk, and then we had an apple.',
  'The old man told the children a story about a king.',
  'It was cold, so they made a fire and sat by the fire.',
  'Ben looked for his shoe, but he did not see his shoe.',
]

/** @param {Pick<import('../models.js').Room, 'view' | 'openModel' | 'text'>} room @returns {string[]} */
export function sentencesOf({ view: { many }, openModel, text }) {
  if (many !== undefined) return [...new Set(many.split('\n').map(line => line.trim()))].filter(Boolean)
  const own = (openModel?.about?.tour ?? []).map(({ prompt }) => prompt)
  return [...new Set([text, ...(own.length ? [openModel?.firstText ?? '', ...own] : ENGLISH)])].filter(Boolean)
}
