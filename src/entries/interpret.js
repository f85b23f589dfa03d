// qkv/interpret: explains the answers of models of qkv/models, by gradients at places and weights and by effects of parts.

export { headCircuits } from '../interpret/circuits/head-circuits.js'
export { edge, edges } from '../interpret/edges/edges.js'
export { headGraph } from '../interpret/edges/head-graph.js'
export { positionEdge, positionEdges } from '../interpret/edges/position-edges.js'
export { backward, backwardSync } from '../interpret/gradients/model-gradients.js'
export { modelParameters } from '../interpret/gradients/model-parameters.js'
export { jacobianProducts } from '../interpret/jacobian/jacobian.js'
export { fitLens } from '../interpret/lens/fit-lens.js'
export { mergeLenses } from '../interpret/lens/lens.js'
export { lensAttribution } from '../interpret/lens/lens-attribution.js'
export { readLens, saveLens } from '../interpret/lens/lens-file.js'
export { lensOf } from '../interpret/lens/lens-of.js'
export { lensHooks, readout, tokenDirections } from '../interpret/lens/lens-readout.js'
export { accumulatedResidual } from '../interpret/parts/accumulated-residual.js'
export { recordRun } from '../interpret/parts/recorded-run.js'
export { scoreAttribution } from '../interpret/parts/score-attribution.js'
export { ablate, patch } from '../interpret/patching/patch.js'
export { steering } from '../interpret/patching/steering.js'

/** @typedef {import('../interpret/gradients/model-gradients.js').ModelGradients} ModelGradients */
/** @typedef {import('../interpret/gradients/model-gradients.js').BackwardOptionsOfModel} BackwardOptionsOfModel */
/** @typedef {import('../interpret/parts/accumulated-residual.js').AccumulatedResidual} AccumulatedResidual */
/** @typedef {import('../interpret/gradients/objective.js').Objective} Objective */
/** @typedef {import('../interpret/jacobian/jacobian.js').JacobianOptions} JacobianOptions */
/** @typedef {import('../interpret/lens/lens.js').Lens} Lens */
/** @typedef {import('../interpret/lens/fit-lens.js').FitLensOptions} FitLensOptions */
/** @typedef {import('../interpret/lens/lens-attribution.js').LensAttribution} LensAttribution */
/** @typedef {import('../interpret/lens/lens-attribution.js').LensAttributionOptions} LensAttributionOptions */
/** @typedef {import('../interpret/lens/lens-of.js').LensState} LensState */
/** @typedef {import('../interpret/lens/lens-of.js').LensOfOptions} LensOfOptions */
/** @typedef {import('../interpret/lens/lens-readout.js').LensReadout} LensReadout */
/** @typedef {import('../interpret/lens/lens-readout.js').ReadoutOptions} ReadoutOptions */
/** @typedef {import('../interpret/lens/lens-readout.js').LensHookOptions} LensHookOptions */
/** @typedef {import('../interpret/patching/patch.js').PatchOptions} PatchOptions */
/** @typedef {import('../interpret/patching/patch.js').AblateOptions} AblateOptions */
/** @typedef {import('../interpret/patching/patch.js').PatchResult} PatchResult */
/** @typedef {import('../interpret/parts/recorded-run.js').RecordedRun} RecordedRun */
/** @typedef {import('../interpret/parts/score-attribution.js').ScoreAttribution} ScoreAttribution */
/** @typedef {import('../interpret/parts/score-attribution.js').ScoreAttributionOptions} ScoreAttributionOptions */
/** @typedef {import('../interpret/parts/score-attribution.js').Source} Source */
/** @typedef {import('../interpret/patching/steering.js').Steering} Steering */
/** @typedef {import('../interpret/patching/steering.js').SteeringOptions} SteeringOptions */
/** @typedef {import('../interpret/circuits/head-circuits.js').HeadCircuits} HeadCircuits */
/** @typedef {import('../interpret/edges/edges.js').Edges} Edges */
/** @typedef {import('../interpret/edges/edges.js').EdgesOptions} EdgesOptions */
/** @typedef {import('../interpret/edges/edges.js').EdgeOptions} EdgeOptions */
/** @typedef {import('../interpret/edges/edge-task.js').Writer} Writer */
/** @typedef {import('../interpret/edges/edge-task.js').Reader} Reader */
/** @typedef {import('../interpret/edges/position-edges.js').PositionEdges} PositionEdges */
/** @typedef {import('../interpret/edges/position-edges.js').PositionEdgesOptions} PositionEdgesOptions */
/** @typedef {import('../interpret/edges/position-edges.js').PositionEdgeOptions} PositionEdgeOptions */
/** @typedef {import('../interpret/edges/position-edges.js').PositionNode} PositionNode */
/** @typedef {import('../interpret/edges/position-edges.js').Reads} Reads */
/** @typedef {import('../interpret/edges/head-graph.js').HeadGraph} HeadGraph */
