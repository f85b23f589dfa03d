import { load } from 'qkv'
import { kvCache, packLinear } from 'qkv/nn'
import { relaxed } from '../relaxed.js'

console.log(JSON.stringify(await relaxed(load, packLinear, kvCache)))
