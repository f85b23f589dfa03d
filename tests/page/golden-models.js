// Opens golden checkpoints in the page, for the tests of the room "Models".

import { load } from 'qkv'
import { makeWeights, writeFolder } from '../bench/gpt2/checkpoint.js'
import { filesOf } from './golden-files.js'
import { page } from './open.js'

/** Waits until a model of a type is open and its first run is shown. @param {string} type @param {import('playwright-core').Page} [tab] */
export const opened = (type, tab = page) =>
  tab.waitForFunction(
    type =>
      document.querySelector('#models-facts')?.textContent?.startsWith(type) &&
      document.querySelector('models-atlas canvas') &&
      document.querySelector('#models-top tr'),
    type,
  )

/** Opens a golden checkpoint. @param {string} name @param {string} type */
export async function open(name, type) {
  await page.setInputFiles('#models-files', filesOf(name))
  await opened(type)
}

/** Types a text and waits for the run on it. Until then the list of heads may change its order under a click. @param {string} text */
export async function typeText(text) {
  await page.fill('#models-text', text)
  await page.locator('#stage[data-slot="here"][aria-busy="false"]').waitFor()
}

/** Opens a GPT-2 with random weights. @param {Parameters<typeof makeWeights>[1]} sizes */
export async function openMade(sizes) {
  const folder = writeFolder(makeWeights((await load()).generator(1), sizes))
  try {
    await page.setInputFiles('#models-files', [`${folder.path}/config.json`, `${folder.path}/model.safetensors`])
    await opened('gpt2')
  } finally {
    folder.dispose()
  }
}

/** Selects a cell of the open head: dispatches the event that a click on the map would. @param {number} row @param {number} column */
export const selectCell = (row, column) =>
  page
    .locator('#models-map')
    .evaluate((map, detail) => void map.dispatchEvent(new CustomEvent('cell-pin', { detail, bubbles: true })), {
      row,
      column,
    })

/** Reads the weights of the map of the open head. @returns {Promise<{ data: number[], dims: number[] }>} */
export const weightsOf = () =>
  page.locator('#models-map').evaluate(map => {
    const { data, dims } = /** @type {any} */ (map).matrix
    return { data: Array.from(data), dims: [...dims] }
  })
