// The texts of ../en/models-cell.js: American English has no other.

export { texts } from '../en/models-cell.js'
