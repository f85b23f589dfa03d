// Makes the public types from the declarations that tsc emits for the sources. Each entry becomes one file with all types that it needs.
// The file imports types that the file of an earlier entry declares.

import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const COMMENT = '/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n'

/** Removes the `{...}` after tags, because the declaration has the types. @param {string} text */
function withoutTypes(text) {
  let left = ''
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '{' && (depth || /@(?!throws)\w+ $/.test(left))) depth++
    if (!depth) left += text[i]
    else if (text[i] === '}') depth--
  }
  return left
}

/** Removes from a comment what the declaration below it repeats. @param {string} comment @param {string} indent */
function lean(comment, indent) {
  const text = withoutTypes(comment.replace(/^\s*\* ?/gm, ''))
  const [description, ...tags] = `\n${text}`.split(/\s+(?=@[a-z]+\b)/) // splitting at spaces keeps hf:owner/name@revision whole
  const told = tags
    .map(tag => tag.replace(/\s+/g, ' ').trim())
    .filter(tag => /^@(?:param \S+|returns|throws|type) \S/.test(tag))
    .map(tag => tag.replace(/^@type /, '')) // the text after a type is its description
  // If a comment declares several types, tsc appends the text about a type to the last field of the type before; it is cut here.
  const own = indent ? description.trim().split(/\n\s*\n/)[0] : description.trim()
  const lines = [...own.split('\n'), ...told].filter((line, i) => i || line)
  if (lines.length < 2) return lines.map(line => `${indent}/** ${line.trim()} */\n`).join('')
  return `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** Matches class members marked @internal. They are removed here, because tsc keeps those that a constructor creates. */
const INTERNAL = /^( +)\/\*\*(?:(?!\*\/)[\s\S])*@internal(?:(?!\*\/)[\s\S])*\*\/\n\1\S.*(?:\n\1[ }].*)*\n/gm

/**
 * Widens optional properties to accept undefined, as the library does. A program that passes on an option it did not get passes undefined,
 * which TypeScript refuses under exactOptionalPropertyTypes.
 * @param {string} text
 */
export function withUndefined(text) {
  const tokens = /\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\?:|[(){}[\];]/g
  /** Open brackets, and for an optional property the index where its type begins. @type {{ bracket: string, from?: number }[]} */
  const open = [{ bracket: '' }]
  /** Texts to insert, by index. @type {[at: number, text: string][]} */
  const inserts = []
  /** @param {number} from @param {number} to */
  const widen = (from, to) => {
    const type = text.slice(from, to).trim()
    if (/\bundefined$/.test(type)) return
    const isLong = /=>|\bextends\b/.test(type)
    if (isLong) inserts.push([from + 1, '('])
    inserts.push([to, `${isLong ? ')' : ''} | undefined`])
  }
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const inner = open[open.length - 1]
    if (token === '?:' && inner.bracket === '{' && inner.from === undefined) inner.from = index + 2
    else if ('({['.includes(token)) open.push({ bracket: token })
    else if (token === ';' || token === '}') {
      if (inner.from !== undefined) widen(inner.from, index)
      inner.from = undefined
      if (token === '}') open.pop()
    } else if (token === ')' || token === ']') open.pop()
  }
  return inserts.sort(([a], [b]) => b - a).reduce((left, [at, own]) => left.slice(0, at) + own + left.slice(at), text)
}

/** Stands for the declaration of a name that two modules declare differently. No entry can make such a name public. */
const TWICE = 'two different declarations'

/**
 * Returns a map from each name that is declared in a folder of .d.ts files to its declaration.
 * @param {string} folder
 */
function declarations(folder) {
  /** @type {Map<string, string>} */
  const found = new Map()
  const boundary = '(?=^(?:export|import|declare|/\\*\\*)|$(?![\\s\\S]))'
  const statements = new RegExp(
    `(?:^${COMMENT})?^(?:export )?(?:declare )?(?:abstract )?(?:type|class|function|const|let|interface) (\\w+)[\\s\\S]*?${boundary}`,
    'gm',
  )
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const text = readFileSync(`${folder}/${file}`, 'utf8')
      .replace(INTERNAL, '')
      .replace(new RegExp(`^( *)${COMMENT}`, 'gm'), comment => {
        const indent = comment.slice(0, comment.indexOf('/'))
        return lean(comment.trim().slice(3, -2), indent)
      })
      .replace(/(?<=extends )(?:\/\*\*.*?\*\/ )+/g, '') // tsc repeats the type of a cast base class
      .replace(/import\(['"]\.{1,2}\/[\w./-]+\.js['"]\)\./g, '')
      .replace(/^ +/gm, indent => indent.slice(indent.length / 2))
    /** @type {Map<string, string>} */
    const own = new Map()
    // A comment belongs to the statement after it; tsc indents everything except the start of a declaration.
    for (const [statement, name] of text.matchAll(statements)) {
      if (new RegExp(`type ${name}(<.*>)? = ${name}(<.*>)?;\\s*$`).test(statement)) continue // an alias of a type in another file
      own.set(name, (own.get(name) ?? '') + statement) // a function may have several signatures
    }
    for (const [name, statement] of own) {
      found.set(name, (found.get(name) ?? statement) === statement ? statement : TWICE)
    }
  }
  return found
}

/** Returns the names that a module exports, as values and as types. @param {string} text of its .d.ts file @param {boolean} withAliases true to include aliases of another module's types */
function exportsOf(text, withAliases) {
  const passedOn = [...text.matchAll(/^export \{ ([^}]+) \} from/gm)].flatMap(([, names]) => names.match(/\w+/g) ?? [])
  const made = [...text.matchAll(/^export (?:declare )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name)
  const types = [...text.matchAll(withAliases ? /^export type (\w+)/gm : /^export type (\w+)(?:<.*>)? = (?!import)/gm)]
  return { values: new Set([...passedOn, ...made]), types: new Set(types.map(([, name]) => name)) }
}

/**
 * @typedef {object} Entry
 * @property {string} name of the entry's file, without .d.ts
 * @property {string} module the module that the entry makes public, without .d.ts
 * @property {boolean} [withAliases] true if aliases that the module gives to another module's types are public, too
 * @property {string} [more] text to append to the file
 */

/**
 * Returns the public declaration file of each entry. A type that several entries use is declared in the first; the others import it.
 * @param {string} folder of declarations
 * @param {Entry[]} entries
 * @param {Record<string, string>} [elsewhere] maps types declared in another folder to the entry that declares them
 * @returns {Record<string, string>} the text of each file
 */
export function publicTypes(folder, entries, elsewhere = {}) {
  const all = declarations(folder)
  const owners = new Map(Object.entries(elsewhere))
  const parts = entries.map(({ name: entry, module, withAliases = false, more = '' }) => {
    const { values, types } = exportsOf(readFileSync(`${folder}/${module}.d.ts`, 'utf8'), withAliases)
    /** @type {Set<string>} */
    const taken = new Set()
    const reached = new Set([...values, ...types])
    for (const name of reached) {
      const text = all.get(name)
      if (!text) throw new Error(`${entry} exports ${name}, which nothing declares`)
      if (text === TWICE) throw new Error(`${entry} exports ${name}, of which there are two different declarations`)
      if (!owners.has(name)) owners.set(name, entry)
      if (owners.get(name) !== entry) {
        taken.add(name)
        continue
      }
      const code = text.replace(new RegExp(COMMENT, 'g'), '')
      for (const [word] of code.matchAll(/\b[A-Z]\w*|(?<=typeof )\w+/g)) if (all.has(word)) reached.add(word)
    }
    const own = [...reached].filter(name => !taken.has(name))
    return { entry, more, values, types, taken, own }
  })
  // The names that modules export as values. All others are exported as types, including classes that users cannot construct.
  const things = new Set(parts.flatMap(({ values }) => [...values]))
  const isValue = (/** @type {string} */ name) => things.has(name)
  return Object.fromEntries(
    parts.map(({ entry, more, values, types, taken, own }) => {
      const imports = new Map([...taken].map(name => [owners.get(name) ?? '', /** @type {string[]} */ ([])]))
      for (const name of taken) imports.get(owners.get(name) ?? '')?.push(name)
      const lines = [...imports].map(
        ([owner, names]) =>
          `import ${names.some(isValue) ? '' : 'type '}{ ${names.join(', ')} } from '${pathTo(entry, owner)}';\n`,
      )
      const texts = own.map(name =>
        (all.get(name) ?? '')
          .replace(/^export (?:declare )?(?=type|interface)/gm, '')
          .replace(/^export (?=declare)/gm, ''),
      )
      const outward = [...new Set([...values, ...types, ...own])] // with `own`, users can name every type of a signature
      const list = (/** @type {string} */ word, /** @type {string[]} */ names) =>
        names.length ? `${word} { ${names.join(', ')} };\n` : ''
      const exported =
        list('export', outward.filter(isValue)) +
        list(
          'export type',
          outward.filter(name => !isValue(name)),
        )
      return [entry, withUndefined([...lines, ...texts, more, exported].join(''))]
    }),
  )
}

/** Returns the import path from one file to another. @param {string} from @param {string} to */
function pathTo(from, to) {
  const path = posix.relative(posix.dirname(from), to)
  return `${path.startsWith('.') ? '' : './'}${path}.js`
}
