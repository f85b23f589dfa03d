// Tests that every bundler finds the optional package @huggingface/tokenizers, which BPE tokenizers need, and that every bundler builds without it.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { launch } from '../browser/browsers.js'
import { makeProject, serve } from './project.js'

const tool = (/** @type {string} */ path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const { folder, run, remove } = makeProject()
after(remove)
const chromium = await launch('chromium')
after(() => chromium.close())

/** Functions that build a page from texts/main.js into the folder `out`, by bundler. @type {Record<string, (out: string) => void>} */
const BUILDS = {
  Vite: out =>
    run(tool('.bin/vite'), ['build', 'texts', '--outDir', `../${out}`, '--base', './', '--logLevel', 'warn']),
  webpack: out => run(tool('.bin/webpack'), ['./texts/main.js', '--mode', 'production', '-o', out]),
  esbuild: out =>
    run(tool('.bin/esbuild'), [
      'texts/main.js',
      '--bundle',
      '--splitting',
      '--format=esm',
      '--loader:.wasm=file',
      `--outdir=${out}`,
    ]),
  Rollup: out =>
    run(tool('.bin/rollup'), [
      'texts/main.js',
      '--silent',
      '-p',
      tool('@rollup/plugin-node-resolve/dist/es/index.js'),
      '-f',
      'es',
      '-d',
      out,
    ]),
  'an import map': out => {
    const at = (/** @type {string} */ name) => `/node_modules/${name}`
    const imports = {
      qkv: at('qkv/dist/index.js'),
      'qkv/models': at('qkv/dist/models.js'),
      ...(out.endsWith('there') && { '@huggingface/tokenizers': at('@huggingface/tokenizers/dist/tokenizers.mjs') }),
    }
    mkdirSync(join(folder, out))
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`
    const main = '<script type="module" src="/texts/main.js"></script>'
    writeFileSync(join(folder, out, 'index.html'), `<!doctype html><link rel="icon" href="data:,">${map}${main}`)
  },
}

/** Builds and opens a page, and returns its answer. @param {string} name @param {string} out */
async function answerOf(name, out) {
  BUILDS[name](out)
  const at = join(folder, out)
  if (!readdirSync(at).includes('index.html')) cpSync(join(folder, 'texts/index.html'), join(at, 'index.html'))
  for (const wasm of ['qkv.wasm', 'qkv.relaxed.wasm'])
    if (name === 'Rollup' || name === 'esbuild') cpSync(join(folder, 'node_modules/qkv/dist', wasm), join(at, wasm))
  const model = join(at, 'model')
  cpSync(join(root, 'tests/goldens/models/gpt2-tiny'), model, { recursive: true })
  writeFileSync(join(model, 'tokenizer_config.json'), '{}')
  const server = await serve(folder)
  const page = await chromium.open(`${server.url}/${out}/`)
  await page.until(() => 'answer' in globalThis)
  const answer = await page.evaluate(() => /** @type {any} */ (globalThis).answer)
  await page.close()
  server.close()
  return answer
}

const TOKENS = 'The,Ġc,at'
const MISSING = /which is not installed: npm install/
const UNKNOWN = /which cannot be loaded here .* a bundler includes it where it is installed/
/** The optional packages that are installed, by the name of the state. */
const STATES = { missing: [], there: ['tokenizers'] }

for (const [state, packages] of Object.entries(STATES))
  for (const name of Object.keys(BUILDS))
    test(`${name}: a model with texts and a chat template, where installed are: ${packages.join(', ') || 'none'}`, {
      timeout: 400_000,
    }, async () => {
      for (const own of packages)
        cpSync(join(root, 'node_modules/@huggingface', own), join(folder, 'node_modules/@huggingface', own), {
          recursive: true,
        })
      const answer = await answerOf(name, `${name.replaceAll(' ', '-')}-${state}`)
      if (state === 'there') assert.equal(answer, `${TOKENS} Hi!`)
      else assert.match(answer, ['Vite', 'webpack'].includes(name) ? MISSING : UNKNOWN)
      assert.equal(answer.startsWith(TOKENS), state !== 'missing')
    })
