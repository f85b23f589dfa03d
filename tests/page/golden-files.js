// Finds the files of the golden checkpoints.

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Lists the files of a golden checkpoint. @param {string} name */
export function filesOf(name) {
  const folder = fileURLToPath(new URL(`../goldens/models/${name}/`, import.meta.url))
  return readdirSync(folder)
    .filter(file => /json$|safetensors$/.test(file) && !/^expected/.test(file))
    .map(file => folder + file)
}
