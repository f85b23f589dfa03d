// The tests of the room "Models" share this module, which opens golden checkpoints in the page.

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @typedef {import('playwright-core').Page} Page */

/** The files of a golden checkpoint. @param {string} name */
export function filesOf(name) {
  const folder = fileURLToPath(new URL(`../goldens/models/${name}/`, import.meta.url))
  return readdirSync(folder)
    .filter(file => /json$|safetensors$/.test(file) && !/^expected/.test(file))
    .map(file => folder + file)
}

/** Waits until a model of a type is open and its first run is shown. @param {Page} page @param {string} type */
export const opened = (page, type) =>
  page.waitForFunction(
    type =>
      document.querySelector('#models-facts')?.textContent?.startsWith(type) &&
      document.querySelector('models-atlas canvas') &&
      document.querySelector('#models-top tr'),
    type,
  )

/** Opens a golden checkpoint. @param {Page} page @param {string} name @param {string} type */
export async function open(page, name, type) {
  await page.setInputFiles('#models-files', filesOf(name))
  await opened(page, type)
}

/** Selects a cell of the map of the open head, as its element reports it. @param {Page} page @param {number} row @param {number} column */
export const selectCell = (page, row, column) =>
  page
    .locator('#models-map')
    .evaluate((map, detail) => void map.dispatchEvent(new CustomEvent('cell-pin', { detail, bubbles: true })), {
      row,
      column,
    })

/** The weights of the map of the open head. @param {Page} page @returns {Promise<{ data: number[], dims: number[] }>} */
export const weightsOf = page =>
  page.locator('#models-map').evaluate(map => {
    const { data, dims } = /** @type {any} */ (map).matrix
    return { data: Array.from(data), dims: [...dims] }
  })

/** Waits until an element's text, white space in one, matches. @param {Page} page @param {string} selector @param {RegExp} pattern */
export const until = (page, selector, pattern) =>
  page.waitForFunction(
    ([selector, source]) =>
      new RegExp(source).test((document.querySelector(selector)?.textContent ?? '').replace(/\s+/g, ' ').trim()),
    [selector, pattern.source],
  )
