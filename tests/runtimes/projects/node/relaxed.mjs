import { load } from 'qkv'
import { relaxed } from '../relaxed.js'

console.log(JSON.stringify(await relaxed(load)))
