// Checks the styles of the page, for `npm run lint`. Font sizes, text colours and borders may be set only in tokens.css and primitives.css,
// so that a room's file contains layout only. Every class must be used by a template. No selector may match any sibling (`p + *`), because
// then each element added to the page restyles all of it (64 ms for 2,200 elements).

import { readdirSync, readFileSync } from 'node:fs'

const web = new URL('../web/', import.meta.url)
const SHARED = ['tokens.css', 'primitives.css', 'models-primitives.css']
const LOOKS = /^\s*((?:font(?:-size|-family)?|color|border(?!-spacing|-collapse)[\w-]*)\s*:[^;]*)/

/** Lists declarations of a room's file that belong in the shared files. @param {string} file @param {string} css */
const looksOf = (file, css) =>
  css.split('\n').flatMap((line, i) => {
    const [, declaration] = LOOKS.exec(line) ?? []
    return declaration ? [`${file}:${i + 1}: "${declaration}" belongs into ${SHARED.join(' or ')}`] : []
  })

/**
 * Lists classes of a file that no template uses, in full or by a prefix such as `step-${id}`.
 * @param {string} file
 * @param {string} css
 * @param {string} code
 */
function unusedOf(file, css, code) {
  const classes = new Set(css.replace(/\/\*[\s\S]*?\*\//g, '').match(/\.[a-z][\w-]*(?=[^{}]*\{)/g) ?? [])
  const isNamed = (/** @type {string} */ name) =>
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code) ||
    name.split('-').some((_, i, parts) => code.includes(`${parts.slice(0, i).join('-')}-\${`) && i > 0)
  return Array.from(classes, each => each.slice(1))
    .filter(name => !isNamed(name))
    .map(name => `${file}: no template has the class "${name}"`)
}

/** Lists selectors that match any sibling, such as `p + *`. @param {string} file @param {string} css */
const siblingsOf = (file, css) =>
  (css.replace(/\/\*[\s\S]*?\*\//g, '').match(/[+~]\s*\*/g) ?? []).map(
    found => `${file}: "${found.replace(/\s+/g, ' ')}" restyles the whole page: write ":not(:first-child)"`,
  )

const names = readdirSync(new URL('style/', web)).filter(name => name.endsWith('.css'))
const sheets = names.map(name => ({ name, css: readFileSync(new URL(`style/${name}`, web), 'utf8') }))
const scripts = readdirSync(web, { recursive: true }).filter(name => /\.js$/.test(String(name)))
const code = scripts.map(name => readFileSync(new URL(String(name), web), 'utf8')).join('\n')

const found = sheets.flatMap(({ name, css }) => [
  ...(SHARED.includes(name) ? [] : looksOf(name, css)),
  ...unusedOf(name, css.replace(/@import.*/g, ''), code),
  ...siblingsOf(name, css),
])
for (const line of found) console.error(line)
if (found.length) process.exitCode = 1
