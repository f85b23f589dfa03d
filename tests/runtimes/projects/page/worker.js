// Import maps do not reach workers: the path it is.
import { load } from '/node_modules/qkv/dist/index.js'
import { results } from '../results.js'

postMessage(results(await load()))
