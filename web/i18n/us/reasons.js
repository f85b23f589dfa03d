// The texts of ../en/reasons.js: American English has no other.

export { texts } from '../en/reasons.js'
