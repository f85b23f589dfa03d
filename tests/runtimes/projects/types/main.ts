import { type LoadOptions, load } from 'qkv'
import { kvCache } from 'qkv/cache'
import { patch } from 'qkv/interpret'
import { multiheadAttention } from 'qkv/layers'
import { loadModel } from 'qkv/models'
import { packLinear } from 'qkv/nn'
import { stories } from 'qkv/stories'
import { AdamW } from 'qkv/train'

const options: LoadOptions = { threads: 'auto' }
const model = await loadModel(await load(options), stories)

export { AdamW, kvCache, model, multiheadAttention, packLinear, patch }
