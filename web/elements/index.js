// Exports the views as custom elements. They take tensors and tokens as properties, fire events, and do not depend on the page.

export { texts } from './all-texts.js'
export { QkvDeepMap } from './deep-map.js'
export { QkvExercise } from './exercise.js'
export { QkvFlow } from './flow.js'
export { QkvHeads } from './heads.js'
export { heatmapSVG, QkvHeatmap } from './heatmap.js'
export { headStatistics } from './statistics.js'
export { QkvTrace } from './trace.js'

/** @typedef {import('./tensor-input.js').TensorLike} TensorLike */
/** @typedef {import('./all-texts.js').Texts} Texts */
/** @typedef {import('./statistics.js').HeadStatistics} HeadStatistics */
/** @typedef {import('./heatmap.js').HeatmapEvents} HeatmapEvents */
/** @typedef {import('./deep-map.js').DeepMapEvents} DeepMapEvents */
/** @typedef {import('./heads.js').HeadsEvents} HeadsEvents */
/** @typedef {import('./trace.js').TraceEvents} TraceEvents */
/** @typedef {import('./flow.js').FlowEvents} FlowEvents */
/** @typedef {import('./exercise.js').ExerciseEvents} ExerciseEvents */
/** @typedef {import('./exercise.js').ExerciseState} ExerciseState */
