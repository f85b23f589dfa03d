// Reads the command-line options of npm run bench and npm run bench:browser.

import { parseArgs } from 'node:util'

const FLAGS = /** @type {const} */ ({
  shape: { type: 'string', default: '' },
  quick: { type: 'boolean', default: false },
  threads: { type: 'string', default: '1' },
  growth: { type: 'boolean', default: false },
  linear: { type: 'boolean', default: false },
  sizes: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  table: { type: 'boolean', default: false },
  schedule: { type: 'boolean', default: false },
  cpu: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
})

/** @typedef {ReturnType<typeof parse>} Options */

export function parse() {
  const { values } = parseArgs({ options: FLAGS })
  const threads = Number(values.threads)
  if (!Number.isInteger(threads) || threads < 1)
    throw new RangeError(`--threads ${values.threads}: a whole number from 1 on expected`)
  return { ...values, threads }
}

/** Runs `main`, and reports a wrong option in one line. @param {() => Promise<unknown>} main */
export const report = main =>
  main().catch(error => {
    const isMisuse = error instanceof RangeError || error.code?.startsWith('ERR_PARSE_ARGS')
    console.error(isMisuse ? `bench: ${error.message}` : error)
    process.exitCode = 1
  })
