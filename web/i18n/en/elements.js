// The texts of the elements that the page itself reads. The elements bring their English texts along.

export { headsTexts as elements } from '../../elements/element-texts.js'
