import { load } from 'qkv'
import { results } from '../results.js'

load().then(qkv => postMessage(results(qkv)))
