// Tests that folders dropped on the page open as with loadModel, or are refused with the same message.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { inputOf } from '../../web/rooms/models/run/model-run.js'
import { handlers } from '../../web/rooms/models/session.js'
import { folders, goldens } from '../models/checkpoints.js'

const qkv = await load()
const page = handlers(qkv)
const TEXTS = ['the cat sat', ' a  dog\n', 'Ünï 的 🙂 x']

/** Reads each file of a golden folder. @param {string} name @returns {Record<string, Uint8Array<ArrayBuffer>>} */
const bytesOf = name =>
  Object.fromEntries(
    readdirSync(`${goldens}/${name}`, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/^(expected|gradients|patching)/.test(entry.name))
      .map(({ name: file, parentPath }) => [
        `${parentPath}/${file}`.slice(`${goldens}/${name}/`.length),
        new Uint8Array(readFileSync(`${parentPath}/${file}`)),
      ]),
  )

/** Makes the entries by which a browser describes a folder. @param {Record<string, Uint8Array<ArrayBuffer>>} files */
const dropped = files =>
  Object.entries(files).map(([name, bytes]) => {
    const file = new File([bytes], name.split('/').at(-1) ?? '')
    Object.defineProperty(file, 'webkitRelativePath', { value: `folder/${name}` })
    return file
  })

/** Makes the context that a handler receives with a request. @returns {any} */
const run = () => ({ signal: new AbortController().signal, progress() {}, emit() {}, transfer() {} })

/** @param {Record<string, Uint8Array<ArrayBuffer>>} files */
function openInPage(files) {
  const request = { source: dropped(files), name: 'folder', known: [], most: 2 ** 31, token: '' }
  return Promise.resolve(page.open(/** @type {any} */ (request), run()))
}

/** Returns the message with which a folder is refused. @param {Promise<unknown>} opening */
const refusalOf = opening =>
  opening.then(
    () => assert.fail('it opens'),
    error => String(error.message),
  )

/** Opens a folder by loadModel and in the page, and compares the two models. @param {Record<string, Uint8Array<ArrayBuffer>>} files @param {string} where */
async function compare(files, where) {
  const model = await loadModel(qkv, files)
  const { hasHead, hasTokenizer, type, ends, id } = await openInPage(files)
  assert.deepEqual([type, hasHead, ends], [model.type, model.hasHead, await model.endIds()], where)
  const isBoth = model.stacks.encoder && model.stacks.decoder // a text is translated before such a model runs on it
  for (const text of hasTokenizer && !isBoth ? TEXTS : []) {
    const { ids } = model.tokenize(text)
    const read = await inputOf(model, { text })
    assert.deepEqual(read.ids, ids, where)
    const request = { model: id, input: { text }, row: 0, changes: [] }
    const { tokens } = await page.run(/** @type {any} */ (request), run())
    assert.equal(tokens.length, ids.length, `${where}: ${text}`)
  }
  model.dispose()
}

test('the page opens each golden folder, and reads the ids that the library reads', async () => {
  for (const name of folders) await compare(bytesOf(name), name)
})

const json = (/** @type {unknown} */ value) => new TextEncoder().encode(JSON.stringify(value))

test('the other files of a folder are followed in the page, too', async () => {
  const llama = bytesOf('llama-tiny-sharded')
  const bert = bytesOf('bert-tiny')
  for (const [files, more] of /** @type {[Record<string, Uint8Array<ArrayBuffer>>, Record<string, unknown>][]} */ ([
    [
      llama,
      {
        'tokenizer_config.json': {
          add_bos_token: true,
          add_eos_token: true,
          bos_token: '<|begin_of_text|>',
          eos_token: '<|end_of_text|>',
        },
      },
    ],
    [llama, { 'generation_config.json': { eos_token_id: [3, 7, 9999] } }],
    [llama, { 'special_tokens_map.json': { additional_special_tokens: ['<x>'] }, 'added_tokens.json': { '<y>': 398 } }],
    [bert, { 'tokenizer_config.json': { do_lower_case: false, tokenizer_class: 'BertTokenizer' } }],
  ]))
    await compare(
      { ...files, ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, json(value)])) },
      JSON.stringify(more),
    )
})

test('folders are refused with the same message', async () => {
  const bert = bytesOf('bert-tiny')
  for (const more of /** @type {Record<string, Uint8Array<ArrayBuffer>>[]} */ ([
    { 'tokenizer_config.json': json({ tokenizer_class: 'BertJapaneseTokenizer', word_tokenizer_type: 'mecab' }) },
    { 'config.json': json({ model_type: 'rwkv' }) },
    { 'tokenizer.json': json({ model: { type: 'BPE', vocab: { a: 0 }, merges: [], dropout: 0.5 } }) },
    { 'config.json': json({ ...JSON.parse(new TextDecoder().decode(bert['config.json'])), attention_scale: 3 }) },
  ])) {
    const files = { ...bert, ...more }
    assert.equal(await refusalOf(openInPage(files)), await refusalOf(loadModel(qkv, files)))
  }
})
