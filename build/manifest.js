// Writes custom-elements.json, which describes the elements for editors and Storybook
// (https://custom-elements-manifest.open-wc.org).

import { readFileSync } from 'node:fs'
// @ts-expect-error the package declares only the types of its command
import { create, ts } from '@custom-elements-manifest/analyzer'
// @ts-expect-error the package has no types
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js'
import { ELEMENTS } from './entries.js'

const BASE = 'web/elements/base.js'

/** @typedef {{ name: string, fieldName?: string, privacy?: string, description?: string, type?: { text: string } }} Member */
/** @typedef {{ name: string, tagName?: string, members: Member[], events: Member[], attributes: Member[], cssParts: Member[], cssProperties: Member[], superclass?: object }} Declaration */

/** @param {string} source @param {string} name @returns {boolean} true if the property is marked @internal */
const isInternal = (source, name) => new RegExp(`@internal(?:(?!\\*/)[\\s\\S])*\\*/\\s*this\\.${name} =`).test(source)

/** Returns the content of custom-elements.json. @returns {{ schemaVersion: string, modules: { path: string, declarations: Declaration[], exports: object[] }[] }} */
export function manifest() {
  const elements = ELEMENTS.filter(({ tag }) => tag)
  const files = [BASE, ...elements.map(({ source }) => source)]
  const texts = new Map(files.map(path => [path, readFileSync(path, 'utf8')]))
  const modules = files.map(path => ts.createSourceFile(path, texts.get(path) ?? '', ts.ScriptTarget.ES2022, true))
  const found = create({ modules, plugins: litPlugin() })
  /** @param {string} source @param {string | undefined} name @returns {Declaration} */
  function declarationOf(source, name) {
    const { declarations } = found.modules.find((/** @type {{ path: string }} */ { path }) => path === source)
    const declaration = declarations.find((/** @type {Declaration} */ each) => each.name === name)
    const isPublic = (/** @type {Member} */ { name, fieldName = name, privacy }) =>
      privacy !== 'private' && !isInternal(texts.get(source) ?? '', fieldName)
    return {
      ...declaration,
      members: declaration.members.filter(isPublic),
      attributes: (declaration.attributes ?? []).filter(isPublic),
      events: (declaration.events ?? []).filter((/** @type {Member} */ { description }) => description),
    }
  }
  const base = declarationOf(BASE, 'QkvElement') // the base class, which the package does not export
  return {
    schemaVersion: found.schemaVersion,
    modules: elements.map(({ name, source, tag, element, isPlain }) => {
      const declaration = declarationOf(source, element)
      const shared = isPlain ? { members: [], attributes: [], cssParts: [], cssProperties: [] } : base
      const wire = { name: element, module: `dist/${name}.js` }
      return {
        kind: 'javascript-module',
        path: wire.module,
        declarations: [
          {
            ...declaration,
            tagName: tag,
            superclass: { name: 'HTMLElement' },
            members: [...declaration.members, ...shared.members],
            attributes: [...declaration.attributes, ...shared.attributes],
            cssParts: [...(declaration.cssParts ?? []), ...shared.cssParts],
            cssProperties: [...(declaration.cssProperties ?? []), ...shared.cssProperties],
          },
        ],
        exports: [
          { kind: 'js', name: element, declaration: wire },
          { kind: 'custom-element-definition', name: tag, declaration: wire },
        ],
      }
    }),
  }
}
