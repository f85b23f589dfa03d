// The gallery of the room "Models". Loaded when the field "Model" opens, the reader asks about a model of the hub, or a model is
// too large.

export { hubQuestion } from './hub-question.js'
export { lookFor } from './look-for.js'
export { modelList, namedBy, optionsOf } from './model-list.js'
export { tooLarge } from './too-large.js'
