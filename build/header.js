// Parses the structs, enums and functions of src/kernel/qkv.h.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

export const header = readFileSync(new URL('../src/kernel/qkv.h', import.meta.url), 'utf8').replace(
  /\/\*[\s\S]*?\*\//g,
  '',
)

/** @typedef {{ type: string, name: string, pointer: boolean, size: number }} Field size: length of an array, 1 for other fields */

/** Returns the names of all structs. */
export const structNames = () => Array.from(header.matchAll(/^struct (\w+) \{/gm), ([, name]) => name)

/** Returns the fields of a struct, in order. @param {string} name @returns {Field[]} */
export function fieldsOf(name) {
  const body = header.match(new RegExp(`struct ${name} \\{([^}]*)\\}`))?.[1]
  assert.ok(body, `struct ${name}`)
  return [...body.matchAll(/(?:const )?((?:struct )?\w+) ([^;]+);/g)].flatMap(([, type, names]) =>
    names.split(',').map(declarator => ({
      type,
      name: declarator.replace(/[*\s]|\[.*/g, ''),
      pointer: declarator.includes('*'),
      size: Number(declarator.match(/\[(\d+)\]/)?.[1] ?? 1),
    })),
  )
}

/** Returns the names of an enum's values in lower case, without `start`, their common prefix. @param {string} name @param {string} start */
export function enumOf(name, start) {
  const body = header.match(new RegExp(`enum ${name} \\{([^}]*)\\}`))?.[1]
  assert.ok(body, `enum ${name}`)
  return Object.fromEntries(
    [...body.matchAll(/(\w+) = (\d+)/g)].map(([, word, value]) => [
      word.replace(start, '').toLowerCase(),
      Number(value),
    ]),
  )
}

/** @typedef {{ type: string, pointer: boolean }} Parameter */

/** Returns the declared functions in the order of the header. @returns {{ returns: string, name: string, parameters: Parameter[] }[]} */
export const functions = () =>
  [...header.matchAll(/^(\w[\w ]*[ *])(qkv_\w+)\(([^)]*)\);/gm)].map(([, returns, name, list]) => ({
    returns: returns.trim(),
    name,
    parameters: (list.trim() === 'void' ? [] : list.split(',')).map(parameter => ({
      type: parameter
        .replace('const ', '')
        .replace(/\*?\w+\s*$/, '')
        .trim(),
      pointer: parameter.includes('*'),
    })),
  }))
