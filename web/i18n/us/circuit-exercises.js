// The texts of ../en/circuit-exercises.js: American English has no other.

export { texts } from '../en/circuit-exercises.js'
