#!/usr/bin/env bash
# Runs the tests part by part, stops where a part fails, and prints how long each part took.
#   tests/run.sh           npm test: all numbers, the page's logic, each room in Chromium
#   tests/run.sh --lines   npm test, which also fails if it runs less than 95 % of the lines of src
#   tests/run.sh all       npm run test:all: what npm test leaves out
set -euo pipefail
cd "$(dirname "$0")/.."
times=$(mktemp)
trap 'rm "$times"' EXIT
part() { # its arguments: a name, a command
  local start=$SECONDS
  "${@:2}" || { echo "npm test: $1 failed" >&2; return 1; }
  echo "$1 $((SECONDS - start)) s" >>"$times"
}

if [ "${1-}" = all ]; then
  part setup ./setup.sh packages reference clang-19 wasm-ld-19 chromium-headless-shell firefox-esr webkit torch pandas runtimes redis-server chromium native
  part build ./build.sh
  part relaxed ./build.sh --relaxed
  part dist npm run -s dist
  part site npm run -s site
  part rest tests/test.sh rest
  part reference npm run -s reference
  part runtimes npm run -s test:runtimes
else
  part setup ./setup.sh packages clang-format chromium-headless-shell
  part build ./build.sh
  part dist npm run -s dist
  part lint npm run -s lint &
  lint=$!
  part site npm run -s site
  wait $lint
  if [ "${1-}" = --lines ]; then part node npm run -s test:lines; else part node tests/test.sh node; fi
  part page tests/test.sh page
fi
paste -sd, "$times"
echo "$SECONDS s in all"
