// qkv/train: trains models inside the module's memory. The exports of this entry.

export { LayerNorm, RMSNorm } from '../layers/norm.js'
export { init } from '../train/init.js'
export { module } from '../train/module.js'
export { Adam, AdamW, clipGradNorm, SGD, schedule } from '../train/optimizers.js'
export { parameters } from '../train/parameters.js'
export { getRngState, randperm, setRngState } from '../train/rng-state.js'
export { tape } from '../train/tape.js'

/** @typedef {import('../train/parameters.js').Parameters} Parameters */
/** @typedef {import('../train/optimizers.js').ParamGroup} ParamGroup */
/** @typedef {import('../train/tape.js').Tape} Tape */
/** @typedef {import('../train/tape.js').TrainingStep} TrainingStep */
