import { load } from 'qkv'
import { kvCache } from 'qkv/cache'
import { packLinear } from 'qkv/nn'
import { relaxed } from '../relaxed.js'

console.log(JSON.stringify(await relaxed(load, packLinear, kvCache)))
