// Tests the recipes of docs/elements.md for Vue, Svelte and React with the packed package: properties and events arrive.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { launch } from '../browser/browsers.js'
import { install, root } from '../packed.js'
import { serve } from './project.js'

const tools = fileURLToPath(new URL('node_modules', import.meta.url))
const { project, remove } = install()
after(remove)
for (const name of ['vue', 'svelte']) symlinkSync(join(tools, name), join(project, 'node_modules', name))
for (const name of ['react', 'react-dom', 'scheduler'])
  cpSync(join(root, 'node_modules', name), join(project, 'node_modules', name), { recursive: true })
const page = readFileSync(join(root, 'docs/elements.md'), 'utf8')
for (const [, name, text] of page.matchAll(/```\w+ (\S+)\n([\s\S]*?)```/g)) writeFileSync(join(project, name), text)

const chromium = await launch('chromium')
after(() => chromium.close())
const server = await serve(project)
after(server.close)

/**
 * Bundles a program and opens it in a page.
 * @param {string} name of the folder
 * @param {string} input
 * @param {{ html?: string, options?: import('rolldown').InputOptions }} [more] html: what the server has rendered
 */
async function bundleAndOpen(name, input, { html = '', options } = {}) {
  const define = { 'process.env.NODE_ENV': '"development"' } // React warns about unexpected properties
  await build({
    input: join(project, input),
    logLevel: 'silent',
    platform: 'browser',
    transform: { define },
    ...options,
    output: { dir: join(project, name), entryFileNames: 'main.js' },
  })
  const head = '<!doctype html><link rel="icon" href="data:,">'
  writeFileSync(
    join(project, name, 'index.html'),
    `${head}<div id="app">${html}</div><script type="module" src="main.js"></script>`,
  )
  return chromium.open(`${server.url}/${name}/`)
}

/** Opens a program. Checks that its map has the tensor, and that the program receives the event of a pinned cell. @type {(...args: Parameters<typeof bundleAndOpen>) => Promise<void>} */
async function tryPage(...args) {
  const opened = await bundleAndOpen(...args)
  await opened.until(
    () =>
      /** @type {any} */ (document.querySelector('qkv-heatmap'))?.describe?.({ row: 1, column: 0 }) ===
      'row 2 to column 1: 0.5000',
  )
  await opened.evaluate(() => {
    const detail = { row: 1, column: 0, value: 0.5 }
    document
      .querySelector('qkv-heatmap')
      ?.dispatchEvent(new CustomEvent('cell-pin', { detail, bubbles: true, composed: true }))
  })
  await opened.until(() => document.querySelector('p')?.textContent === '0.5')
  await opened.close()
  assert.deepEqual(
    chromium.complaints.splice(0).filter(text => !/React DevTools|development (?:build|version)/i.test(text)),
    [],
  )
}

test('Vue', () =>
  tryPage('vue', 'vue.js', { options: { resolve: { alias: { vue: join(tools, 'vue/dist/vue.esm-browser.js') } } } }))

test('Svelte', async () => {
  const { compile } = await import(pathToFileURL(join(tools, 'svelte/src/compiler/index.js')).href)
  const { js } = compile(readFileSync(join(project, 'App.svelte'), 'utf8'), { generate: 'client' })
  writeFileSync(join(project, 'App.js'), js.code)
  writeFileSync(
    join(project, 'svelte.js'),
    "import { mount } from 'svelte'\nimport App from './App.js'\nmount(App, { target: document.querySelector('#app') })",
  )
  await tryPage('svelte-page', 'svelte.js', {
    options: { resolve: { conditionNames: ['browser', 'import', 'default'] } },
  })
})

/** Renders the App as React's server does. @param {string} file */
async function onServer(file) {
  mkdirSync(join(project, 'server'), { recursive: true })
  writeFileSync(
    join(project, 'server.jsx'),
    `import { renderToString } from 'react-dom/server'\nimport { App } from './${file}'\nexport const html = renderToString(<App />)`,
  )
  await build({
    input: join(project, 'server.jsx'),
    logLevel: 'silent',
    platform: 'node',
    output: { dir: join(project, 'server'), entryFileNames: `${file}.mjs` },
  })
  return (await import(pathToFileURL(join(project, `server/${file}.mjs`)).href)).html
}

const hydrate = (/** @type {string} */ file) => `import { StrictMode } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { App } from './${file}'
hydrateRoot(document.querySelector('#app'), <StrictMode><App /></StrictMode>)`

test('React: HTML of a server is hydrated in StrictMode, and the element is made on the client', async () => {
  const html = await onServer('App.jsx')
  assert.equal(html, '<main><p></p></main>')
  writeFileSync(join(project, 'react.jsx'), hydrate('App.jsx'))
  await tryPage('react', 'react.jsx', { html })
})

test('React leaves the properties of an element unset that a server has sent: the reason for the recipe', async () => {
  const app = readFileSync(join(project, 'App.jsx'), 'utf8')
  const plain = app
    .replace('{isClient && <qkv-heatmap', '<qkv-heatmap')
    .replace(' />}\n', ' />\n')
    .replace('<p>{pinned}</p>', '<p>{String(isClient)}</p>')
  assert.notEqual(plain, app)
  writeFileSync(join(project, 'Plain.jsx'), plain)
  const html = await onServer('Plain.jsx')
  assert.match(html, /<qkv-heatmap[^>]*label="Weights"[^>]*><\/qkv-heatmap>/)
  writeFileSync(join(project, 'plain.jsx'), hydrate('Plain.jsx'))
  const opened = await bundleAndOpen('plain', 'plain.jsx', { html })
  await opened.until(() => document.querySelector('p')?.textContent === 'true')
  assert.equal(
    await opened.evaluate(() => typeof (/** @type {any} */ (document.querySelector('qkv-heatmap')).matrix)),
    'undefined',
  )
  await opened.close()
})
