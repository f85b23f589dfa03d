// Import maps do not apply to workers, so import by path.
import { load } from '/node_modules/qkv/dist/index.js'
import { results } from '../results.js'

postMessage(results(await load()))
