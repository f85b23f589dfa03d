// Adds a strict Content-Security-Policy to the built page, and makes a single-file version that can be opened from a disk.

import { createHash } from 'node:crypto'

/** The model hub, and the storage to which the hub redirects. All its hosts are in https://huggingface.co/.well-known/meta.json. */
const HUB = 'https://huggingface.co https://*.hf.co'

/**
 * Returns a policy that allows scripts and styles from one source only, and no requests to other hosts except the hub. Compiling
 * WebAssembly needs 'wasm-unsafe-eval'.
 * @param {{ script: string, style: string, connect: string, worker: string }} sources
 */
const policy = ({ script, style, connect, worker }) =>
  [
    "default-src 'none'",
    `script-src ${script} 'wasm-unsafe-eval'`,
    `style-src ${style}`,
    `img-src ${connect} data: blob:`,
    `connect-src ${connect} ${HUB}`,
    `worker-src ${worker}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

const SELF = policy({ script: "'self'", style: "'self'", connect: "'self'", worker: "'self'" })

/** @param {string} content */
const meta = content => `<meta http-equiv="Content-Security-Policy" content="${content}" />`

/**
 * Makes the plugin that adds the policy to the built page.
 * @returns {import('vite').Plugin}
 */
export const contentSecurityPolicy = () => ({
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: { order: 'post', handler: html => html.replace('<head>', () => `<head>\n    ${meta(SELF)}`) },
})

/** @param {string} text */
const hashOf = text => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/**
 * Returns the page with its script and style inlined, which the policy allows by their hashes.
 * @param {string} html as built, with the policy
 * @param {string} script
 * @param {string} style
 * @param {string} icon
 */
export function singleFile(html, script, style, icon) {
  // Escapes text that would end the script element early. It occurs only in strings, where the escape is valid.
  const code = script.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\x21--')
  if (/<\/style/i.test(style)) throw new Error('a style sheet holds </style')
  const sources = { script: hashOf(code), style: hashOf(style), connect: 'data:', worker: 'blob:' }
  const own = meta(policy(sources).replace('data: data:', 'data:'))
  const parts = /** @type {[RegExp | string, string][]} */ ([
    [meta(SELF), own],
    [/href="[^"]*icon[^"]*"/, `href="data:image/svg+xml;base64,${Buffer.from(icon).toString('base64')}"`],
    [/\s*<link rel="stylesheet"[^>]*>/, `\n    <style>${style}</style>`],
    [/\s*<script type="module"[^>]*><\/script>/, `\n    <script type="module">${code}</script>`],
  ])
  return parts.reduce((text, [part, whole]) => {
    if (text.search(part instanceof RegExp ? part : part.replace(/[^\w\s]/g, '\\$&')) < 0)
      throw new Error(`the built page has no ${part}`)
    return text.replace(part, () => whole)
  }, html)
}
