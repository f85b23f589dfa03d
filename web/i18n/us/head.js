// The texts of ../en/head.js: American English has no other.

export { texts } from '../en/head.js'
