// qkv/models: runs checkpoints in Hugging Face's layout on the kernels of qkv. The exports of this entry.

export { headScores } from '../models/head-scores.js'
export {
  deleteKeptModel,
  inspectModel,
  keptModels,
  loadModel,
  readSafetensors,
  saveModel,
} from '../models/load-model.js'
export { writeSafetensors } from '../models/write-safetensors.js'

/** @typedef {import('../models/model.js').Model} Model */
/** @typedef {import('../models/model.js').ModelCache} ModelCache */
/** @typedef {import('../models/model.js').ModelInput} ModelInput */
/** @typedef {import('../models/model.js').ModelOptions} ModelOptions */
/** @typedef {import('../models/model.js').ModelOutput} ModelOutput */
/** @typedef {import('../models/model.js').GenerateOptions} GenerateOptions */
/** @typedef {import('../models/model.js').GenerateStep} GenerateStep */
/** @typedef {import('../models/inputs.js').Keep} Keep */
/** @typedef {import('../models/model-hooks.js').Hook} Hook */
/** @typedef {import('../models/model-hooks.js').Place} Place */
/** @typedef {import('../models/model.js').Hooks} Hooks */
/** @typedef {import('../models/read-weights.js').HeadWeights} HeadWeights */
/** @typedef {import('../models/attribution.js').LogitAttribution} LogitAttribution */
/** @typedef {import('../models/embed.js').Similarity} Similarity */
/** @typedef {import('../models/attention-summaries.js').AttentionSummary} AttentionSummary */
/** @typedef {import('../models/attention-summaries.js').ModelSummaryOptions} ModelSummaryOptions */
/** @typedef {import('../models/attention-summaries.js').SummaryWindow} SummaryWindow */
/** @typedef {import('../models/head-scores.js').HeadScores} HeadScores */
/** @typedef {import('../models/source.js').CheckpointSource} CheckpointSource */
/** @typedef {import('../models/source.js').HubFacts} HubFacts */
/** @typedef {import('../models/load-model.js').LoadModelOptions} LoadModelOptions */
/** @typedef {import('../models/hub/kept-models.js').KeptModel} KeptModel */
/** @typedef {import('../models/hub/hub-folder.js').HubProgress} HubProgress */
