// Maps each frame of the flow to its step on the page and to the cell that the frame shows. Pure.

/** @import { FlowStep } from '../../../elements/flow-frames.js' */
/** @import { Cell, MatrixId, StepId } from '../layer.js' */

/** @type {Record<FlowStep, StepId>} */
export const STEP_OF = {
  word: 'embed',
  query: 'project',
  keys: 'project',
  scores: 'scores',
  scale: 'scaled',
  mask: 'masked',
  exponentials: 'softmax',
  softmax: 'softmax',
  values: 'mix',
  output: 'mix',
}

/** The matrix whose cell a frame shows. @type {Partial<Record<FlowStep, MatrixId>>} */
const MATRIX_OF = { word: 'X', query: 'Q', scores: 'scores', scale: 'scaled', values: 'weights', output: 'output' }

/** Returns the first frame of a step. Steps after the head have no frame, so they show the frame of the output. @param {string} step @returns {FlowStep} */
export function firstFrame(step) {
  if (step === 'additive') return 'scores'
  const [found] = Object.entries(STEP_OF).find(([, own]) => own === step) ?? ['output']
  return /** @type {FlowStep} */ (found)
}

/** @param {number} head @param {number} query @param {FlowStep} step @param {number} [key] @returns {Cell | undefined} */
export function cellOfFrame(head, query, step, key = 0) {
  const matrix = MATRIX_OF[step]
  return matrix && { matrix, head: matrix === 'X' ? 0 : head, row: query, column: key }
}
