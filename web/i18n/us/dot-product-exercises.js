// The texts of ../en/dot-product-exercises.js: American English has no other.

export { texts } from '../en/dot-product-exercises.js'
