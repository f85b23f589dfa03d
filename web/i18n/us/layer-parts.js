// The texts of ../en/layer-parts.js: American English has no other.

export { texts } from '../en/layer-parts.js'
