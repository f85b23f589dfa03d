// A session in a worker of its own.

import { Tokenizer } from '@huggingface/tokenizers'
import { load } from 'qkv'
import { createSession } from './session.js'

const session = load().then(qkv => createSession(qkv, Tokenizer, report => postMessage(report)))
/** @param {MessageEvent<import('./session.js').Request>} event */
self.onmessage = async ({ data }) => (await session).ask(data)
