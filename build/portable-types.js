// Makes types portable: they compile without lib.dom, and in TypeScript 5.4, whose typed arrays are not generic.

/** Web types. A declaration file that uses one gets a type of this name: the user's global type, or `never` if there is none. */
const GLOBALS = ['AbortSignal', 'Blob', 'File', 'Response', 'URL']
const OWN = {
  BufferSource: 'type BufferSource = ArrayBuffer | ArrayBufferView;',
  WebAssembly:
    'declare namespace WebAssembly {\n  type Module = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : never;\n}',
}

/** Adds declarations of the web types that a declaration file uses, and replaces generic typed arrays. @param {string} text of a .d.ts file */
export function portable(text) {
  const code = text.replace(/\/\*\*[\s\S]*?\*\//g, '')
  const needs = (/** @type {string} */ name) => new RegExp(`\\b${name}\\b`).test(code)
  const globals = GLOBALS.filter(needs).map(
    name => `type ${name} = typeof globalThis extends { ${name}: { prototype: infer T } } ? T : never;`,
  )
  const own = Object.entries(OWN).flatMap(([name, line]) => (needs(name) ? line : []))
  const arrays = text
    .replace(/\b(\w+Array)<ArrayBufferLike>/g, '$1')
    .replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<$1Constructor["of"]>')
  return [...globals, ...own, arrays].join('\n')
}
