// Runs the session of the front door in a worker.

import { load } from 'qkv'
import { serveWorker } from '../../shell/port.js'
import { handlers } from './session.js'

serveWorker(() => load().then(handlers))
