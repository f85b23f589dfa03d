// The texts of ../en/mask-exercises.js: American English has no other.

export { texts } from '../en/mask-exercises.js'
