// Makes a plugin that drops the indentation inside templates when the page is built. HTML treats a line break like any white space.

/**
 * Returns the template literals with tag html or svg in a program.
 * @param {any} node of the program's syntax tree
 * @param {any[]} [found]
 * @returns {{ quasi: { quasis: { start: number, end: number }[] } }[]}
 */
function templatesIn(node, found = []) {
  if (node?.type === 'TaggedTemplateExpression' && /^(html|svg)$/.test(node.tag.name)) found.push(node)
  for (const value of Object.values(node ?? {}))
    if (Array.isArray(value)) for (const each of value) templatesIn(each, found)
    else if (typeof value?.type === 'string') templatesIn(value, found)
  return found
}

/**
 * Replaces, in the templates of `code`, each run of white space that contains a line break by one line break.
 * @param {string} code
 * @param {(code: string) => object} parse
 */
export function withoutIndentation(code, parse) {
  const parts = templatesIn(parse(code)).flatMap(({ quasi }) => quasi.quasis)
  parts.sort((a, b) => a.start - b.start)
  let at = 0
  let said = ''
  for (const { start, end } of parts) {
    said += code.slice(at, start) + code.slice(start, end).replace(/[ \t]*\n\s*/g, '\n')
    at = end
  }
  return said + code.slice(at)
}

/** @returns {import('rolldown').Plugin} */
export const templates = () => ({
  name: 'templates',
  transform(code, id) {
    if (!/\/web\/.*\.js$/.test(id) || !/(html|svg)`/.test(code)) return null
    return { code: withoutIndentation(code, text => this.parse(text)), map: null }
  },
})
