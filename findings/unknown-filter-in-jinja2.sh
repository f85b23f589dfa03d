#!/usr/bin/env bash
# A chat template may use a filter or test that an older renderer lacks, inside an if that is false in it. Since 3.0 jinja2 accepts an unknown name
# directly inside an if. But if a loop, a macro or a set block lies between, the unknown name is an error of the whole template, although the code
# never runs. The two renderers in JavaScript accept all of these, so a template that works in them may fail in Python.
# Versions: jinja2 of Debian 12 (3.1.2), @huggingface/jinja 0.5.11, minijinja-js 2.11.0. Exits 1 if this changes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @huggingface/jinja@0.5.11 minijinja-js@2.11.0
apt-get download -qq python3-jinja2 python3-markupsafe 2>/dev/null
for package in *.deb; do dpkg -x "$package" debian; done
cat >templates.json <<'JSON'
[
  ["{% if false %}{{ 1|later }}{% endif %}x", "x"],
  ["{% if false %}{% for m in [1] %}{{ m|later }}{% endfor %}{% endif %}x", "No filter named 'later'."],
  ["{% if false %}{% macro m() %}{{ 1|later }}{% endmacro %}{% endif %}x", "No filter named 'later'."],
  ["{% if false %}{% set m %}{{ 1|later }}{% endset %}{% endif %}x", "No filter named 'later'."],
  ["{% if false %}{% for m in [1] %}{{ m is later }}{% endfor %}{% endif %}x", "No test named 'later'."],
  ["{% for m in [1] %}{% if false %}{{ m|later }}{% endif %}{% endfor %}x", "x"]
]
JSON
cat >run.py <<'PY'
import json, sys
sys.path.insert(0, 'debian/usr/lib/python3/dist-packages')
import jinja2
same = jinja2.__version__ == '3.1.2'
print('jinja2', jinja2.__version__)
for template, expected in json.load(open('templates.json')):
    try:
        got = jinja2.Environment().from_string(template).render()
    except jinja2.TemplateError as error:
        got = str(error)
    same = same and got == expected
    print(f'{template}: {got}')
sys.exit(0 if same else 1)
PY
cat >run.cjs <<'JS'
const { Template } = require('@huggingface/jinja')
const { Environment } = require('minijinja-js')
const mini = new Environment()
let same = true
for (const [template] of require('./templates.json'))
  for (const [name, render] of [
    ['@huggingface/jinja 0.5.11', text => new Template(text).render({})],
    ['minijinja-js 2.11.0', text => mini.renderStr(text, {})],
  ]) {
    let got
    try {
      got = render(template)
    } catch (error) {
      got = String(error)
    }
    same &&= got === 'x'
    console.log(`${name}: ${template}: ${got}`)
  }
process.exitCode = same ? 0 : 1
JS
/usr/bin/python3 run.py
node run.cjs
