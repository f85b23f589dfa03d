// The texts of ../en/models.js: American English has no other.

export { texts } from '../en/models.js'
