// The texts of ../en/learned-exercises.js: American English has no other.

export { texts } from '../en/learned-exercises.js'
