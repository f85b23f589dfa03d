// The session in a worker of its own, with threads where the page may share memory with them.

import { load } from 'qkv'
import { serveWorker } from '../../shell/port.js'
import { handlers } from './session.js'

/** Where no memory can be shared, what starts threads is not loaded; threads that do not start are no reason to show nothing. */
const core = () => (crossOriginIsolated ? load({ threads: 'auto' }).catch(() => load()) : load())
serveWorker(() => core().then(qkv => handlers(qkv)))
