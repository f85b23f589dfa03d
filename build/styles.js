// This program checks the styles of the page, for `npm run lint`: sizes of type, colours of text and borders stand in tokens.css
// and primitives.css alone, so that the file of a room only places things; every class has an element that wears it; and no rule is
// about any element behind another one: whatever came into the page would give all of it its style anew (64 ms of 2,200 elements).

import { readdirSync, readFileSync } from 'node:fs'

const web = new URL('../web/', import.meta.url)
const SHARED = ['tokens.css', 'primitives.css']
const LOOKS = /^\s*((?:font(?:-size|-family)?|color|border(?!-spacing|-collapse)[\w-]*)\s*:[^;]*)/

/** Declarations of a room's file that belong into the shared ones. @param {string} file @param {string} css */
const looksOf = (file, css) =>
  css.split('\n').flatMap((line, i) => {
    const [, declaration] = LOOKS.exec(line) ?? []
    return declaration ? [`${file}:${i + 1}: "${declaration}" belongs into ${SHARED.join(' or ')}`] : []
  })

/** Classes of a file that no template names, whole or as a beginning such as `step-${id}`. @param {string} file @param {string} css @param {string} code */
function unusedOf(file, css, code) {
  const classes = new Set(css.replace(/\/\*[\s\S]*?\*\//g, '').match(/\.[a-z][\w-]*(?=[^{}]*\{)/g) ?? [])
  const isNamed = (/** @type {string} */ name) =>
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(code) ||
    name.split('-').some((_, i, parts) => code.includes(`${parts.slice(0, i).join('-')}-\${`) && i > 0)
  return Array.from(classes, each => each.slice(1))
    .filter(name => !isNamed(name))
    .map(name => `${file}: no template has the class "${name}"`)
}

/** Rules about any sibling, such as `p + *`. @param {string} file @param {string} css */
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
