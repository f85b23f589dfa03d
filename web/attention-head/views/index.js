// The pictures of a head, in the order of their tabs. Each picture has a file here, an entry in this list, and a text `view.NAME`.

import { headDifference } from './head-difference.js'
import { headFlow } from './head-flow.js'
import { headLines } from './head-lines.js'
import { headMap } from './head-map.js'
import { headNumbers } from './head-numbers.js'
import { headPlane } from './head-plane.js'

/** @type {readonly import('../head.js').HeadPicture[]} */
export const VIEWS = [headFlow, headMap, headLines, headPlane, headDifference, headNumbers]

export const VIEW_NAMES = VIEWS.map(({ name }) => name)
