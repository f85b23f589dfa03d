// The texts of ../en/exercise-pages.js: American English has no other.

export { texts } from '../en/exercise-pages.js'
