#!/usr/bin/env bash
# Runs as many test files at once as there are cores; a test that hangs ends after ten minutes.
#   tests/test.sh quick     the library's unit tests and those of the page's modules, without a browser
#   tests/test.sh page      the page in browsers
#   tests/test.sh FILE...   these
set -euo pipefail
cd "$(dirname "$0")/.."
run() { # how many at once, files
  node --test --test-reporter=spec --test-timeout=600000 --test-concurrency="$1" "${@:2}"
}
cores=$(getconf _NPROCESSORS_ONLN)
case ${1-} in
  quick)
    slow='abi|bench|border|cache|conformance|exp|hostile|learn|package|properties|readme|soak|sweep' # many seconds each
    mapfile -t unit < <(ls tests/*.test.js tests/articles/*.test.js | grep -vE "/($slow)\.test\.js$")
    mapfile -t pure < <(grep -LE "useElements|usePage|useBrowser|[cC]hromium|browsers?\.js|from 'vite'" tests/page/*.test.js | grep -vE "/($slow)\.test\.js$")
    run "$cores" "${unit[@]}" "${pure[@]}"
    ;;
  page)
    mapfile -t others < <(ls tests/page/*.test.js tests/browser/*.test.js | grep -v page/typing)
    run "$cores" "${others[@]}"
    run 1 tests/page/typing.test.js # it measures: nothing runs beside it
    ;;
  *) run "$cores" "$@" ;;
esac
