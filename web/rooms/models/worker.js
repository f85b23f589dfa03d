// A session in a worker of its own, with threads where the page may share memory with them.

import { Tokenizer } from '@huggingface/tokenizers'
import { load } from 'qkv'
import { createSession } from './session.js'

const session = load({ threads: 'auto' })
  .catch(() => load()) // threads that do not start are no reason to show nothing
  .then(qkv => createSession(qkv, Tokenizer, report => postMessage(report)))
session.catch(reportError) // the page hears of it
/** @param {MessageEvent<import('./session.js').Request>} event */
self.onmessage = async ({ data }) => (await session).ask(data)
