// All texts of the elements: a file of its own, so that an element alone has its own texts alone.

import { commonTexts, headsTexts, linesTexts, traceTexts } from './element-texts.js'
import { flowTexts } from './flow-texts.js'

export const texts = { ...commonTexts, ...headsTexts, ...linesTexts, ...traceTexts, ...flowTexts }

/** @typedef {Partial<typeof texts>} Texts */
