// Implements for a page what the tests use of Node. Import maps point node:test, node:assert/strict and node:fs here, so that the same test files
// run in Node and in a page.

/** @typedef {{ title: string, error?: string }} Result */

/** @type {Promise<Result>[]} */
const results = []
let last = /** @type {Promise<unknown>} */ (Promise.resolve())

/**
 * Runs tests one after the other.
 * @param {string} title
 * @param {(context: { diagnostic: (text: string) => void }) => unknown} run
 */
export function test(title, run) {
  const result = last
    .then(() => run({ diagnostic: () => {} }))
    .then(
      () => ({ title }),
      error => ({ title, error: String(error?.stack ?? error) }),
    )
  last = result
  results.push(result)
  return result
}

/** @type {(() => unknown)[]} */
const endings = []
export const after = (/** @type {() => unknown} */ run) => endings.push(run)

/** Resolves to all results when every declared test has run. */
export async function finish() {
  for (const run of endings) test('after all', run)
  return Promise.all(results)
}

/** Reads a text file, or the bytes of a safetensors file. @param {URL | string} url */
export function readFileSync(url) {
  const isBinary = String(url).endsWith('.safetensors')
  const request = new XMLHttpRequest()
  request.open('GET', url, false)
  // A synchronous request in a page cannot return an array buffer. In this encoding each byte of the file becomes one character.
  if (isBinary) request.overrideMimeType('text/plain; charset=x-user-defined')
  request.send()
  if (request.status !== 200) throw new Error(`${url} answers ${request.status}`)
  const { responseText } = request
  return isBinary ? Uint8Array.from(responseText, letter => letter.charCodeAt(0) & 255) : responseText
}

/** @param {any} a @param {any} b @returns {boolean} */
function isSame(a, b) {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (a instanceof Map || a instanceof Set) return isSame([...a], [...b])
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => Object.hasOwn(b, key) && isSame(a[key], b[key]))
}

const show = (/** @type {unknown} */ value) => {
  const text = JSON.stringify(value, (_, x) => (typeof x === 'bigint' ? `${x}n` : x)) ?? String(value)
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}

/** @param {unknown} isTrue @param {unknown} message @param {string} otherwise */
function assert(isTrue, message, otherwise) {
  if (!isTrue) throw message instanceof Error ? message : new Error([message, otherwise].filter(Boolean).join(': '))
}

/** The part of node:assert/strict that the tests use. */
export default Object.assign(
  (/** @type {unknown} */ x, /** @type {unknown} */ message) => assert(x, message, 'not true'),
  {
    ok: (/** @type {unknown} */ x, /** @type {unknown} */ message) => assert(x, message, `${show(x)} is not true`),
    equal: (/** @type {unknown} */ a, /** @type {unknown} */ b, /** @type {unknown} */ message) =>
      assert(Object.is(a, b), message, `${show(a)} is not ${show(b)}`),
    notEqual: (/** @type {unknown} */ a, /** @type {unknown} */ b, /** @type {unknown} */ message) =>
      assert(!Object.is(a, b), message, `both are ${show(a)}`),
    deepEqual: (/** @type {unknown} */ a, /** @type {unknown} */ b, /** @type {unknown} */ message) =>
      assert(isSame(a, b), message, `${show(a)} is not ${show(b)}`),
    notDeepEqual: (/** @type {unknown} */ a, /** @type {unknown} */ b, /** @type {unknown} */ message) =>
      assert(!isSame(a, b), message, `both are ${show(a)}`),
    match: (/** @type {string} */ text, /** @type {RegExp} */ pattern, /** @type {unknown} */ message) =>
      assert(pattern.test(text), message, `${show(text)} does not match ${pattern}`),
    fail: (/** @type {unknown} */ message) => assert(false, message, 'failed'),
    throws: (/** @type {() => unknown} */ run, /** @type {any} */ wanted) => {
      let error
      try {
        run()
      } catch (thrown) {
        error = /** @type {any} */ (thrown)
      }
      assert(error, undefined, 'nothing was thrown')
      if (wanted instanceof RegExp) assert(wanted.test(String(error)), undefined, `${error} does not match ${wanted}`)
      else if (typeof wanted === 'function' && !wanted.prototype)
        assert(wanted(error), undefined, `${error} is another error`)
      else if (typeof wanted === 'function') assert(error instanceof wanted, undefined, `${error} is no ${wanted.name}`)
      else
        for (const [key, value] of Object.entries(wanted ?? {}))
          assert(
            value instanceof RegExp ? value.test(error[key]) : isSame(error[key], value),
            undefined,
            `${key} of ${error} is not ${value}`,
          )
    },
  },
)
