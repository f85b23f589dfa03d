// The session in a worker of its own, with threads where the page may share memory with them.

import { Tokenizer } from '@huggingface/tokenizers'
import { load } from 'qkv'
import { serveWorker } from '../../shell/port.js'
import { handlers } from './session.js'

// Threads that do not start are no reason to show nothing.
serveWorker(
  load({ threads: 'auto' })
    .catch(() => load())
    .then(qkv => handlers(qkv, Tokenizer)),
)
