// The texts of all elements. They are in a separate file, so that an element used alone loads only its own texts.

import { deepMapTexts } from './deep-map-texts.js'
import { commonTexts, headsTexts, traceTexts } from './element-texts.js'
import { flowTexts } from './flow-texts.js'

export const texts = { ...commonTexts, ...headsTexts, ...traceTexts, ...flowTexts, ...deepMapTexts }

/** @typedef {Partial<typeof texts>} Texts */
