// This module measures times of the room "Models" in the page, for its tests and for npm run bench:room.

/** @typedef {import('playwright-core').Page} Page */

/** A text of 40 tokens for the stories model; typing goes between two last words. */
export const STORY = [
  'Lily and Tom are friends . Lily goes to the park . Tom has a red ball .',
  'Lily has a blue hat . Where is Lily ? In the park . Is she Lily ? Tom takes',
].join(' ')
export const LAST = ['his', 'her']

/**
 * Measures milliseconds to the frame that shows all heads, the answer and the tokens of a new text: from a key in the text
 * field, and from the worker's answer (with noteAnswers).
 * @param {Page} page
 * @param {string} text that differs from the one that is shown
 */
export const timesOf = (page, text) =>
  page.evaluate(async text => {
    const main = /** @type {HTMLElement} */ (document.querySelector('main.models'))
    const atlas = () => /** @type {any} */ (document.querySelector('models-atlas'))
    const field = /** @type {HTMLTextAreaElement} */ (document.querySelector('#models-text'))
    const { answers } = main.dataset
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    await frame()
    const start = performance.now()
    field.value = text
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    while (main.dataset.answers === answers) await frame()
    await atlas().updateComplete
    // A message is handled after the frame in which the answer is painted.
    await frame()
    await new Promise(resolve => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(0)
    })
    const end = performance.now()
    const { layers, heads, rows } = atlas().maps
    const answer = end - /** @type {any} */ (globalThis).answeredAt
    return { key: end - start, answer, tokens: rows, heads: layers * heads }
  }, text)

/**
 * Notes when the worker's answer arrives. It has to be called before the page is opened.
 * @param {import('playwright-core').BrowserContext | Page} context
 */
export const noteAnswers = context =>
  context.addInitScript(() => {
    const own = globalThis.Worker
    globalThis.Worker = class extends own {
      /** @param {string | URL} url @param {WorkerOptions} [options] */
      constructor(url, options) {
        super(url, options)
        this.addEventListener('message', ({ data }) => {
          if (data?.type === 'value' && data.value?.maps) /** @type {any} */ (globalThis).answeredAt = performance.now()
        })
      }
    }
  })
