// node tests/goldens/compare-templates.js CASES.jsonl [how many to print]: compares our texts of random_templates.py's templates with Python's

import { readFileSync } from 'node:fs'
import { compile } from '../../src/models/jinja/render.js'
import { NotCovered } from '../../src/models/jinja/values.js'

/**
 * Renders a template, and compares the result with Python's.
 * @param {{ template: string, text?: string, error?: string }} given
 * @param {Record<string, unknown>} variables
 * @returns {{ kind: 'equal' | 'both refuse' | 'not covered' | 'differs', got: string }}
 */
export function compareTemplate({ template, text }, variables) {
  try {
    const got = compile(template)(variables)
    return { kind: got === text ? 'equal' : 'differs', got }
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error)
    if (error instanceof NotCovered) return { kind: text === undefined ? 'both refuse' : 'not covered', got: message }
    return { kind: text === undefined && name === 'Error' ? 'both refuse' : 'differs', got: `${name}: ${message}` }
  }
}

if (process.argv[1]?.endsWith('compare-templates.js')) {
  const [{ variables }, ...cases] = readFileSync(process.argv[2], 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  /** @type {Record<string, number>} */
  const counts = {}
  let shown = Number(process.argv[3] ?? 10)
  for (const each of cases) {
    const { kind, got } = compareTemplate(each, variables)
    counts[kind] = (counts[kind] ?? 0) + 1
    if (kind !== 'differs' || shown-- <= 0) continue
    console.log(JSON.stringify(each.template))
    console.log(`  Python ${JSON.stringify(each.text ?? each.error)}\n  here   ${JSON.stringify(got)}`)
  }
  console.log(counts)
}
