// The gallery of the room "Models", which is loaded when the field "Model" opens or a model of the hub is asked for.

export { hubQuestion } from './hub-question.js'
export { lookFor } from './look-for.js'
export { modelList, namedBy, optionsOf } from './model-list.js'
