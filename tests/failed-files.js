// A reporter of node's test runner: the files in which a test failed, a line each. next-files.js names the tests of a file by it.

/** @param {AsyncIterable<{ type: string, data: { name?: string, nesting?: number } }>} events */
export default async function* failedFiles(events) {
  for await (const { type, data } of events)
    if (type === 'test:fail' && data.nesting === 1) yield `tests/${data.name}\n`
}
