// The texts of ../en/matters.js: American English has no other.

export { texts } from '../en/matters.js'
