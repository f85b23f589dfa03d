// Packs the package, unpacks it into another project, and imports and type-checks it there.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { build } from 'rolldown'
import { ELEMENTS, LIBRARY, LOADED, STORIES, THREADS, WASM, WIDGET } from '../build/entries.js'
import { minifiedSize } from '../build/minified-size.js'
import { FAMILIES } from '../src/models/families/index.js'
import { ELEMENT_PROGRAMS, NN_PROGRAMS, PACKAGE, STORIES_FILES, TENSOR_PROGRAM } from './budgets.js'
import { install, root } from './packed.js'

const { project, installed, tarball, run, remove } = install()
after(remove)

const files = run('tar', ['tzf', tarball])
  .trim()
  .split('\n')
  .map(name => name.replace('package/', ''))
const gzipped = (/** @type {string} */ name) => minifiedSize(join(installed, name))
const read = (/** @type {string} */ name) => readFileSync(join(root, name), 'utf8')

const ENTRIES = [...LIBRARY, STORIES, ...ELEMENTS, WIDGET]
const CODE = /^dist\/(?:elements\/|families\/)?[\w-]+\.js$/ // entries, and the chunks that they share or import dynamically

test('the package contains the files that a user needs and nothing else', () => {
  const texts = ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'package.json']
  const entries = ENTRIES.flatMap(({ name }) => [`dist/${name}.js`, `dist/${name}.d.ts`])
  const others = [
    'THIRD_PARTY_NOTICES',
    'custom-elements.json',
    ...WASM.flatMap(name => [name, `${name}.d.ts`]),
    'stories.safetensors',
    'elements/base.d.ts',
    'elements/react.d.ts',
  ]
  // readme.test.js checks docs
  const held = files.filter(name => !name.startsWith('docs/') && !CODE.test(name))
  const named = [...texts, ...entries, ...others.map(name => `dist/${name}`)].filter(name => !CODE.test(name))
  assert.deepEqual(held.sort(), named.sort())
  const code = files.filter(name => name.endsWith('.js'))
  for (const { name } of ENTRIES) assert.ok(code.includes(`dist/${name}.js`), name)
  const ofClone = /^docs\/(?:architecture|kernel|benchmark-history)/
  assert.deepEqual(
    files.filter(name => ofClone.test(name)),
    [],
    'the docs of contributors stay in the clone',
  )
})

test('the modules can be read: no line of code is longer than 1,000 characters', () => {
  const code = files.filter(name => name.endsWith('.js') && name !== 'dist/anywidget.js')
  assert.ok(code.length > 40, code.join())
  for (const name of code)
    for (const [i, line] of readFileSync(join(installed, name), 'utf8').split('\n').entries())
      assert.ok(line.length <= 1000 || /^(im|ex)port /.test(line), `${name}:${i + 1} has ${line.length} characters`)
})

for (const [title, code] of [
  ['dims that do not fit', 'qkv.attention([[1]], [[1]], [[1, 2], [3, 4]])'],
  ['an unknown option', 'qkv.softmax([1], { axes: 0 })'],
  ['a folder without a model', "await (await import('qkv/models')).loadModel(qkv, 'nothing/here')"],
])
  test(`an error that nobody catches, ${title}, prints at most 16 lines in Node, the line of the program among them`, () => {
    const program = join(project, 'throws.mjs')
    writeFileSync(program, `import { load } from 'qkv'\nconst qkv = await load()\n${code}`)
    const { status, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' })
    const lines = stderr.trim().split('\n')
    assert.equal(status, 1)
    assert.ok(lines.length <= 16 && lines.every(({ length }) => length < 300), stderr)
    assert.match(stderr, /\n\w*Error: .*\n/)
    assert.match(stderr, /throws\.mjs:3:/)
  })

test('"exports" of package.json names each entry of build/entries.js, and nothing else', () => {
  const { exports } = JSON.parse(read('package.json'))
  const wanted = Object.fromEntries(
    ENTRIES.map(({ name }) => [
      name === 'index' ? '.' : `./${name}`,
      { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` },
    ]),
  )
  const others = {
    './elements/react': { types: './dist/elements/react.d.ts' },
    ...Object.fromEntries(WASM.map(name => [`./${name}`, { types: `./dist/${name}.d.ts`, default: `./dist/${name}` }])),
    './custom-elements.json': './dist/custom-elements.json',
    './package.json': './package.json',
  }
  assert.deepEqual(exports, { ...wanted, ...others })
})

const sum = (/** @type {number[]} */ sizes) => sizes.reduce((a, b) => a + b, 0)

// Operations of blocks and training have separate entries, but their kernels are in the one wasm file.
test("what import 'qkv' and load() load is within its limit", t => {
  const sizes = LOADED.map(name => gzipped(`dist/${name}`))
  const raw = statSync(join(installed, 'dist/qkv.wasm')).size
  t.diagnostic(`with threads ${THREADS.map(name => gzipped(`dist/${name}`)).join(' + ')} more`)
  t.diagnostic(`${LOADED.join(' + ')}: ${sizes.join(' + ')} = ${sum(sizes)} bytes; wasm ${raw} raw`)
  assert.ok(sum(sizes) <= PACKAGE.qkv)
})

test('what qkv/models adds, and each part that it loads later, is within its limit', t => {
  const shared = ['core', 'block', 'kv-cache'] // chunks shared with other entries
  const code = readFileSync(join(installed, 'dist/models.js'), 'utf8')
  const imported = Array.from(code.matchAll(/from "\.\/([\w-]+)\.js"/g), ([, name]) => name)
  const own = ['models', ...imported.filter(name => !shared.includes(name))]
  const sizes = own.map(name => gzipped(`dist/${name}.js`))
  t.diagnostic(`${own.join(' + ')}: ${sizes.join(' + ')}`)
  assert.ok(imported.includes('core'), own.join())
  assert.ok(sum(sizes) <= PACKAGE.models)
  const families = readdirSync(join(installed, 'dist/families')).filter(name => name.endsWith('.js'))
  assert.ok(families.length > Object.keys(FAMILIES).length, families.join())
  const later = [
    'run-in-turns',
    'generation',
    'beam-search',
    'generation-settings',
    'text-files',
    'tied',
    'unread-keys',
    'entities',
    'adapter',
    'torch-file',
    'pickle',
    'attribution',
    'linear-attribution',
    'wordpiece',
    'sentencepiece',
    'save-model',
    'class-logits',
    'embed',
    'sentence-modules',
    'sentence-layers',
    'pooling',
    'rank',
    'refusals',
    'wrong-source',
    'other-names',
    'shards',
    'tokenizer',
    'open-files',
    'given',
    'tokenizer-config',
    'normalizers',
    'pre-tokenizers',
    'decoders',
    'engines',
    'patterns',
    'best-pieces',
    'charsmap',
    'read-weights',
    'path',
    'url',
    'blocks',
    'token-calls',
  ]
  later.push('hub-name', 'disk-cache', 'private-files', 'kept-models', 'sha256')
  assert.ok(gzipped('dist/hub-folder.js') <= PACKAGE.hub)
  assert.ok(gzipped('dist/open-gguf.js') <= PACKAGE.gguf)
  assert.ok(gzipped('dist/chat.js') <= PACKAGE.chat)
  for (const name of [...later, ...families.map(file => `families/${file.replace('.js', '')}`)])
    assert.ok(gzipped(`dist/${name}.js`) <= PACKAGE.later, name)
})

test('qkv/train is within its limit', t => {
  t.diagnostic(`${gzipped('dist/train.js')} bytes`)
  assert.ok(gzipped('dist/train.js') <= PACKAGE.train)
})

/** Bundles a program that imports from the installed package. @param {string} code @param {string} [name] of the file */
async function bundle(code, name = 'program.js') {
  const input = join(project, name)
  writeFileSync(input, code)
  const { output } = await build({
    input,
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    output: { minify: true },
  })
  const [chunk] = output
  const files = Object.keys(chunk.modules).map(id => id.replace(/^.*\/dist\//, ''))
  return { code: chunk.code, files, size: gzipSync(chunk.code, { level: 9 }).length }
}

test('a program that imports tensor only is bundled without the core, within its limit', async t => {
  const { code, size } = await bundle("import { tensor } from 'qkv'\nconsole.log(tensor)")
  t.diagnostic(`${size} bytes`)
  assert.ok(!code.includes('WebAssembly'), 'nothing that loads the core')
  assert.ok(size <= TENSOR_PROGRAM)
})

for (const [name, most] of Object.entries(NN_PROGRAMS))
  test(`a program that imports ${name} of qkv/nn is bundled without the rest`, async t => {
    const { size } = await bundle(`import { ${name} } from 'qkv/nn'\nconsole.log(${name})`)
    t.diagnostic(`${size} bytes`)
    assert.ok(size <= most)
  })

test('without @huggingface/tokenizers the error says to install it; with it, bundlers include it', async () => {
  const model = join(root, 'tests/goldens/models/gpt2-tiny')
  const program = `import { load } from 'qkv'
import { loadModel } from 'qkv/models'
const qkv = await load()
const open = options => loadModel(qkv, '${model}', options)
const model = await open().catch(({ message }) => ({ tokenize: () => ({ tokens: [message] }) }))
console.log(model.tokenize('The cat').tokens.join())
const chat = await open({ tokenizer: { encode: () => 0, decode: () => '' } })
const messages = [{ role: 'user', content: 'Hi' }]
console.log(await chat.applyChatTemplate(messages, { template: '{{ messages[0].content }}!' }).catch(({ message }) => message))`
  const node = () => run(process.execPath, ['--input-type=module', '--eval', program], project)
  const told = node()
  assert.match(
    told,
    /^loadModel: the tokenizer of this model needs the package @huggingface\/tokenizers, which is not installed: npm install @huggingface/,
  )
  assert.match(told, /^Hi!$/m)
  const hasIt = async () => {
    const input = join(project, 'models.js')
    writeFileSync(input, program)
    const { output } = await build({ input, platform: 'browser', write: false, logLevel: 'silent' })
    const ids = output.flatMap(chunk => ('modules' in chunk ? Object.keys(chunk.modules) : []))
    return ids.some(id => id.includes('@huggingface/tokenizers/'))
  }
  assert.equal(await hasIt(), false)
  const scope = join(project, 'node_modules/@huggingface')
  mkdirSync(scope)
  symlinkSync(join(root, 'node_modules/@huggingface/tokenizers'), join(scope, 'tokenizers'))
  try {
    assert.equal(node(), 'The,Ġc,at\nHi!\n')
    assert.equal(await hasIt(), true)
  } finally {
    rmSync(scope, { recursive: true })
  }
})

test('qkv/stories is a model without network, within its limit', () => {
  const size = ['stories.js', 'stories.safetensors'].reduce(
    (sum, name) => sum + statSync(join(installed, 'dist', name)).size,
    0,
  )
  assert.ok(size <= STORIES_FILES, `${size} bytes`)
  const code = `import { load } from 'qkv'
    import { inspectModel, loadModel } from 'qkv/models'
    import { stories } from 'qkv/stories'
    const model = await loadModel(await load(), stories, { tokenizer: false })
    const { logits } = await model.forward({ ids: [0, 28, 5, 34, 6, 7, 2, 11, 22] }) // lily and tom are friends . is he
    const last = Array.from(logits.row(0).row(8).data)
    console.log((await inspectModel(stories)).parameters, last.indexOf(Math.max(...last)))
    const words = await loadModel(await load(), stories)
    await words.logitAttribution('Tom', { tokens: ['zebra'] }).catch(({ message }) => console.log(message))`
  const said = 'logitAttribution: tokens[0]: "zebra" is no token of this model: its tokenizer reads it as <unk>'
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), `93760 34\n${said}\n`)
})

test('stories in a bundle reads its weights from the installed package, and without one says to copy them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-bundle-')) // a folder without the weights
  after(() => rmSync(folder, { recursive: true }))
  const program = join(folder, 'stories.mjs')
  copyFileSync(join(installed, 'dist/stories.js'), program)
  const code = `import { stories } from ${JSON.stringify(program)}
    console.log(await stories['model.safetensors'](0, 1).then(bytes => bytes.length, ({ message }) => message))`
  const node = (/** @type {string} */ cwd) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', code], { cwd, encoding: 'utf8' }).stdout
  assert.equal(node(project), '1\n')
  assert.match(
    node(folder),
    /^qkv\/stories: cannot read file:\S+: .*ENOENT.*: copy stories\.safetensors from qkv\/dist beside the bundle\n$/,
  )
})

test('a bundle that is not an ES module reads the files of the installed package in Node; elsewhere the errors name the options', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-classic-'))
  after(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(project, 'classic.js'),
    `import { load } from 'qkv'
    import { packLinear } from 'qkv/nn'
    import { stories } from 'qkv/stories'
    const tried = call => call().then(String, ({ code, message }) => [code, message].join(' '))
    const int8 = async () => packLinear(await load({ integers: true }), [[1]], undefined, { dtype: 'int8' }).forward([[2]])
    const weights = async () => (await stories['model.safetensors'](0, 1)).length
    const auto = async () => (await load({ threads: 'auto' })).threadsReason
    Promise.all([tried(async () => (await load()).softmax([1])), tried(int8), tried(weights), tried(auto)]).then(all => console.log(JSON.stringify(all)))`,
  )
  await build({
    input: join(project, 'classic.js'),
    platform: 'browser',
    logLevel: 'silent',
    output: { file: join(folder, 'classic.cjs'), format: 'iife', codeSplitting: false },
  })
  const node = (/** @type {string} */ cwd) =>
    JSON.parse(spawnSync(process.execPath, [join(folder, 'classic.cjs')], { cwd, encoding: 'utf8' }).stdout)
  const reason = /a thread did not start: a bundle that is not an ES module has no address, .* worker\.js|^$/
  const [one, two, bytes, threads] = node(project)
  assert.deepEqual([one, two, bytes], ['tensor([1.])', 'tensor([[2.]])', '1'])
  assert.match(threads, reason)
  const [noCore, noIntegers, noWeights] = node(folder)
  for (const said of [noCore, noIntegers])
    assert.match(
      said,
      /^WASM_MISSING cannot read qkv\.wasm: a bundle that is not an ES module has no address: .*load\(\{ wasm \}\)/,
    )
  assert.match(noWeights, /^ qkv\/stories: cannot read its weights: a bundle .*'model\.safetensors': bytes \}$/)
})

test('the command of the package prints its help', () => {
  const { bin } = JSON.parse(read('package.json'))
  assert.match(
    run(process.execPath, [join(installed, bin.qkv), 'corpus', '--help']),
    /^npx qkv corpus TEXTS --model MODEL/,
  )
})

test('package.json has the version that the changelog begins with', () => {
  const [, version] = /^## (\S+?),? /m.exec(read('CHANGELOG.md')) ?? []
  assert.equal(JSON.parse(read('package.json')).version, version)
  assert.equal(JSON.parse(read('package-lock.json')).version, version)
})

test('a program that imports load has the core', async () => {
  const { files } = await bundle("import { load } from 'qkv'\nconsole.log(load)")
  assert.ok(files.includes('core.js'), files.join())
})

for (const { name } of [...ELEMENTS, WIDGET])
  test(`a program with qkv/${name} alone is within its limit`, async t => {
    const { size } = await bundle(`import 'qkv/${name}'`)
    t.diagnostic(`${size} bytes`)
    assert.ok(size <= ELEMENT_PROGRAMS[name])
  })

test('docs/elements.md has these sizes', () => {
  const text = read('docs/elements.md')
  const most = (/** @type {string} */ name) => `${ELEMENT_PROGRAMS[name] / 1024} KB`
  assert.ok(text.includes(`(in a bundle at most ${most('elements')} gzipped)`))
  for (const name of ['heatmap', 'heads', 'flow', 'deep-map', 'trace'])
    assert.ok(text.includes(`\`qkv/elements/${name}\` (${most(`elements/${name}`)})`), name)
})

test('on a server, without a DOM, the elements can be imported', () => {
  for (const { name } of [...ELEMENTS, WIDGET]) {
    const code = `console.log(typeof HTMLElement, Object.keys(await import('qkv/${name}')).length > 0)`
    assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), 'undefined true\n', name)
  }
})

test('the package has no dependency at run time and publint finds nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true })
  assert.equal(pkg.dependencies, undefined)
  assert.deepEqual(
    messages.map(message => formatMessage(message, pkg)),
    [],
  )
})

test('are-the-types-wrong finds nothing', () => {
  // The types work for every import or require of an ES module. .attw.json ignores two cases: Node 10, which does not know `exports`, and "node16"
  // from CommonJS, which stands for engines that cannot require an ES module. "nodenext" is tested below.
  assert.match(run('node_modules/.bin/attw', [tarball, '--no-color'], root), / 🟢 \(ESM\)/) // run also checks that it exits with 0
})

const print = 'console.log(String((await load()).attention([[1]], [[1]], [[7]]).output))'

test('another project imports it in Node', () => {
  const code = `import { load } from 'qkv'; ${print}`
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), 'tensor([[7.]])\n')
})

test('another project requires it in Node', () => {
  const code = `const { load } = require('qkv'); (async () => ${print})()`
  assert.equal(run(process.execPath, ['--no-warnings', '--input-type=commonjs', '--eval', code]), 'tensor([[7.]])\n')
})

test('another project has the ONNX operator', () => {
  const code = `import { load } from 'qkv'
    import { onnxAttention } from 'qkv/nn'
    const x = [[[[1]]]]
    console.log(String(onnxAttention(await load(), { Q: x, K: x, V: [[[[7]]]] }).Y))`
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), 'tensor([[[[7.]]]])\n')
})

test('another project has threads', () => {
  const code = `import { load } from 'qkv'
    const qkv = await load({ threads: 2 })
    const x = qkv.generator(1).randn([4, 300, 32])
    console.log(qkv.threads, String(qkv.attention(x, x, x).output) === String((await load()).attention(x, x, x).output))`
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), '2 true\n')
})

test('engines without FinalizationRegistry, such as workerd of early 2025, import every entry and run', () => {
  const code = `delete globalThis.FinalizationRegistry
    for (const name of ${JSON.stringify(ENTRIES.map(({ name }) => (name === 'index' ? 'qkv' : `qkv/${name}`)))}) await import(name)
    const [{ load }, { kvCache, packLinear }] = await Promise.all(['qkv', 'qkv/nn'].map(name => import(name)))
    const qkv = await load({ threads: 2 })
    const x = qkv.alloc([2, 4])
    const cache = kvCache(qkv, { headDim: 4, capacity: 4 }).append(x, x)
    const layer = packLinear(qkv, x)
    console.log(qkv.threads, cache.length, String(layer.forward(x).dims), typeof FinalizationRegistry)
    for (const each of [x, cache, layer, qkv]) each.dispose()
    console.log((await load()).memory.resident)`
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), '2 2 2,2 undefined\n0\n')
})

test('import, load and the first call take less than half of what Node takes to start', t => {
  // The code is run from a file, like most programs: the first import of a file includes work of Node itself.
  const program = join(project, 'start.js')
  const code = `const start = performance.now()
    const { load } = await import('qkv')
    const imported = performance.now()
    const qkv = await load()
    const loaded = performance.now()
    qkv.attention([[1, 2]], [[1, 2]], [[1, 2]])
    console.log([imported - start, loaded - imported, performance.now() - loaded].join())`
  writeFileSync(program, code)
  const starts = []
  const empty = [] // milliseconds of an empty program
  const total = (/** @type {number[]} */ parts) => parts.reduce((sum, part) => sum + part)
  for (let i = 0; i < 9; i++) {
    const start = performance.now()
    run(process.execPath, ['--eval', ''])
    empty.push(performance.now() - start)
    starts.push(run(process.execPath, [program]).split(',').map(Number))
  }
  starts.sort((a, b) => total(a) - total(b))
  const parts = starts[4]
  const node = empty.sort((a, b) => a - b)[4]
  const [imported, loaded, called] = parts.map(part => part.toFixed(1))
  t.diagnostic(`import ${imported} ms, load ${loaded}, call ${called}; Node ${node.toFixed(1)}: medians of 9`)
  assert.ok(total(parts) < node / 2)
})

test('another project imports the wasm file by its name', () => {
  const code = "console.log(import.meta.resolve('qkv/qkv.wasm').endsWith('node_modules/qkv/dist/qkv.wasm'))"
  assert.equal(run(process.execPath, ['--input-type=module', '--eval', code]), 'true\n')
})

test('errors name classes as the documentation does', () => {
  const code = `import { load } from 'qkv'
    import { linearLayer } from 'qkv/nn'
    const qkv = await load()
    const x = linearLayer(qkv.generator(1), 1, 1)
    try { qkv.attention(x, [[1]], [[1]]) } catch (error) { console.log(error.message, x.constructor.name) }`
  assert.match(run(process.execPath, ['--input-type=module', '--eval', code]), /a Linear\b.* Linear\n$/)
})

const good = `import { attentionBackward, kvCache, multiheadAttention, onnxAttention } from 'qkv/nn'
  import { type AttentionGradients, type KVCache, type OnnxInputs } from 'qkv/nn'
  import { load, QkvError, tensor, type AttentionOptions, type FloatTensor,
    type LoadOptions, type Nested, type Qkv, type Tensor, type Trace } from 'qkv'
  const qkv: Qkv = await load({ wasm: new URL('https://example.com/qkv.wasm') })
  const x = tensor(new Float32Array(6), [3, 2])
  const halves: Float32Array[] = tensor([[1, 2]]).split(1, 1).map(part => part.data)
  const mask: Uint8Array = tensor([[true], [false]]).data
  const wide: Float64Array = tensor(new Float64Array(2), [2]).slice(0, 1).T.data
  const read: FloatTensor = tensor(new DataView(new ArrayBuffer(8)), [2], { dtype: 'bfloat16' })
  const nested: Nested<number> = [[1], [2]]
  const where: LoadOptions = { threads: 'auto' }
  const passOn = (given: { threads?: number | undefined, causal?: boolean | undefined }) =>
    load({ threads: given.threads }).then(core => core.attention(x, x, x, { causal: given.causal }))
  passOn({})
  const options: AttentionOptions = { causal: true, window: [2, 0], score: { kind: 'gaussian', sigma: 2 } }
  const trace: Trace = qkv.trace(x, x, x, options)
  const { output }: { output: Tensor<Float32Array> } = qkv.attention(x, [[1, 2]], x, options)
  const weights: Float32Array = trace.weights.data
  const layer = multiheadAttention(qkv.generator(1n), 4, 2)
  const dims: readonly number[] = layer.forward([[1, 2, 3, 4]]).output.dims
  const names: string[] = layer.trace(x).steps.map(({ name }) => name)
  const cache: KVCache = kvCache(qkv, { headDim: 2, capacity: 4 }).append(x, x)
  const { dQ, dMask }: AttentionGradients = attentionBackward(qkv, x, x, x, output)
  const code: 'NO_SIMD' | string = new QkvError('NO_SIMD', '').code
  const inputs: OnnxInputs = { Q: [[[[1]]]], K: [[[[1]]]], V: [[[[1]]]] }
  const { Y }: { Y: Tensor } = onnxAttention(qkv, inputs, { is_causal: 1 })
  console.log(Y, output, weights, dims, names, code, halves, mask, wide, read, nested, where, dQ, dMask, cache.length)`

/**
 * Compiles files of a strict project with TypeScript, and returns its reports for each file.
 * @param {Record<string, string>} texts of the files, by their names
 */
function compile(texts) {
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(project, file), text)
  const options =
    '--noEmit --strict --target es2022 --module nodenext --lib es2022,dom,dom.iterable --jsx react-jsx --exactOptionalPropertyTypes'
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const args = [tsc, ...options.split(' '), '--types', '', '--pretty', 'false', ...Object.keys(texts)]
  const { stdout } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
  const reports = stdout.split(/^(?=\S)/m) // a report begins with its file; continuation lines are indented
  return Object.keys(texts).map(file => reports.filter(report => report.startsWith(`${file}(`)).join(''))
}

/**
 * Tests that a program compiles, and that TypeScript reports each mistake in it.
 * @param {string} title
 * @param {string} file
 * @param {string} good the program
 * @param {[what: string, from: string, to: string, message: string][]} mistakes
 */
const checkTypes = (title, file, good, mistakes) =>
  test(`${title}; TypeScript reports each mistake`, () => {
    const bad = mistakes.map(([, from, to], n) => [`bad-${n}-${file}`, good.replace(from, to)])
    const [own, ...reports] = compile({ [file]: good, ...Object.fromEntries(bad) })
    assert.equal(own, '')
    for (const [n, [what, , , message]] of mistakes.entries())
      assert.ok(reports[n].includes(message), `${what}: ${reports[n]}`)
  })

checkTypes('a strict TypeScript project compiles against its types', 'good.ts', good, [
  ['whole numbers as floats', 'qkv.trace(x,', 'qkv.trace({ data: new Int32Array(6), dims: [3, 2] },', 'Int32Array'],
  ['a misspelt option', 'causal: true', 'casual: true', "'casual' does not exist in type"],
  ['a score that is none', "'gaussian'", "'gauss'", `'"gauss"' is not assignable`],
  ['an option of a wrong kind', '[2, 0]', '2', "Type 'number' is not assignable to type 'readonly [number, number]'"],
  ['an option of load that is none', '{ wasm:', '{ wsam:', "'wsam' does not exist in type"],
  ['a name that nothing returns', 'trace.weights', 'trace.weigths', "'weigths' does not exist on type 'Trace'"],
  ['a class that only the core makes', 'new QkvError', 'new Qkv', "'Qkv' cannot be used as a value"],
])

const required = "import qkv = require('qkv')\nqkv.load().then((core: qkv.Qkv) => core.softmax([1, 2]))"
checkTypes('it compiles where it requires the package', 'good.cts', required, [
  ['a name that the core has not', 'softmax', 'sotfmax', "'sotfmax' does not exist on type 'Qkv'"],
])

const elements = `import { texts, type QkvHeatmap } from 'qkv/elements'
  import 'qkv/elements/flow'
  import widget from 'qkv/anywidget'
  import type { AnyWidget } from '${join(root, 'node_modules/@anywidget/types/dist/index.js')}'
  const map: QkvHeatmap = document.createElement('qkv-heatmap')
  map.matrix = { data: new Float32Array(4), dims: [2, 2] }
  map.addEventListener('cell-edit', ({ detail }) => console.log(detail.row + detail.old, detail.isFirst))
  map.addEventListener('click', ({ clientX }) => console.log(clientX))
  document.querySelector('qkv-heads')?.addEventListener('head-select', ({ detail }) => console.log(detail.head + 1))
  document.querySelector('qkv-flow')?.addEventListener('flow-frame', ({ detail }) => console.log(detail.step === 'mask'))
  const picture: Promise<Blob> = map.toPNG()
  const text: Promise<string> = map.toSVG()
  const notebook: AnyWidget = widget
  console.log(texts.queries.length, picture, text, notebook)`

const interpret = `import { load } from 'qkv'
  import { ablate, backward, edges, patch, type Objective, type PatchListOptions } from 'qkv/interpret'
  import { type GenerateOptions, type HubError, type LoadError, loadModel, writeSafetensors } from 'qkv/models'
  import { stories } from 'qkv/stories'
  import { AdamW, parameters } from 'qkv/train'
  const qkv = await load()
  const model = await loadModel(qkv, stories)
  const of: Objective = { logits: [{ position: -1, token: ' tom' }] }
  const lists: PatchListOptions = { clean: ['a'], corrupted: ['b'], of: [logits => logits.at(0, -1, 3)] }
  const { mean } = await patch(model, lists)
  await edges(model, 'a', { of })
  await ablate(model, 'a', { of: logits => logits.at(0, -1, 3) })
  await backward(model, 'a', { of: logits => logits })
  const options: GenerateOptions = { firstToken: 'de', numBeams: 4 }
  const optimizer = new AdamW(parameters(qkv, { w: [1] }))
  writeSafetensors({ ...optimizer.stateDict(), rows: [[1, 2]], x: { data: new Float32Array(3), dims: [3] } })
  const isGated = (error: LoadError) => error.name === 'HubError' && (error as HubError).code === 'GATED'
  console.log(mean.effects?.dims, options, isGated)`
checkTypes('objectives, tensors of files and errors of loadModel have types', 'interpret.ts', interpret, [
  ['a number where a gradient is needed', 'of: logits => logits }', 'of: logits => 3 }', "'number' is not assignable"],
  [
    'classes for edges',
    "edges(model, 'a', { of })",
    "edges(model, 'a', { of: { classes: [{ class: 1 }] } })",
    "'classes' does not exist",
  ],
  ['whole numbers in a file', 'data: new Float32Array(3)', 'data: new Int32Array(3)', 'Int32Array'],
  ['a code that the hub has not', "'GATED'", "'GATE'", 'have no overlap'],
])

const models = `import { load, type TensorLike } from 'qkv'
  import type { TensorLike as TensorLikeOfElements } from 'qkv/elements'
  import { type Keep, loadModel, type Place } from 'qkv/models'
  import { stories } from 'qkv/stories'
  import wasm from 'qkv/qkv.wasm'
  import integers from 'qkv/qkv.integers.wasm'
  import relaxed from 'qkv/qkv.relaxed.wasm'
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
  const areOne: Same<TensorLike, TensorLikeOfElements> = true
  const qkv = await load({ wasm, integers })
  const model = await loadModel(await load({ wasm: new URL(relaxed, import.meta.url) }), stories)
  const keep: Keep[] = ['attentions', 'hiddenStates.3', 'encoderAttentionSummaries.0', 'crossAttentions']
  const place: Place = 'decoder.layers.*.cross.weights.2'
  const { attentions } = await model.forward({ ids: [1] }, { keep, hooks: { 'layers.3.heads.5': 0, [place]: 'mean' } })
  const { ids } = model.padded(['a', ['b', 'c']])
  const first: number[] | undefined = ids[0]
  const [q, k, v] = qkv.generator(1).randn([3, 4]).split([1, 1, 1])
  console.log(areOne, attentions[0]?.dims, first, q.dims, k.dims, v.dims)`

checkTypes(
  'the names of what is kept and of places, tensors, wasm files and parts of a split have types',
  'models.ts',
  models,
  [
    ['a name of what is kept that is none', "'hiddenStates.3'", "'hiddenState.3'", '"hiddenState.3"'],
    ['a place of a hook that is none', "'layers.3.heads.5'", "'layers.3.haeds.5'", "'layers.3.haeds.5'"],
  ],
)

test('the types of the library compile without the DOM, and name no generic array, which TypeScript before 5.7 has not', () => {
  const entries = LIBRARY.map(({ name }, n) => `import * as e${n} from 'qkv${name === 'index' ? '' : `/${name}`}'`)
  writeFileSync(join(project, 'bare.ts'), `${entries.join('\n')}\nexport { ${LIBRARY.map((_, n) => `e${n}`)} }\n`)
  const options = '--noEmit --strict --target es2022 --module nodenext --lib es2022 --typeRoots ./none --pretty false'
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, ...options.split(' '), 'bare.ts'], {
    cwd: project,
    encoding: 'utf8',
  })
  assert.equal(stdout, '')
  for (const { name } of LIBRARY)
    assert.doesNotMatch(readFileSync(join(installed, `dist/${name}.d.ts`), 'utf8'), /\w+Array<Array/, name)
})

test('in the types, the comment of a field is about this field', () => {
  for (const name of files.filter(file => file.endsWith('.d.ts'))) {
    const text = readFileSync(join(installed, name), 'utf8')
    for (const [comment] of text.matchAll(/^ +\/\*\*(?:(?!\*\/)[\s\S])*\*\//gm))
      assert.doesNotMatch(comment, /\n *\*\n/, `${name}: ${comment}`)
    for (const [, , last] of text.matchAll(/(\n \* .*|\/\*\* )(hf:\S*)/g)) assert.doesNotMatch(last, /\[$/, name)
  }
})

checkTypes(
  'the elements have the types of their tags and of their events, the widget that of anywidget',
  'elements.ts',
  elements,
  [
    ['a detail that an event has not', 'detail.old', 'detail.odl', "'odl' does not exist"],
    ['a tag that is none', "'qkv-heads'", "'qkv-haeds'", "'detail'"],
    ['a tensor that is none', 'data: new Float32Array(4)', 'date: [1]', "'date' does not exist"],
  ],
)

symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'))
const jsx = `import type {} from 'qkv/elements/react'
  export const map = <qkv-heatmap matrix={{ data: [1], dims: [1, 1] }} label="A map"
    oncell-pin={({ detail }) => console.log(detail.row + 1)} />`
checkTypes('the elements have types in the JSX of React 19', 'good.tsx', jsx, [
  ['a detail that an event has not', 'detail.row', 'detail.wor', "'wor' does not exist"],
  ['dims that are no list', 'dims: [1, 1]', "dims: 'one'", "Type 'string' is not assignable"],
])

test('docs/elements.md lists each property, attribute, event, part and CSS property of custom-elements.json', () => {
  const { modules } = JSON.parse(readFileSync(join(installed, 'dist/custom-elements.json'), 'utf8'))
  const docs = read('docs/elements.md')
  const common = docs.slice(docs.indexOf('## Of all elements'), docs.indexOf('## `<qkv-heatmap>`'))
  const style = docs.slice(docs.indexOf('## Colours and sizes'))
  assert.equal(modules.length, ELEMENTS.filter(({ tag }) => tag).length)
  for (const { path, declarations } of modules) {
    assert.ok(files.includes(path), path)
    const [{ tagName, members, attributes, events, cssParts, cssProperties }] = declarations
    const start = docs.indexOf(`## \`<${tagName}>\``)
    const { isPlain } = ELEMENTS.find(({ tag }) => tag === tagName) ?? {}
    const own = docs.slice(start, docs.indexOf('\n## ', start)) + (isPlain ? '' : common)
    assert.ok(start > 0 && members.length > 3 && events.length > 0, tagName)
    assert.equal(cssProperties.length > 5, !isPlain, tagName)
    for (const { name } of [...members, ...attributes, ...events, ...cssParts])
      assert.match(own, new RegExp(`\`${name}[\`(]`), `${tagName}: ${name}`)
    for (const { name } of cssProperties) assert.ok(style.includes(`\`${name}\``), name)
  }
})

test('the types declare what a user can call, and nothing internal', () => {
  const types = readFileSync(join(installed, 'dist/index.d.ts'), 'utf8')
  assert.doesNotMatch(types, /[:<|] ?any\b/, 'no any in what a user calls')
  assert.doesNotMatch(types, /\bCore\b|@typedef|import\(/, 'mark as @internal what takes a Core')
  assert.match(types, /\* @param q \(L, D\), \(H, L, D\) or \(B, H, L, D\)/)
})

test('the tests import the sources, not the last build', () => {
  for (const name of readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' }))
    if (/^(articles\/)?[\w.-]+\.js$/.test(name) && !/^(package|readme)\.test/.test(name))
      assert.doesNotMatch(read(`tests/${name}`).replace(/@import .*/g, ''), /from 'qkv/, name)
})
