// node memory.js FOLDER DTYPE: loads a model and prints two numbers, in MiB. peak: the growth of this process's peak memory (Linux only);
// weights: the resident memory in the module.

import { readFileSync } from 'node:fs'
import { load } from '../../../src/entries/index.js'
import { loadModel } from '../../../src/entries/models.js'

const most = () => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
const [folder, dtype] = process.argv.slice(2)
const qkv = await load()
const before = most()
await loadModel(qkv, folder, { dtype: /** @type {'int8'} */ (dtype), tokenizer: false })
console.log(JSON.stringify({ peak: Math.round(most() - before), weights: Math.round(qkv.memory.resident / 2 ** 20) }))
