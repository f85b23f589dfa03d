// qkv/models: runs checkpoints in Hugging Face's layout on the kernels of qkv. The exports of this entry.

export {
  deleteKeptModel,
  inspectModel,
  keptModels,
  loadModel,
  readSafetensors,
  saveModel,
} from '../models/load-model.js'
export { headScores } from '../models/run/head-scores.js'
export { writeSafetensors } from '../models/weights/write-safetensors.js'

/** @typedef {import('../models/model.js').Model} Model */
/** @typedef {import('../models/run/model-cache.js').ModelCache} ModelCache */
/** @typedef {import('../models/model.js').ModelInput} ModelInput */
/** @typedef {import('../models/model.js').ModelOptions} ModelOptions */
/** @typedef {import('../models/model.js').ModelOutput} ModelOutput */
/** @typedef {import('../models/model.js').GenerateOptions} GenerateOptions */
/** @typedef {import('../models/model.js').GenerateStep} GenerateStep */
/** @typedef {import('../models/run/inputs.js').Keep} Keep */
/** @typedef {import('../models/run/model-hooks.js').Hook} Hook */
/** @typedef {import('../models/run/model-hooks.js').Place} Place */
/** @typedef {import('../models/model.js').Hooks} Hooks */
/** @typedef {import('../models/weights/read-weights.js').HeadWeights} HeadWeights */
/** @typedef {import('../models/attribution/attribution.js').LogitAttribution} LogitAttribution */
/** @typedef {import('../models/sentences/embed.js').Similarity} Similarity */
/** @typedef {import('../models/run/attention-summaries.js').AttentionSummary} AttentionSummary */
/** @typedef {import('../models/run/attention-summaries.js').ModelSummaryOptions} ModelSummaryOptions */
/** @typedef {import('../models/run/attention-summaries.js').SummaryWindow} SummaryWindow */
/** @typedef {import('../models/run/head-scores.js').HeadScores} HeadScores */
/** @typedef {import('../models/source/source.js').CheckpointSource} CheckpointSource */
/** @typedef {import('../models/source/source.js').HubFacts} HubFacts */
/** @typedef {import('../models/load-model.js').LoadModelOptions} LoadModelOptions */
/** @typedef {import('../models/hub/kept-models.js').KeptModel} KeptModel */
/** @typedef {import('../models/hub/hub-folder.js').HubProgress} HubProgress */
/** @typedef {import('../models/hub/hub-error.js').HubError} HubError */
/** @typedef {import('../models/source/wrong-source.js').SourceCode} SourceCode */
/**
 * An error of loadModel with a code. It is a HubError, or the code tells what is wrong with the source, or that a package is missing.
 * @typedef {HubError | (Error & { code: SourceCode | 'NO_PACKAGE' })} LoadError
 */
