// The texts of ../en/front.js: American English has no other.

export { texts } from '../en/front.js'
