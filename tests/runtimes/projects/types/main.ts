import { type LoadOptions, load } from 'qkv'
import { patch } from 'qkv/interpret'
import { loadModel } from 'qkv/models'
import { kvCache, multiheadAttention, packLinear } from 'qkv/nn'
import { stories } from 'qkv/stories'
import { AdamW } from 'qkv/train'

const options: LoadOptions = { threads: 'auto' }
const model = await loadModel(await load(options), stories)

export { AdamW, kvCache, model, multiheadAttention, packLinear, patch }
