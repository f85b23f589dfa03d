// All texts of the elements: a file of its own, so that an element alone has its own texts alone.

import { deepMapTexts } from './deep-map-texts.js'
import { commonTexts, headsTexts, traceTexts } from './element-texts.js'
import { flowTexts } from './flow-texts.js'

export const texts = { ...commonTexts, ...headsTexts, ...traceTexts, ...flowTexts, ...deepMapTexts }

/** @typedef {Partial<typeof texts>} Texts */
