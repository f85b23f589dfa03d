// A module worker that loads the core from src/ and posts the weights of one attention.
import { load } from '../../src/entries/index.js'

const qkv = await load()
const { weights } = qkv.trace([[1], [2]], [[0], [1]], [[3], [4]], { causal: true })
postMessage(String(weights))
