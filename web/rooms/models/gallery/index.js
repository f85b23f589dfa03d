// The gallery of the room "Models". Loaded when the field "Model" opens or the reader asks about a model of the hub.

export { hubQuestion } from './hub-question.js'
export { lookFor } from './look-for.js'
export { modelList, namedBy, optionsOf } from './model-list.js'
