// The texts of ../en/graph.js: American English has no other.

export { texts } from '../en/graph.js'
