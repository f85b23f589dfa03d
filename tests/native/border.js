// Prints border.h, which has a wrapper for each function of qkv.h. A wrapper converts the numbers of a call to C arguments. Offsets become pointers;
// structs of 32-bit words become structs with pointers.

import { fieldsOf, functions } from '../../build/header.js'

/** @import { Parameter } from '../../build/header.js' */

/** True if a struct has pointers. A struct without pointers has the same layout in the arena. @param {string} name @returns {boolean} */
const hasPointers = name =>
  fieldsOf(name).some(({ type, pointer }) => pointer || (type.startsWith('struct ') && hasPointers(type.slice(7))))

/** @param {Parameter} parameter */
const structOf = ({ type, pointer }) => {
  const name = type.replace('struct ', '')
  return pointer && type.startsWith('struct ') && hasPointers(name) ? name : undefined
}

/** @type {Set<string>} */
const written = new Set()

/** Prints a function that reads a struct word by word. @param {string} name @returns {string} */
function reader(name) {
  if (written.has(name)) return ''
  written.add(name)
  const fields = fieldsOf(name)
  const inner = fields.filter(({ type, pointer }) => type.startsWith('struct ') && !pointer)
  const lines = fields.map(({ type, name: field, pointer }) => {
    if (pointer) return `  s->${field} = at(arena, *(*words)++);`
    if (type.startsWith('struct ')) return `  read_${type.slice(7)}(arena, words, &s->${field});`
    return `  memcpy(&s->${field}, (*words)++, 4);`
  })
  return `${inner.map(({ type }) => reader(type.slice(7))).join('')}
static void read_${name}(const struct arena *arena, const uint32_t **words, struct ${name} *s) {
${lines.join('\n')}
}
`
}

const kernels = functions().filter(({ name }) => name !== 'qkv_heap')
for (const { returns, name, parameters } of kernels) {
  const structs = parameters.map(structOf)
  for (const struct of structs) if (struct) console.log(reader(struct))
  const reads = structs.map((struct, n) =>
    struct
      ? `  struct ${struct} s${n};
  const uint32_t *w${n} = at(arena, word(a[${n}]));
  read_${struct}(arena, &w${n}, &s${n});\n`
      : '',
  )
  const values = parameters.map(({ type, pointer }, n) => {
    if (structs[n]) return `&s${n}`
    if (pointer) return `at(arena, word(a[${n}]))`
    if (type === 'double' || type === 'float') return `(${type})a[${n}]`
    return `(${type})word(a[${n}])`
  })
  console.log(`static napi_value call_${name}(napi_env env, napi_callback_info info) {
  double a[${parameters.length || 1}];
  struct arena *arena = arguments(env, info, a, ${parameters.length});
  (void)arena;
${reads.join('')}  ${returns === 'void' ? '' : 'double result = (double)'}${name}(${values.join(', ')});
  return ${returns === 'void' ? '0' : 'number(env, result)'};
}
`)
}
console.log('static const struct kernel kernels[] = {')
for (const { name } of kernels) console.log(`    {"${name}", call_${name}},`)
console.log('};')
