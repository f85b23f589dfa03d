#!/usr/bin/env bash
# npm test runs everything, part by part. It stops where a part fails, and says how long each part took.
set -euo pipefail
cd "$(dirname "$0")/.."
times=$(mktemp)
trap 'rm "$times"' EXIT
part() { # its arguments: a name, a command
  local start=$SECONDS
  "${@:2}" || { echo "npm test: $1 failed" >&2; return 1; }
  echo "$1 $((SECONDS - start)) s" >>"$times"
}
site() { node build/elements.js && npm run -s site; }

part setup ./setup.sh packages reference clang-format native chromium-headless-shell firefox-esr webkit torch
part build ./build.sh
part relaxed ./build.sh --relaxed
part dist npm run -s dist
part lint npm run -s lint &
lint=$!
part site site
wait $lint
part node npm run -s test:node
part native npm run -s test:native
part page tests/test.sh page
part reference npm run -s reference
part package npm run -s test:package
paste -sd, "$times"
echo "$SECONDS s in all"
