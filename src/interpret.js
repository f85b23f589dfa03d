// qkv/interpret: why a model of qkv/models answers as it does. Gradients by its places and weights. The exports of this entry.

export { backward, backwardAsync } from './interpret/model-gradients.js'
export { modelParameters } from './interpret/model-parameters.js'

/** @typedef {import('./interpret/model-gradients.js').ModelGradients} ModelGradients */
/** @typedef {import('./interpret/model-gradients.js').BackwardOptionsOfModel} BackwardOptionsOfModel */
/** @typedef {import('./interpret/objective.js').Objective} Objective */
