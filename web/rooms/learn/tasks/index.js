// All tasks of the room, in the order of its list.

import { Trouble } from '../../../files/trouble.js'
import { induction } from './induction.js'
import { reverse } from './reverse.js'
import { sort } from './sort.js'
import { text } from './text.js'
import { translation } from './translation.js'

/** @type {Record<string, import('./task.js').Task>} */
export const TASKS = { induction, translation, sort, reverse, text }

export const TASK_NAMES = /** @type {import('./task.js').TaskName[]} */ (Object.keys(TASKS))

/**
 * Returns the sizes of a task's data.
 * @param {import('./task.js').Task} task
 * @param {import('./task.js').LearnSettings} settings
 * @param {string} [text]
 * @throws {Trouble} if the task cannot learn the text
 */
export function shapeOf(task, settings, text) {
  const problem = task.refuses?.(settings, text)
  if (problem) throw new Trouble(problem.key, problem.params)
  return task.shape(settings, text)
}
