// qkv/interpret: why a model of qkv/models answers as it does. Gradients by its places and weights, effects of its parts. The exports of this entry.

export { accumulatedResidual } from '../interpret/accumulated-residual.js'
export { edge, edges } from '../interpret/edges.js'
export { fitLens } from '../interpret/fit-lens.js'
export { headCircuits } from '../interpret/head-circuits.js'
export { headGraph } from '../interpret/head-graph.js'
export { jacobianProducts } from '../interpret/jacobian.js'
export { mergeLenses } from '../interpret/lens.js'
export { lensAttribution } from '../interpret/lens-attribution.js'
export { readLens, saveLens } from '../interpret/lens-file.js'
export { lensOf } from '../interpret/lens-of.js'
export { lensHooks, readout, tokenDirections } from '../interpret/lens-readout.js'
export { backward, backwardSync } from '../interpret/model-gradients.js'
export { modelParameters } from '../interpret/model-parameters.js'
export { ablate, patch } from '../interpret/patch.js'
export { positionEdge, positionEdges } from '../interpret/position-edges.js'
export { recordRun } from '../interpret/recorded-run.js'
export { scoreAttribution } from '../interpret/score-attribution.js'
export { steering } from '../interpret/steering.js'

/** @typedef {import('../interpret/model-gradients.js').ModelGradients} ModelGradients */
/** @typedef {import('../interpret/model-gradients.js').BackwardOptionsOfModel} BackwardOptionsOfModel */
/** @typedef {import('../interpret/accumulated-residual.js').AccumulatedResidual} AccumulatedResidual */
/** @typedef {import('../interpret/objective.js').Objective} Objective */
/** @typedef {import('../interpret/jacobian.js').JacobianOptions} JacobianOptions */
/** @typedef {import('../interpret/lens.js').Lens} Lens */
/** @typedef {import('../interpret/fit-lens.js').FitLensOptions} FitLensOptions */
/** @typedef {import('../interpret/lens-attribution.js').LensAttribution} LensAttribution */
/** @typedef {import('../interpret/lens-attribution.js').LensAttributionOptions} LensAttributionOptions */
/** @typedef {import('../interpret/lens-of.js').LensState} LensState */
/** @typedef {import('../interpret/lens-of.js').LensOfOptions} LensOfOptions */
/** @typedef {import('../interpret/lens-readout.js').LensReadout} LensReadout */
/** @typedef {import('../interpret/lens-readout.js').ReadoutOptions} ReadoutOptions */
/** @typedef {import('../interpret/lens-readout.js').LensHookOptions} LensHookOptions */
/** @typedef {import('../interpret/patch.js').PatchOptions} PatchOptions */
/** @typedef {import('../interpret/patch.js').AblateOptions} AblateOptions */
/** @typedef {import('../interpret/patch.js').PatchResult} PatchResult */
/** @typedef {import('../interpret/recorded-run.js').RecordedRun} RecordedRun */
/** @typedef {import('../interpret/score-attribution.js').ScoreAttribution} ScoreAttribution */
/** @typedef {import('../interpret/score-attribution.js').ScoreAttributionOptions} ScoreAttributionOptions */
/** @typedef {import('../interpret/score-attribution.js').Source} Source */
/** @typedef {import('../interpret/steering.js').Steering} Steering */
/** @typedef {import('../interpret/steering.js').SteeringOptions} SteeringOptions */
/** @typedef {import('../interpret/head-circuits.js').HeadCircuits} HeadCircuits */
/** @typedef {import('../interpret/edges.js').Edges} Edges */
/** @typedef {import('../interpret/edges.js').EdgesOptions} EdgesOptions */
/** @typedef {import('../interpret/edges.js').EdgeOptions} EdgeOptions */
/** @typedef {import('../interpret/edge-task.js').Writer} Writer */
/** @typedef {import('../interpret/edge-task.js').Reader} Reader */
/** @typedef {import('../interpret/position-edges.js').PositionEdges} PositionEdges */
/** @typedef {import('../interpret/position-edges.js').PositionEdgesOptions} PositionEdgesOptions */
/** @typedef {import('../interpret/position-edges.js').PositionEdgeOptions} PositionEdgeOptions */
/** @typedef {import('../interpret/position-edges.js').PositionNode} PositionNode */
/** @typedef {import('../interpret/position-edges.js').Reads} Reads */
/** @typedef {import('../interpret/head-graph.js').HeadGraph} HeadGraph */
