// What a user reads of the declarations that tsc makes of the sources: one file with all that index.d.ts reaches, and
// of each comment what the declaration below it does not say.

import { readdirSync, readFileSync } from 'node:fs'

/** Without the `{...}` that follow tags: the declaration has them. @param {string} text */
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

/** @param {string} comment @param {string} indent */
function lean(comment, indent) {
  const text = withoutTypes(comment.replace(/^\s*\* ?/gm, ''))
  const [description, ...tags] = text.split(/\s*(?=@[a-z]+\b)/)
  const told = tags
    .map(tag => tag.replace(/\s+/g, ' ').trim())
    .filter(tag => /^@(?:param \S+|returns|throws) \S/.test(tag))
  const lines = [...description.trim().split('\n'), ...told].filter((line, i) => i || line)
  if (lines.length < 2) return lines.map(line => `${indent}/** ${line.trim()} */\n`).join('')
  return `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/**
 * The names that are declared in a folder of declarations, with their texts.
 * @param {string} folder
 */
function declarations(folder) {
  /** @type {Map<string, string>} */
  const found = new Map()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file === 'index.d.ts' || !file.endsWith('.d.ts')) continue
    const text = readFileSync(`${folder}/${file}`, 'utf8')
      .replace(/^( *)\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n/gm, (_, indent, comment) => lean(comment, indent))
      .replace(/import\(['"]\.{1,2}\/[\w./-]+\.js['"]\)\./g, '')
      .replace(/^ +/gm, indent => indent.slice(indent.length / 2))
    // A comment belongs to what follows it; tsc begins each declaration, and nothing else, without indent.
    for (const [statement, name] of text.matchAll(
      /(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:declare )?(?:abstract )?(?:type|class|function|const|interface) (\w+)[\s\S]*?(?=^(?:export|import|\/\*\*)|$(?![\s\S]))/gm,
    )) {
      if (statement === `export type ${name} = ${name};\n`) continue // an alias of what another file declares
      if ((found.get(name) ?? statement) !== statement) throw new Error(`two different declarations of ${name}`)
      found.set(name, statement)
    }
  }
  return found
}

/** What an entry exports. @param {string} folder @param {string} entry */
function exportsOf(folder, entry) {
  const text = readFileSync(`${folder}/${entry}.d.ts`, 'utf8')
  const passedOn = [...text.matchAll(/^export \{ ([^}]+) \} from/gm)].flatMap(([, names]) => names.split(', '))
  const made = [...text.matchAll(/^export declare function (\w+)/gm)].map(([, name]) => name)
  const isIndex = entry === 'index' // elsewhere an alias of an import is not for others
  const types = [...text.matchAll(isIndex ? /^export type (\w+)/gm : /^export type (\w+)(?:<.*>)? = (?!import)/gm)]
  return { values: [...passedOn, ...made], types: types.map(([, name]) => name) }
}

/**
 * @param {string} folder
 * @param {string} [entry]
 * @param {string} [base] another entry, of which this one takes what that exports
 * @returns {string} the text of one file
 */
export function publicTypes(folder, entry = 'index', base) {
  const all = declarations(folder)
  const { values, types } = exportsOf(folder, entry)
  const given = base ? Object.values(exportsOf(folder, base)).flat() : []
  const reached = new Set([...values, ...types])
  for (const name of reached) {
    const text = all.get(name)
    if (!text) throw new Error(`${entry}.js exports ${name}, which nothing declares`)
    if (given.includes(name)) continue
    const code = text.replace(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g, '')
    for (const [word] of code.matchAll(/\b[A-Z]\w*/g)) if (all.has(word)) reached.add(word)
  }
  const taken = [...reached].filter(name => given.includes(name))
  const texts = [...reached]
    .filter(name => !given.includes(name))
    .map(name =>
      all
        .get(name)
        ?.replace(/^export (?:declare )?(?=type)/m, '')
        .replace(/^export /m, ''),
    )
  const imports = taken.length ? `import type { ${taken.join(', ')} } from './${base}.js';\n` : ''
  return `${imports}${texts.join('')}export { ${values.join(', ')} };\nexport type { ${types.join(', ')} };\n`
}
