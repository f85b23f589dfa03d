// The texts of ../en/exercises.js: American English has no other.

export { texts } from '../en/exercises.js'
