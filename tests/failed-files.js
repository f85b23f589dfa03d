// A reporter of node's test runner: the files in which a test failed, a line each.

/** @param {AsyncIterable<{ type: string, data: { file?: string } }>} events */
export default async function* failedFiles(events) {
  const files = new Set()
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || !data.file || files.has(data.file)) continue
    files.add(data.file)
    yield `${data.file}\n`
  }
}
