// The texts of ../en/layer.js: American English has no other.

export { texts } from '../en/layer.js'
