// The piscina worker that runs parts.

import { runPart } from './run-part.js'

/** @param {import('./run-part.js').CorpusPart} part */
export default part => runPart(part)
