// The texts of the elements are those in English.

export { texts as elements } from '../../elements/all-texts.js'
