// Tests that the list of heads, ranked by copying, names the head that copies, or else a shipped model that has such a head. Measures the scores of
// the shipped models.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { unpacked } from '../../web/files/packed-weights.js'
import { overview } from '../../web/rooms/models/atlas/overview.js'
import { EXAMPLE, TELLING } from '../../web/rooms/models/open-head/kind.js'
import { shownOf } from '../../web/rooms/models/shown.js'
import { start } from './models-store.js'
import { having, keyOf } from './template.js'

/** Opens a model that ships with the page, with its first text. @param {string} name */
async function shipped(name) {
  const path = fileURLToPath(new URL(`../../web/trained/${name}/`, import.meta.url))
  const own = start()
  const files = readdirSync(path).filter(file => /json|safetensors/.test(file))
  own.act.bring(
    files.map(file => {
      const data = new Uint8Array(readFileSync(path + file))
      return file === 'packed.safetensors'
        ? new File([/** @type {any} */ (unpacked(data.buffer))], 'model.safetensors')
        : new File([data], file)
    }),
  )
  await own.settled()
  assert.ok(own.shown().run, JSON.stringify(own.store.state.got.open))
  return own
}

/** Reads the sentence about copying heads of other models. @param {Awaited<ReturnType<typeof shipped>>} own */
function said({ store, act }, id = 'models-elsewhere') {
  const t = /** @type {any} */ (Object.assign(keyOf, { elements: {} }))
  const { state } = store
  const room = { ...state, ...shownOf(state), t, act, isDark: false }
  return having(overview(/** @type {any} */ (room)), 'id', id)
}

test('the named head of Stories copies, and ranks first; beside its score is the weight over the test texts', async () => {
  const own = await shipped(EXAMPLE.model)
  const { run, maps } = own.shown()
  const scores = /** @type {Float32Array} */ (run?.scores['']?.further)
  const [layer, head] = EXAMPLE.head.split('.').map(Number)
  const at = (layer - 1) * /** @type {any} */ (maps).numHeads + head - 1
  assert.ok(scores[at] >= TELLING)
  assert.equal(Math.max(...scores), scores[at])
  own.act.show({ rankBy: 'further' })
  assert.equal(said(own).length, 0)
  assert.match(said(own, 'models-copier')[0].text, /modelsCopies\b.*3\.1.*97\.5%.*256.*0\.500/)
  own.store.close()
})

test('ranked by induction, the head of Stories that looks one place further is at 0, and its note leads to the score that finds it', async () => {
  const own = await shipped(EXAMPLE.model)
  own.act.show({ rankBy: 'induction' })
  const [note] = said(own, 'models-copier')
  assert.match(note.text, /modelsCopiesFurther\b.*3\.1.*97\.5%.*256.*0\.000/)
  const [button] = said(own, 'models-further')
  button.listeners.click({})
  assert.equal(own.store.state.view.rankBy, 'further')
  assert.equal(said(own, 'models-further').length, 0)
  own.store.close()
})

test('for Ledger the list does not state that no head copies: head 3.1 copies repeated names', async () => {
  const own = await shipped('ledger')
  own.act.show({ rankBy: 'induction' })
  assert.equal(said(own).length, 0)
  assert.match(said(own, 'models-copier')[0].text, /modelsCopies\b.*3\.1.*98\.7%/)
  own.store.close()
})

test('the English model has no such head: ranked by induction, the list leads to the one that has', async () => {
  const own = await shipped('english')
  assert.equal(said(own).length, 0)
  own.act.show({ rankBy: 'induction' })
  const [note] = said(own)
  assert.match(note.text, /modelsNeverCopies.*0\.09.*200.*modelsCopiesThere.*3\.1/)
  own.store.close()
})
