// The story of what each layer says, on the English model: what each stop reads, and the state that it selects. The states were found with the
// logit lens (tests/page/models-lens.test.js measures them); what a stop says comes from the grid that is shown.

/** `off`: the head that there is to switch off. @typedef {{ id: 'hungry' | 'gloves' | 'writer' | 'off' | 'lenses', prompt: string, lens: string, off?: string }} LensStop */

const PLANE = 'The plane flies high in the'

/** @type {readonly LensStop[]} */
export const LENS_STOPS = [
  { id: 'hungry', prompt: 'The cat sat on the mat because it was', lens: 'logit 3.11' },
  { id: 'gloves', prompt: 'He put on his hat and', lens: 'logit 2.7 p1620' },
  { id: 'writer', prompt: PLANE, lens: 'logit 3.9' },
  { id: 'off', prompt: PLANE, lens: 'logit 3.9 p1143 w1143', off: '3.1' },
  { id: 'lenses', prompt: 'The cat sat on the mat because it was', lens: 'jacobian' },
]

/** The model that the story is told on. */
export const STORY_MODEL = 'english'
