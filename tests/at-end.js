// Closes resources that the test files of one process share, such as a browser, after the last of them.

import { after } from 'node:test'

/** @type {(() => unknown)[]} */
const ends = []
after(() => Promise.all(ends.map(async end => end())))

/** Calls a function after the last test file of this process. @param {() => unknown} end */
export const atEnd = end => void ends.push(end)
