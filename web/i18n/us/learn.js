// The texts of ../en/learn.js: American English has no other.

export { texts } from '../en/learn.js'
