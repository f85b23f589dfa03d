// Loads the source texts that exported programs contain: bundled with the page, or in Node read from the files.

import batch from '../tasks/batch.js?raw'
import transformer from '../transformer.js?raw'
import { nodeProgram } from './node.js'
import { pytorchProgram } from './pytorch.js'

const tasks = import.meta.glob('../tasks/*.js', { query: '?raw', import: 'default' })

/**
 * Writes the program of a run.
 * @param {'pytorch' | 'qkv'} language
 * @param {string} task
 * @param {import('../tasks/task.js').LearnSettings} settings
 * @param {string} text for a task that learns a text
 */
export async function programOf(language, task, settings, text) {
  if (language === 'pytorch') return pytorchProgram(task, settings, text)
  const source = String(await tasks[`../tasks/${task}.js`]())
  return nodeProgram(task, settings, [batch, source, transformer], text)
}
