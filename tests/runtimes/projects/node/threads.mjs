import { load } from 'qkv'
import { results } from '../results.js'

const qkv = await load({ threads: 2 })
console.log(JSON.stringify({ ...results(qkv), threads: qkv.threads }))
