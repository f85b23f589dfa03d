// The texts of ../en/head-exercises.js: American English has no other.

export { texts } from '../en/head-exercises.js'
