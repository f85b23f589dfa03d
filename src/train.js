// qkv/train: trains models inside the module's memory. The exports of this entry.

export { Adam, AdamW, clipGradNorm, SGD, schedule } from './train/optimizers.js'
export { parameters } from './train/parameters.js'
export { tape } from './train/tape.js'

/** @typedef {import('./train/parameters.js').Parameters} Parameters */
/** @typedef {import('./train/tape.js').Tape} Tape */
/** @typedef {import('./train/tape.js').TrainingStep} TrainingStep */
