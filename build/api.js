// Writes docs/api.md from the types of dist/: each call of each entry, with its parameters, its result and what it does.
//   npm run api

import { readFileSync, writeFileSync } from 'node:fs'
import { LIBRARY, STORIES } from './entries.js'

const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url)
const ENTRIES = [...LIBRARY, STORIES]

/** @typedef {{ comment: string, text: string }} Declaration */

/**
 * Returns the declarations in `text` that are indented by exactly `indent`, each with the comment before it.
 * @param {string} text
 * @param {string} indent
 * @returns {Declaration[]}
 */
function declarations(text, indent) {
  const start = new RegExp(`^(?:${indent}/\\*\\*([\\s\\S]*?)\\*/\\n)?${indent}([\\w#[].*)$`, 'gm')
  /** @type {Declaration[]} */
  const found = []
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const from = match.index + match[0].length - match[2].length
    const end = endOf(text, from)
    found.push({ comment: (match[1] ?? '').replaceAll(/^\s*\* ?/gm, ''), text: text.slice(from, end) })
    start.lastIndex = end
  }
  return found
}

/**
 * Returns the index where the declaration that begins at `from` ends: at a `;` outside of brackets, or at the bracket that closes a body.
 * @param {string} text
 * @param {number} from
 */
function endOf(text, from) {
  const isBody = /^(declare )?(class|namespace|interface) /.test(text.slice(from))
  let depth = 0
  for (let i = from; i < text.length; i++) {
    if (text.startsWith('/*', i)) i = text.indexOf('*/', i) + 1
    else if ('({['.includes(text[i])) depth++
    else if (')}]'.includes(text[i]) && --depth === 0 && isBody) return i + 1
    else if (text[i] === ';' && !depth) return i + 1
  }
  return text.length
}

/** Splits a text at each `separator` outside of brackets. @param {string} text @param {string} separator */
function split(text, separator) {
  const parts = ['']
  let depth = 0
  for (const [i, letter] of [...text].entries()) {
    if ('({[<'.includes(letter)) depth++
    if (')}]'.includes(letter) || (letter === '>' && text[i - 1] !== '=')) depth--
    if (letter === separator && !depth) parts.push('')
    else parts[parts.length - 1] += letter
  }
  return parts.map(part => part.trim()).filter(Boolean)
}

/** Returns the index of the bracket that closes the one at `open`. @param {string} text @param {number} open */
function closing(text, open) {
  let depth = 0
  for (let i = open; i < text.length; i++) {
    if ('({[<'.includes(text[i])) depth++
    if ((')}]'.includes(text[i]) || (text[i] === '>' && text[i - 1] !== '=')) && --depth === 0) return i
  }
  return text.length
}

/** Splits `name<T>(parameters): type`, or `name: (parameters) => type`, into its parts. @param {string} text */
function signature(text) {
  const [name] = /^\w+/.exec(text) ?? ['']
  const rest = text.slice(name.length).replace(/^\s*:\s*/, '')
  const open = rest.startsWith('<') ? closing(rest, 0) + 1 : 0
  const close = closing(rest, open)
  const names = split(rest.slice(open + 1, close), ',').map(
    parameter => (parameter.match(/^(\.\.\.)?\w+\??/) ?? [''])[0],
  )
  return { name, names, returns: rest.slice(close + 1).replace(/^\s*(:|=>)\s*|;\s*$/g, '') }
}

/** Returns a type on one line. An object type becomes a list of its keys. @param {string} type */
function short(type) {
  const line = type
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ReturnType<(\w+)Constructor\["of"\]>/g, '$1')
  const keys = line.match(/^(Promise<)?\{ (.*?);? \}(>?)$/)
  if (keys)
    return `${keys[1] ?? ''}{ ${split(keys[2], ';')
      .map(field => field.replace(/^readonly /, '').split(/[?:(]/)[0])
      .join(', ')} }${keys[3]}`
  return line
}

/** Returns the first sentence of a comment, and the text of its `@returns`. @param {string} comment */
function told(comment) {
  const [about, ...tags] = comment.trim().split(/\s+(?=@(?:param|returns|throws|type|template)\b)/)
  const [sentence] = about.replaceAll(/\s+/g, ' ').match(/^.*?\.(?= [A-Z`]|$)|^.*$/) ?? ['']
  const returned =
    tags
      .find(tag => tag.startsWith('@returns'))
      ?.replaceAll(/\s+/g, ' ')
      .replace('@returns ', '') ?? ''
  return { sentence: sentence.startsWith('@') ? '' : sentence, returned }
}

const code = (/** @type {string} */ text) => `\`${text.replaceAll('|', '\\|')}\``
const cell = (/** @type {string} */ text) => text.replaceAll('|', '\\|')

/** Returns a declaration's row for a table with the columns of TABLE. @param {Declaration} declaration @param {string} text the declaration without keywords */
function row({ comment }, text) {
  const { sentence, returned } = told(comment)
  const property =
    text.match(/^(?:get |readonly |static )*(\w+)\??\s*:\s*([\s\S]*?);?$/) ??
    text.match(/^get (\w+)\(\): ([\s\S]*?);?$/)
  const isCall = !property || /^(<.*>)?\(.*\) =>/s.test(property[2])
  const { name, names, returns } =
    property && !isCall ? { name: property[1], names: undefined, returns: property[2] } : signature(text)
  const does = [sentence, returned && `Returns ${returned}.`].filter(Boolean).join(' ')
  return `| ${code(names ? `${name}(${names.join(', ')})` : name)} | ${code(short(returns))} | ${cell(does)} |`
}

const TABLE = ['| call | returns | |', '| --- | --- | --- |']

/** @param {import('./entries.js').Entry} entry */
function entryPage({ name }) {
  const text = readFileSync(at(`dist/${name}.d.ts`), 'utf8')
  const lists = Array.from(text.matchAll(/^export (type )?\{ (.*) \};$/gm), ([, , list]) => list.split(', '))
  const exported = new Set(lists.flat())
  const values = new Set(lists[0])
  const all = declarations(text, '')
  const calls = all.flatMap(declaration => {
    const own = declaration.text.replace(/^(?:export )?declare /, '')
    const [, kind, id] = own.match(/^(function|const|class) (\w+)/) ?? []
    if (kind === 'class' || (!values.has(id) && !own.startsWith('const stories'))) return []
    return [row(declaration, own.replace(/^(function|const) /, ''))]
  })
  const classes = all.flatMap(({ comment, text: own }) => {
    const [, id] = own.match(/^declare class (\w+)/) ?? []
    if (!exported.has(id)) return []
    const body = own.slice(own.indexOf('{') + 1, -1)
    const members = declarations(body, '  ').filter(member => !/^(constructor|private|#|\[)/.test(member.text))
    return [
      `### ${id}`,
      '',
      told(comment).sentence,
      '',
      ...TABLE,
      ...members.map(member => row(member, member.text)),
      '',
    ]
  })
  return [
    `## qkv${name === 'index' ? '' : `/${name}`}`,
    '',
    ...(calls.length ? [...TABLE, ...calls, ''] : []),
    ...classes,
  ]
}

/** Returns the text of docs/api.md. */
export const page = () =>
  [
    '# All calls',
    '',
    'Made from the types by `npm run api`. Await calls that return a promise. Options and their defaults are in the pages of the entries and in the types.',
    '',
    ...ENTRIES.flatMap(entryPage),
  ]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')

if (process.argv[1] === new URL(import.meta.url).pathname) writeFileSync(at('docs/api.md'), page())
