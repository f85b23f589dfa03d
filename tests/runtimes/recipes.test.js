// Tests that the programs of docs/recipes.md run unchanged with the packed package, in an empty folder.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, createServer } from 'vite'
import { launch } from '../browser/browsers.js'
import { startHub } from '../models/hub.js'
import { install, root } from '../packed.js'
import { serve } from './project.js'

const { project, run, remove } = install()
after(remove)
for (const name of ['@huggingface/tokenizers', '@types/node'])
  cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })
/** Options of TypeScript. */
const TYPES =
  '--noEmit --allowJs --checkJs --strict --noImplicitAny false --skipLibCheck --target es2022 --module nodenext --types node'.split(
    ' ',
  )
const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
/** The programs, by the names of their files. */
const recipes = new Map(
  [...page.matchAll(/```(?:js|html) (\S+)\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text]),
)
for (const [name, text] of recipes) writeFileSync(join(project, name), text)

test('there are recipes, each of at most 30 lines', () => {
  const pagesOfOne = ['index.html', 'main.js', 'worker.js']
  const lines = (/** @type {string} */ name) => (recipes.get(name) ?? '').split('\n').length - 1
  for (const name of recipes.keys()) assert.ok(lines(name) > 0 && lines(name) <= 30, name)
  assert.ok(pagesOfOne.reduce((sum, name) => sum + lines(name), 0) <= 40)
  assert.deepEqual(
    [...recipes.keys()].sort(),
    ['build.js', 'chat.js', 'edge.js', 'hub.js', ...pagesOfOne, 'search.js', 'server.js'].sort(),
  )
})

/** Runs a program asynchronously, so that servers in this process can answer it. @param {string} file @param {NodeJS.ProcessEnv} env @param {string} [input] @returns {Promise<string>} */
const running = (file, env, input = '') =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { cwd: project, env: Object.assign({}, process.env, env) })
    child.stdin.end(input)
    let [out, err] = ['', '']
    child.stdout.on('data', data => (out += data))
    child.stderr.on('data', data => (err += data))
    child.on('close', code => (code === 0 ? resolve(out) : reject(new Error(err))))
  })

const model = join(root, 'tests/goldens/models/gpt2-tiny')
const names = ['config.json', 'model.safetensors', 'tokenizer.json']
const files = Object.fromEntries(names.map(name => [name, readFileSync(join(model, name))]))

/** Reads files of a folder of goldens. @param {string} folder @param {string[]} list */
const read = (folder, list) =>
  Object.fromEntries(list.map(name => [name, readFileSync(join(root, 'tests/goldens/models', folder, name))]))

test('a search lists sentences by their cosines, the most alike first', async () => {
  const parts = [
    'modules.json',
    '1_Pooling/config.json',
    'sentence_bert_config.json',
    'config_sentence_transformers.json',
  ]
  const hub = await startHub({
    'sentence-transformers/all-MiniLM-L6-v2': { files: read('sentence-bert-tiny', [...names, ...parts]) },
  })
  after(() => hub.close())
  const out = await running('search.js', { HF_ENDPOINT: hub.url, HF_HOME: join(project, 'hub') })
  const found = [...out.matchAll(/^(-?\d\.\d{3}) (.+)\.$/gm)]
  assert.deepEqual(found.map(([, , text]) => text).sort(), [
    'A cat sleeps on the sofa',
    'Bread is baked in an oven',
    'The stock market fell today',
  ])
  const scores = found.map(([, score]) => Number(score))
  assert.deepEqual(
    scores,
    [...scores].sort((a, b) => b - a),
  )
  assert.ok(scores[0] > scores[2] && scores[0] <= 1)
})

test('a conversation in a terminal answers each line, and ends with the input', async () => {
  const encode = (/** @type {unknown} */ json) => Buffer.from(JSON.stringify(json))
  const chat_template = '{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}'
  const own = read('qwen3-tiny-bf16', names)
  const config = { ...JSON.parse(String(own['config.json'])), max_position_embeddings: 4096 } // rotary positions have no limit
  const files = { ...own, 'config.json': encode(config), 'tokenizer_config.json': encode({ chat_template }) }
  const hub = await startHub({ 'HuggingFaceTB/SmolLM2-135M-Instruct': { files } })
  after(() => hub.close())
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(project, 'hub') }
  const once = await running('chat.js', env, 'the cat\n')
  const twice = await running('chat.js', env, 'the cat\nsat\n')
  assert.ok(once.trim() && twice.startsWith(once) && twice.length > once.length + 1)
})

test('a model of the hub opens in three lines and five requests, the second time in one', async () => {
  const hub = await startHub({ 'openai-community/gpt2': { files } })
  after(() => hub.close())
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(project, 'hub') }
  const first = await running('hub.js', env)
  assert.match(first, /^previous: layers\.\d\.heads\.\d, 0\.\d\d\ninduction: layers\.\d\.heads\.\d, 0\.\d\d\n\S/)
  assert.equal(hub.asked.length, 5) // the redirect of the weights is a request, too; this folder has no tokenizer_config.json
  hub.asked.length = 0
  assert.equal(await running('hub.js', env), first)
  assert.equal(hub.asked.length, 1)
  assert.equal(/^import.*\nimport.*\nconst model = .*\n/.test(recipes.get('hub.js') ?? ''), true)
})

test('the examples of docs/models.md that need a hub run unchanged', async () => {
  const chat = Buffer.from(
    JSON.stringify({ chat_template: '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}' }),
  )
  const hub = await startHub({
    'openai-community/gpt2': { files },
    'me/chat': { files: Object.assign({ 'tokenizer_config.json': chat }, files) },
    'me/bert': { files: read('bert-tiny', names) },
    'me/translator': { files: translator() },
  })
  after(() => hub.close())
  const text = readFileSync(join(root, 'docs/models.md'), 'utf8')
  const [byName, masked, streamed, translated, conversation, ...more] = [
    ...text.matchAll(/```js no-run\n([\s\S]*?)```/g),
  ].map(([, body]) => body)
  assert.deepEqual(more, [])
  const head = `import { load } from 'qkv'
import { deleteKeptModel, inspectModel, keptModels, loadModel } from 'qkv/models'
const qkv = await load()
`
  writeFileSync(join(project, 'by-name.js'), head + byName)
  writeFileSync(join(project, 'masked.js'), `${head}const bert = await loadModel(qkv, 'hf:me/bert')\n${masked}`)
  const model =
    "const model = await loadModel(qkv, 'hf:openai-community/gpt2')\nconst { signal } = new AbortController()\n"
  writeFileSync(join(project, 'streamed.js'), head + model + streamed)
  writeFileSync(
    join(project, 'translated.js'),
    `${head}const model = await loadModel(qkv, 'hf:me/translator')\n${translated}`,
  )
  writeFileSync(join(project, 'chat.js'), `${head}const model = await loadModel(qkv, 'hf:me/chat')\n${conversation}`)
  const env = { HF_ENDPOINT: hub.url, HF_HOME: join(project, 'hub-of-examples') }
  assert.match(await running('by-name.js', env), /^\[\n? *\{\s+id: 'openai-community\/gpt2',\s+revisions: /)
  assert.match(await running('masked.js', env), /^\S+\n$/)
  assert.match(await running('streamed.js', env), /\S/)
  assert.match(await running('translated.js', env), /^(?:w\d+ ?|\.|Guten|Morgen)+/)
  assert.match(await running('chat.js', env), /user: Who wrote Faust\?\n+$/)
  const programs = ['by-name.js', 'streamed.js', 'translated.js', 'chat.js'] // not masked.js: strict types demand a check of its logits
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...TYPES, ...programs])
})

/** Returns the files of a model that translates between two languages, with random weights. */
function translator() {
  const special = ['deu_Latn', '<pad>', '</s>', 'jpn_Jpan']
  const words = Array.from({ length: 40 }, (_, id) => [...special, 'Guten', 'Morgen', '.'][id] ?? `w${id}`)
  const added = special.map((content, id) => ({ id, content, special: true, normalized: false }))
  const tokenizer = {
    added_tokens: added.map(token => ({ ...token, single_word: false, lstrip: false, rstrip: false })),
    pre_tokenizer: { type: 'Whitespace' },
    model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: '<pad>' },
  }
  return Object.assign(read('m2m_100-made', ['config.json', 'model.safetensors']), {
    'tokenizer.json': Buffer.from(JSON.stringify(tokenizer)),
    'generation_config.json': Buffer.from('{ "max_length": 8, "eos_token_id": 2 }'),
  })
}

/** Opens the page, and checks that it shows other weights for another text. @param {string} url */
async function tryPage(url) {
  const chromium = await launch('chromium')
  try {
    const page = await chromium.open(url)
    await page.until(() => /** @type {any} */ (document.querySelector('qkv-heads'))?.weights?.dims.join() === '2,9,9')
    await page.type('input', 'Tom has a red ball.')
    await page.until(() => /** @type {any} */ (document.querySelector('qkv-heads')).weights.dims.join() === '2,7,7')
    assert.deepEqual(
      chromium.complaints.filter(each => !/favicon/.test(each)),
      [],
    )
  } finally {
    await chromium.close()
  }
}

/** Serves a built folder, and tries its page. @param {string} folder */
async function tryFolder(folder) {
  const server = await serve(folder)
  await tryPage(`${server.url}/`).finally(server.close)
}

test('a page with a worker, whose files Vite serves unchanged, as npx vite does', {
  timeout: 400_000,
}, async () => {
  const options = { root: project, logLevel: /** @type {const} */ ('warn') }
  const server = await createServer(Object.assign(options, { server: { host: '127.0.0.1', port: 0 } }))
  await server.listen()
  const [url] = server.resolvedUrls?.local ?? []
  await tryPage(url).finally(() => server.close())
})

test('a page with a worker, built by Vite with nothing configured', { timeout: 400_000 }, async () => {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  run(process.execPath, [vite, 'build', '--outDir', 'vite', '--base', './', '--logLevel', 'warn'])
  await tryFolder(join(project, 'vite'))
})

test("worker: { format: 'es' } of Vite: the worker loads what it needs when it needs it, at most half of one file with everything", {
  timeout: 400_000,
}, async t => {
  /** Builds the page, and returns the gzipped size of its worker with all static imports. @param {'iife' | 'es'} format */
  const sizeWith = async format => {
    const outDir = join(project, `vite-${format}`)
    await build({ root: project, logLevel: 'silent', configFile: false, worker: { format }, build: { outDir } })
    const assets = join(outDir, 'assets')
    const sizeOf = (/** @type {string} */ name) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length
    /** Lists a file and all files that it imports. @param {string} name @returns {string[]} */
    const withImports = name => {
      const found = readFileSync(join(assets, name), 'utf8').matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)
      return [name, ...[...found].flatMap(([, each]) => withImports(each))]
    }
    // There are two workers. The larger one is the page's, the smaller one runs the library's threads.
    const workers = readdirSync(assets).filter(name => /^worker-.*\.js$/.test(name))
    const sums = workers.map(name => [...new Set(withImports(name))].reduce((sum, each) => sum + sizeOf(each), 0))
    return Math.max(...sums)
  }
  const [iife, es] = [await sizeWith('iife'), await sizeWith('es')]
  t.diagnostic(`${iife} and ${es} bytes gzipped`)
  assert.ok(es <= iife / 2)
  await tryFolder(join(project, 'vite-es'))
})

const tools = fileURLToPath(new URL('node_modules', import.meta.url))
const skip = !existsSync(join(tools, 'esbuild')) && 'npm run test:runtimes installs esbuild and workerd'

test('the same page, built by esbuild', { skip, timeout: 400_000 }, async () => {
  mkdirSync(join(project, 'site'))
  for (const name of ['esbuild', '@esbuild'])
    cpSync(join(tools, name), join(project, 'node_modules', name), { recursive: true })
  run(process.execPath, ['build.js'])
  await tryFolder(join(project, 'site'))
})

test('a server sends generated text, to two at once, and ends with its reader', async t => {
  const server = spawn(process.execPath, ['server.js'], {
    cwd: project,
    env: Object.assign({}, process.env, { PORT: '0' }),
  })
  t.after(() => server.kill())
  const port = await new Promise(resolve => server.stdout.once('data', data => resolve(String(data).trim())))
  const ask = async (/** @type {string} */ prompt) =>
    (await fetch(`http://localhost:${port}/?prompt=${encodeURIComponent(prompt)}`)).text()
  const [he, she] = await Promise.all(['he', 'she'].map(word => ask(`Lily and Tom are friends. Is ${word}`)))
  assert.match(he, /^\s*tom\s*\? yes/)
  assert.match(she, /^\s*lily\s*\? yes/)
  assert.match(await ask(' '), /\S/)
  assert.equal(server.exitCode, null)
})

test('an edge function has the compiled module', async () => {
  // Makes Node import a wasm file as a WebAssembly.Module, as engines of edge functions do.
  const hooks = `import { readFile } from 'node:fs/promises'
export async function load(url, context, next) {
  if (!url.endsWith('.wasm')) return next(url, context)
  const source = \`import { readFileSync } from 'node:fs'
export default new WebAssembly.Module(readFileSync(new URL(\${JSON.stringify(url)})))\`
  return { format: 'module', shortCircuit: true, source }
}`
  const program = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
const { default: edge } = await import('./edge.js')
const request = new Request('http://edge', { method: 'POST', body: '[[1, 0], [0, 2]]' })
console.log(JSON.stringify(await (await edge.fetch(request)).json()))`
  writeFileSync(join(project, 'engine.js'), program)
  const { stdout, stderr } = spawnSync(process.execPath, ['engine.js'], { cwd: project, encoding: 'utf8' })
  const { weights, output } = JSON.parse(stdout || stderr)
  assert.deepEqual(weights[0], [1, 0])
  assert.equal(output.length, 2)
})
