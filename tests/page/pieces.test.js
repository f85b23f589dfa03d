// Tests, without a browser, what the page shows of words that a model reads in pieces or byte by byte, and how it completes words that the model
// begins.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { readChanges } from '../../web/attention-head/changes.js'
import { tokenText } from '../../web/rooms/models/run/read-text.js'
import { marksOf, piecesOf } from '../../web/rooms/models/sentence/pieces.js'
import { endingOf } from '../../web/rooms/models/shown.js'
import { files } from './english-model.js'
import { start } from './models-store.js'

const qkv = await load()
const model = await loadModel(qkv, files())
after(() => model.dispose())

/** Returns the tokens of a text as the page prints them. @param {string} text */
function readAs(text) {
  const { ids, tokens: raw } = model.tokenize(text)
  return ids.map((id, i) => tokenText(model, id, raw[i]))
}

/** @param {string} text */
const partsOf = text => {
  const { parts, words, bytes } = piecesOf(text, readAs(text))
  return { parts: [...parts], words: words.map(each => each.join('+')), bytes: bytes.join('') }
}

test('marks that a tokenizer has added at the start and the end are distinguished from typed text, and from bytes', () => {
  assert.deepEqual(marksOf('The cat', readAs('The cat')), { start: '<s>' })
  assert.deepEqual(marksOf('the cat', ['[CLS]', 'the', 'cat', '[SEP]']), { start: '[CLS]', end: '[SEP]' })
  assert.deepEqual(marksOf('a', ['<|begin_of_text|>', 'a']), { start: '<|begin_of_text|>' })
  assert.deepEqual(marksOf('an </s>', ['an', '</s>']), {}, 'it was typed')
  assert.deepEqual(marksOf('é', ['<C3>', '<A9>']), {}, 'bytes')
  assert.deepEqual(marksOf('[MASK] sat', ['[MASK]', 'sat']), {})
  assert.deepEqual(marksOf('', ['<s>']), {})
})

test('a word of several tokens is listed once with its pieces, a word after a sign or a space is not', () => {
  const tokens = ['<s>', 'He', 'b', 'aked', ',', 'don', "'", 't', 'b', 'aked', '##r', '今', '天']
  const { parts, words, bytes } = piecesOf("He baked, don't bakedr今天", tokens)
  assert.deepEqual(
    words.map(each => each.join('+')),
    ['b+aked', 'b+aked+r'],
  )
  assert.deepEqual([...parts], [3, 9, 10])
  assert.deepEqual(bytes, [])
  assert.deepEqual(partsOf('My grandmother baked a cake'), { parts: [4], words: ['b+aked'], bytes: '' })
})

test('characters without a token are read byte by byte: their tokens are named after the bytes', () => {
  assert.deepEqual(readAs('今a').slice(1), ['<E4>', '<BB>', '<8A>', 'a'])
  assert.deepEqual(partsOf('a 今天 today'), { parts: [], words: [], bytes: '今天' })
  assert.equal(
    tokenText(/** @type {any} */ ({ decode: () => '\ufffd' }), 3, '<0xE4>'),
    '<0xE4>',
    'as Llama writes them',
  )
})

test('the word that a likely token begins is completed as the model most likely writes it, and a whole word is not', async () => {
  const { act, settled, shown, store } = start()
  act.bring(files())
  await settled()
  for (const changes of ['', '4.4=0']) {
    act.change(readChanges(changes))
    const text = 'My grandmother baked a cake for my birthday and I ate'
    act.type(text)
    const isHere = () => {
      const { endings } = store.state.got
      return endings?.is === 'here' && endings.value.request.changes.length === Number(changes !== '')
    }
    for (const end = Date.now() + 20_000; !isHere(); await settled()) assert.ok(Date.now() < end, 'they come')
    const room = { ...store.state, ...shown() }
    const { run } = shown()
    let completed = 0
    for (const { id, token } of run?.top ?? assert.fail()) {
      const ending = endingOf(room, id)
      if (ending) completed++
      const hooks = /** @type {any} */ (changes ? { 'layers.3.heads.3': 0 } : {})
      const want = [...(run?.ids ?? []), id]
      const begun = want.length
      for (let n = 0; n < 6; n++) {
        const { data } = model.forwardSync({ ids: want }, { logits: 'last', hooks }).logits ?? assert.fail()
        want.push(data.indexOf(Math.max(...data)))
      }
      const written = model.decode(want).slice(model.decode(want.slice(0, begun)).length)
      assert.equal(ending, /^\p{Ll}*/u.exec(written)?.[0], token)
    }
    assert.ok(completed > 1 && completed < (run?.top.length ?? 0), `${completed} words are completed`)
    // For a prediction of another text, the words of this one give no completion.
    assert.equal(
      endingOf(
        { ...room, run: { .../** @type {any} */ (run), request: { ...run?.request, row: 3 } } },
        run?.top[0].id ?? 0,
      ),
      '',
    )
  }
})
