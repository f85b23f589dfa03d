// Reads a template of Lit without a browser: its elements with attributes, properties, listeners and text.

import { nothing } from 'lit'

/**
 * @typedef {object} Found
 * @property {string} tag
 * @property {Record<string, any>} attributes by name; properties have a leading dot: ".value"
 * @property {Record<string, (event: any) => void>} listeners by the name of the event
 * @property {string} text of the element and its descendants
 */

const VOID = new Set(['input', 'br', 'hr', 'img'])

/** Returns a template's value as HTML. Puts the values of attributes and listeners into `values`, and a mark ⟦index⟧ in their place. @param {any} value @param {unknown[]} values @returns {string} */
function write(value, values) {
  if (value === nothing || value === undefined || value === null || value === '') return ''
  if (Array.isArray(value)) return value.map(each => write(each, values)).join('')
  if (value.strings) {
    const { strings } = value
    return strings
      .map((/** @type {string} */ part, /** @type {number} */ i) => {
        if (i === strings.length - 1) return part
        const isAttribute = /<[^>]*$/.test(
          strings
            .slice(0, i + 1)
            .join('⟦⟧')
            .replace(/=>/g, ''),
        )
        if (!isAttribute) return part + write(value.values[i], values)
        values.push(value.values[i])
        return `${part}⟦${values.length - 1}⟧`
      })
      .join('')
  }
  return String(value).replace(/</g, '&lt;')
}

/** Returns the value inside a directive such as live(), and any other value unchanged. @param {any} value */
const plain = value => (value?._$litDirective$ ? value.values[0] : value)

/** Lists every element of a template, in order. @param {unknown} template @returns {Found[]} */
export function elementsOf(template) {
  /** @type {unknown[]} */
  const values = []
  const source = write(template, values)
  /** @type {Found[]} */
  const found = []
  /** @type {Found[]} */
  const open = []
  for (const [, close, tag, inside, text] of source.matchAll(/<(\/?)([\w-]+)((?:"[^"]*"|[^">])*)>|([^<]+)/g)) {
    if (text !== undefined) for (const each of open) each.text += text.replace(/\s+/g, ' ')
    else if (close) open.length = Math.max(0, open.map(each => each.tag).lastIndexOf(tag))
    else {
      /** @type {Found} */
      const element = { tag, attributes: {}, listeners: {}, text: '' }
      for (const [, name, quoted = '', bare = ''] of inside.matchAll(/([.@?]?[\w-]+)(?:=(?:"([^"]*)"|([^\s"]+)))?/g)) {
        const whole = /^⟦(\d+)⟧$/.exec(quoted || bare)
        const value = whole
          ? plain(values[Number(whole[1])])
          : (quoted || bare).replace(/⟦(\d+)⟧/g, (_, n) => String(plain(values[Number(n)])))
        if (name.startsWith('@')) element.listeners[name.slice(1)] = /** @type {any} */ (value)
        else if (value !== nothing && value !== undefined) element.attributes[name.replace('?', '')] = value
      }
      found.push(element)
      if (!VOID.has(tag) && !inside.endsWith('/')) open.push(element)
    }
  }
  return found
}

/** Lists the elements that have an attribute, with the given value if there is one. @param {unknown} template @param {string} name @param {unknown} [value] */
export const having = (template, name, value) =>
  elementsOf(template).filter(({ attributes }) =>
    value === undefined ? Object.hasOwn(attributes, name) : attributes[name] === value,
  )

/** Lists the elements of a class. @param {unknown} template @param {string} name */
export const ofClass = (template, name) =>
  elementsOf(template).filter(({ attributes }) => String(attributes.class ?? '').split(' ').includes(name)) // biome-ignore format: one line

/** Stands in for `t`: returns the key with its parameters as JSON, so that tests check keys and not texts. @param {string} key @param {object} [params] */
export const keyOf = (key, params) => (params && Object.keys(params).length ? `${key} ${JSON.stringify(params)}` : key)
