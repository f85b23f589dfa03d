// qkv/interpret: why a model of qkv/models answers as it does. Gradients by its places and weights, effects of its parts. The exports of this entry.

export { backward, backwardAsync } from './interpret/model-gradients.js'
export { modelParameters } from './interpret/model-parameters.js'
export { ablate, patch } from './interpret/patch.js'

/** @typedef {import('./interpret/model-gradients.js').ModelGradients} ModelGradients */
/** @typedef {import('./interpret/model-gradients.js').BackwardOptionsOfModel} BackwardOptionsOfModel */
/** @typedef {import('./interpret/objective.js').Objective} Objective */
/** @typedef {import('./interpret/patch.js').PatchOptions} PatchOptions */
/** @typedef {import('./interpret/patch.js').AblateOptions} AblateOptions */
/** @typedef {import('./interpret/patch.js').PatchResult} PatchResult */
