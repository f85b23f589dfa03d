// Runs the session in a worker, with threads if the page is cross-origin isolated.

import { load } from 'qkv'
import { serveWorker } from '../../shell/port.js'
import { handlers } from './session.js'

/** Loads the core. Thread code is loaded only if memory can be shared; if threads fail to start, the core runs without them. */
const core = () => (crossOriginIsolated ? load({ threads: 'auto' }).catch(() => load()) : load())
serveWorker(() => core().then(qkv => handlers(qkv)))
