// Every task of the room, in the order of its list.

import { induction } from './induction.js'
import { reverse } from './reverse.js'
import { sort } from './sort.js'
import { text } from './text.js'
import { translation } from './translation.js'

/** @type {Record<string, import('./task.js').Task>} */
export const TASKS = { induction, translation, sort, reverse, text }
