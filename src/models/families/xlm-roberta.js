// XLM-RoBERTa and CamemBERT: RoBERTa with other defaults.

import { DEFAULTS as ROBERTA } from './roberta.js'

export { describe } from './roberta.js'

export const DEFAULTS = { ...ROBERTA, vocab_size: 30522 }
