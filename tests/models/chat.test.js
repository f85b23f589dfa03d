// Renders conversations with the chat template of a folder. Expected texts come from jinja2 (tests/goldens/make-chat-templates.py).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/entries/index.js'
import { loadModel } from '../../src/entries/models.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
after(() => assert.equal(qkv.memory.resident, 0))
const root = fileURLToPath(new URL('../goldens/models/gpt2-tiny', import.meta.url))
const { tokens, templates, cases } = JSON.parse(
  readFileSync(new URL('../goldens/chat-templates.json', import.meta.url), 'utf8'),
)
const HELLO = [{ role: 'user', content: 'The cat' }]

/** Returns the files of a model with a given tokenizer config. @param {Record<string, unknown>} config @param {Record<string, string>} [more] files */
const filesOf = (config, more = {}) => ({
  ...Object.fromEntries(
    ['config.json', 'model.safetensors', 'tokenizer.json'].map(name => [
      name,
      new Uint8Array(readFileSync(`${root}/${name}`)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ 'tokenizer_config.json': JSON.stringify(config), ...more }).map(([name, text]) => [
      name,
      new TextEncoder().encode(text),
    ]),
  ),
})
const open = (/** @type {any} */ source) => loadModel(qkv, source, { tokenizer: Tokenizer })

/** @param {Awaited<ReturnType<typeof open>>} model @param {any} prompt @param {object} [options] */
async function generated(model, prompt, options) {
  const steps = []
  for await (const { id, ids } of model.generate(prompt, { maxNewTokens: 3, ...options })) steps.push([id, ids])
  return steps
}

test('conversations become the texts that jinja2 makes, for templates of three kinds', async () => {
  for (const [name, template] of Object.entries(templates)) {
    const model = await open(filesOf({ ...tokens, bos_token: { content: tokens.bos_token }, chat_template: template }))
    for (const { template: own, messages, options, text, error } of cases) {
      if (own !== name) continue
      const { add_generation_prompt: addGenerationPrompt, tools, ...variables } = options
      const made = model.applyChatTemplate(messages, { addGenerationPrompt, tools, variables })
      if (error)
        await assert.rejects(made, new RegExp(`the chat template refuses these messages: ${error.slice(0, 20)}`))
      else assert.equal(await made, text, JSON.stringify([messages, options]))
    }
    model.dispose()
  }
})

test('documents are given to the template, which has none by default', async () => {
  const model = await open(filesOf({}))
  const template = '{% for d in documents or [] %}[{{ d.title }}]{% endfor %}{{ messages[0].content }}'
  const documents = [{ title: 'One' }, { title: 'Two' }]
  assert.equal(await model.applyChatTemplate(HELLO, { template, documents }), '[One][Two]The cat')
  assert.equal(await model.applyChatTemplate(HELLO, { template, variables: { documents } }), '[One][Two]The cat')
  assert.equal(await model.applyChatTemplate(HELLO, { template }), 'The cat')
  model.dispose()
})

test('generate takes a conversation: it continues the ids of its text, whose special tokens the template writes', async () => {
  const model = await open(
    filesOf({
      bos_token: '<|endoftext|>',
      chat_template: '{{ bos_token }}{{ messages[0].content }}{% if add_generation_prompt %} and{% endif %}',
    }),
  )
  const text = await model.applyChatTemplate(HELLO)
  const want = await generated(model, model.tokenize(text).ids)
  assert.deepEqual(await generated(model, HELLO), want)
  const chat = { addGenerationPrompt: false }
  const shorter = await generated(model, HELLO, { chat })
  assert.deepEqual(shorter, await generated(model, model.tokenize(await model.applyChatTemplate(HELLO, chat)).ids))
  assert.notDeepEqual(shorter[0][1], want[0][1])
  model.dispose()
})

test('tokens that the tokenizer adds around a text are not added around a conversation', async () => {
  const bert = fileURLToPath(new URL('../goldens/models/bart-tiny', import.meta.url))
  const model = await open(bert)
  const template = '{{ messages[0].content }}'
  const [[, ids]] = await generated(model, [{ role: 'user', content: 'The cat' }], { chat: { template } })
  assert.ok(ids)
  const seen = /** @type {number[][]} */ ([])
  const hooks = { 'encoder.embedding': (/** @type {any} */ x) => void seen.push([...x.dims]) }
  await generated(model, HELLO, { chat: { template }, hooks })
  assert.equal(seen[0][1], model.tokenize('The cat').ids.length - 2)
  model.dispose()
})

test('chat_template.jinja comes before the config, from files, bytes, a path and a server, which is asked for it at the first conversation', async () => {
  const files = filesOf({ chat_template: 'old' }, { 'chat_template.jinja': 'new {{ messages[0].content }}' })
  /** @type {string[]} */
  const asked = []
  const server = createServer((request, response) => {
    asked.push(String(request.url))
    const bytes = files[/** @type {'config.json'} */ (String(request.url).slice(1))]
    if (bytes) response.end(bytes)
    else response.writeHead(404).end()
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  for (const source of [
    files,
    Object.entries(files).map(([name, bytes]) => new File([bytes], name)),
    `http://127.0.0.1:${port}`,
  ]) {
    const model = await open(source)
    assert.ok(!asked.includes('/chat_template.jinja'))
    for (const _ of [0, 1]) assert.equal(await model.applyChatTemplate(HELLO), 'new The cat')
    assert.equal(asked.filter(url => url === '/chat_template.jinja').length, Number(typeof source === 'string'))
    model.dispose()
  }
  server.close()
})

test('a server is asked for a template with a name, and for that of tools, once', async () => {
  const files = filesOf(
    { chat_template: 'usual' },
    {
      'additional_chat_templates/tool_use.jinja': 'with {{ tools | length }}',
      'additional_chat_templates/my rag.jinja': 'documents',
    },
  )
  /** @type {string[]} */
  const asked = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(String(request.url)).slice(1)
    if (path.startsWith('additional')) asked.push(path)
    const bytes = files[/** @type {'config.json'} */ (path)]
    if (bytes) response.end(bytes)
    else response.writeHead(404).end()
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const model = await open(`http://127.0.0.1:${port}`)
  assert.equal(await model.applyChatTemplate(HELLO), 'usual')
  assert.equal(asked.length, 0)
  for (const _ of [0, 1]) assert.equal(await model.applyChatTemplate(HELLO, { tools: [{}, {}] }), 'with 2')
  assert.equal(await model.applyChatTemplate(HELLO, { template: 'my rag' }), 'documents')
  assert.equal(await model.applyChatTemplate(HELLO, { template: '{{ 1 }}' }), '1')
  for (const template of ['no_such', '../tokenizer'])
    await assert.rejects(
      model.applyChatTemplate(HELLO, { template }),
      /is neither the name of a template of this folder \(default\)/,
    )
  assert.deepEqual([...new Set(asked)].length, 4)
  assert.equal(asked.filter(path => path.endsWith('tool_use.jinja')).length, 1)
  model.dispose()
  server.close()
})

test('of several templates the default is used, that for tools with tools, and one by its name', async () => {
  const several = [
    { name: 'default', template: 'usual' },
    { name: 'tool_use', template: 'with {{ tools | length }}' },
    { name: 'rag', template: 'documents' },
  ]
  const model = await open(filesOf({ chat_template: several }))
  assert.equal(await model.applyChatTemplate(HELLO), 'usual')
  assert.equal(await model.applyChatTemplate(HELLO, { tools: [{}, {}] }), 'with 2')
  assert.equal(await model.applyChatTemplate(HELLO, { template: 'rag' }), 'documents')
  assert.equal(await model.applyChatTemplate(HELLO, { template: 'my {{ messages[0].role }}' }), 'my user')
  for (const template of ['constructor', 'no_such', 'Rag'])
    await assert.rejects(
      model.applyChatTemplate(HELLO, { template }),
      /is neither the name of a template of this folder \(default, tool_use, rag\)/,
    )
  model.dispose()
  const other = await open(filesOf({ chat_template: several.slice(2) }))
  await assert.rejects(other.applyChatTemplate(HELLO), /several chat templates, none of them the default: .* of rag/)
  other.dispose()
})

test('a folder without a template, and an invalid conversation, are refused with a way out', async () => {
  const model = await open(root)
  await assert.rejects(
    generated(model, HELLO),
    /this folder has no chat template, neither chat_template in tokenizer_config/,
  )
  const chat = { template: 'a' }
  await assert.rejects(generated(model, 'The cat', { chat }), /chat: expected a list of messages/)
  for (const messages of [[], 'a', [{ content: 'a' }], [HELLO[0], 3]])
    await assert.rejects(
      model.applyChatTemplate(/** @type {any} */ (messages), chat),
      /a list of messages \{ role, content \}/,
    )
  await assert.rejects(model.applyChatTemplate(HELLO, { template: '{% for %}' }), /the chat template cannot be read/)
  await assert.rejects(model.applyChatTemplate(HELLO, /** @type {any} */ ({ tool: [] })), /did you mean "tools"/)
  for (const variables of [5, 'ab', [1]])
    await assert.rejects(model.applyChatTemplate(HELLO, /** @type {any} */ ({ variables })), {
      name: 'TypeError',
      message: /^applyChatTemplate: variables: expected an object of variables by name, got /,
    })
  await assert.rejects(model.applyChatTemplate(HELLO, /** @type {any} */ ({ tools: {} })), {
    name: 'TypeError',
    message: /^applyChatTemplate: tools: expected a list of JSON schemas, got an empty object/,
  })
  model.dispose()
  const bare = await loadModel(qkv, root, { tokenizer: false })
  await assert.rejects(generated(bare, HELLO), /loaded without a tokenizer/)
  bare.dispose()
})
