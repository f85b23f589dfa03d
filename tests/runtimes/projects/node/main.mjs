import { load } from 'qkv'
import { results } from '../results.js'

console.log(JSON.stringify(results(await load())))
