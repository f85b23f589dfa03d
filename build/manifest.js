// custom-elements.json: the elements as editors, Storybook and the like read them, https://custom-elements-manifest.open-wc.org

import { readFileSync } from 'node:fs'
// @ts-expect-error its types are those of its command
import { create, ts } from '@custom-elements-manifest/analyzer'
// @ts-expect-error it has no types
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js'
import { ELEMENTS } from './entries.js'

/** @typedef {{ name: string, privacy?: string, description?: string, type?: { text: string } }} Member */
/** @typedef {{ name: string, tagName?: string, members: Member[], events: Member[], attributes: Member[], cssParts: Member[], cssProperties: Member[], superclass?: object }} Declaration */

/** @returns {{ schemaVersion: string, modules: { path: string, declarations: Declaration[], exports: object[] }[] }} */
export function manifest() {
  const elements = ELEMENTS.filter(({ tag }) => tag)
  const modules = ['web/elements/base.js', ...elements.map(({ source }) => source)].map(path =>
    ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022, true),
  )
  const found = create({ modules, plugins: litPlugin() })
  return {
    schemaVersion: found.schemaVersion,
    modules: elements.map(({ name, source, tag, element }) => {
      const { declarations } = found.modules.find((/** @type {{ path: string }} */ { path }) => path === source)
      const declaration = declarations.find((/** @type {Declaration} */ { name }) => name === element)
      const isPublic = (/** @type {Member} */ { privacy }) => privacy !== 'private'
      const wire = { name: element, module: `dist/${name}.js` }
      return {
        kind: 'javascript-module',
        path: wire.module,
        declarations: [
          {
            ...declaration,
            tagName: tag,
            superclass: { name: 'HTMLElement' },
            members: declaration.members.filter(isPublic).map(withoutOrigin),
            attributes: declaration.attributes.map(withoutOrigin),
            events: declaration.events.filter((/** @type {Member} */ { description }) => description),
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

/** The base class is no module of the package. @param {any} member */
const withoutOrigin = ({ inheritedFrom: _, ...member }) => member
