// The stops of the story about "What each layer says" on the English model. Each stop has a text and selects a state. The states were found
// with the logit lens, and tests/page/models-lens.test.js measures them. The numbers in a stop's text come from the grid on the page.

/**
 * `off`: the head that the reader is asked to switch off.
 * @typedef {{ id: 'hungry' | 'gloves' | 'writer' | 'off' | 'lenses', prompt: string, lens: string, off?: string }} LensStop
 */

const PLANE = 'The plane flies high in the'

/** @type {readonly LensStop[]} */
export const LENS_STOPS = [
  { id: 'hungry', prompt: 'The cat sat on the mat because it was', lens: 'logit 3.11' },
  { id: 'gloves', prompt: 'He put on his hat and', lens: 'logit 2.7 p1620' },
  { id: 'writer', prompt: PLANE, lens: 'logit 3.9' },
  { id: 'off', prompt: PLANE, lens: 'logit 3.9 p1143 w1143', off: '3.1' },
  { id: 'lenses', prompt: 'The cat sat on the mat because it was', lens: 'jacobian' },
]

/** The model that the story uses. */
export const STORY_MODEL = 'english'
