import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))

// The page lives in web/ and uses the package by its public name.
export default defineConfig({
  root: at('web'),
  base: './', // any host, any sub-path
  resolve: { alias: { qkv: at('src/index.js') } },
  server: { fs: { allow: [at('.')] } },
  build: { outDir: at('site'), emptyOutDir: true, assetsInlineLimit: 0 },
})
