#!/usr/bin/env bash
# npm test runs everything, part by part. It stops at the first part that fails, and says how long each part took.
set -euo pipefail
cd "$(dirname "$0")/.."
times=()
part() { # its arguments: a name, a command
  local start=$SECONDS
  "${@:2}"
  times+=("$1 $((SECONDS - start)) s")
}
part setup ./setup.sh packages reference clang-format native chromium-headless-shell firefox-esr webkit torch
part build ./build.sh
part relaxed ./build.sh --relaxed
part dist npm run -s dist
part lint npm run -s lint
part node npm run -s test:node
part native npm run -s test:native
part page npm run -s test:page
part reference npm run -s reference
part package npm run -s test:package
printf '%s, ' "${times[@]}"
echo "$SECONDS s in all"
