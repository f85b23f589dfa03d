#!/usr/bin/env bash
# Where models are trained, jinja2 renders chat templates. The two libraries that render them in JavaScript give other texts for plain expressions,
# without an error. One or both get these wrong: the argument of strip is ignored, a string equals a number, a list prints as JSON, % has the
# sign of JavaScript, tojson sorts keys. Expected texts: jinja2 3.1.6 with the settings of transformers.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @huggingface/jinja@0.5.11 minijinja-js@2.11.0
cat >run.cjs <<'JS'
const { Template } = require('@huggingface/jinja')
const { Environment } = require('minijinja-js')
const mini = new Environment()
mini.enablePyCompat()
const render = [text => new Template(text).render({}), text => mini.renderStr(text, {})]
// template, jinja2, @huggingface/jinja 0.5.11, minijinja-js 2.11.0
const seen = [
  ["{{ '<<a>>'.strip('<>') }}", 'a', '<<a>>', 'a'],
  ["{{ '1' == 1 }}", 'False', 'true', 'false'],
  ["{{ [true, none, 'a'] }}", "[True, None, 'a']", '[true, null, "a"]', '[true, none, "a"]'],
  ['{{ -7 % 3 }}', '2', '-1', '2'],
  ["{{ {'b': 1, 'a': 2}|tojson }}", '{"b": 1, "a": 2}', '{"b": 1, "a": 2}', '{"a":2,"b":1}'],
]
let isSame = true
for (const [template, right, ...texts] of seen)
  for (const [n, name] of ['@huggingface/jinja', 'minijinja-js'].entries()) {
    const got = render[n](template)
    isSame &&= got === texts[n]
    console.log(`${name}: ${template} gives ${got}${got === right ? '' : `, jinja2 ${right}`}`)
  }
process.exitCode = isSame ? 0 : 1
JS
node run.cjs
