// The texts of the elements, which bring them along.

export { texts as elements } from '../../elements/all-texts.js'
