// The texts of ../en/glosses.js: American English has no other.

export { texts } from '../en/glosses.js'
