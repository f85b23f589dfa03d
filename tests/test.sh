#!/usr/bin/env bash
# Runs one test file more at once than there are cores, because tests wait for browsers and other processes.
#   tests/test.sh quick     the tests that need no browser, no PyTorch, no built package and no relaxed build
#   tests/test.sh slow      those tests of the library that take many seconds each
#   tests/test.sh library   the other tests of the library: npm run test:node counts the lines of src that these run
#   tests/test.sh page      the tests of the page
#   tests/test.sh FILE...   these files
set -euo pipefail
cd "$(dirname "$0")/.."
many=$(($(getconf _NPROCESSORS_ONLN) + 1))

run() { # its arguments: how many files run at once, the files
  node tests/run-files.js --at-once "$1" "${@:2}"
}

# Tests of browsers share the cores. A file that fails beside the others runs again alone and has to pass then; more than three
# files that fail are no accident. Its arguments: the files.
run_browsers() {
  local failed again
  failed=$(mktemp)
  node tests/run-files.js --at-once "$many" --failed "$failed" "$@" && return
  mapfile -t again <"$failed"
  [ ${#again[@]} -gt 0 ] && [ ${#again[@]} -le 3 ] || exit 1
  echo "FAILED BESIDE OTHERS, run again alone: ${again[*]}"
  run 1 "${again[@]}"
}

# With its lines counted, a test takes half as long again; these are many numbers for few lines.
slow='(abi|backward|bench|border|cache|conformance|exp|package|properties|readme|relaxed|soak|summary|sweep|threads|models/(dtypes|fine-tune|gradients|growth|real))\.test\.js$'

case ${1-} in
  slow) mapfile -t files < <(ls tests/*.test.js tests/models/*.test.js | grep -E "^tests/$slow") && run "$many" "${files[@]}" ;;
  library)
    mapfile -t files < <(ls tests/*.test.js tests/articles/*.test.js tests/models/*.test.js | grep -vE "^tests/$slow")
    run "$many" "${files[@]}"
    ;;
  quick)
    needs="useElements|usePage|useBrowser|[cC]hromium|browsers?\.js|from 'vite'|'\./pytorch\.js'|PYTHON|qkv\.relaxed\.wasm'|packed\.js"
    long='(activation|int8-cache|masks|page/(circuits|exercise-runs|learn|learn-model|learn-programs|learn-session|trained))\.test\.js$' # they train, compile, or take many seconds
    mapfile -t files < <(grep -LE "$needs" tests/*.test.js tests/articles/*.test.js tests/page/*.test.js | grep -vE "^tests/($slow|$long)")
    run "$many" "${files[@]}"
    ;;
  page)
    mapfile -t files < <(ls tests/page/*.test.js tests/browser/*.test.js | grep -v page/typing)
    run_browsers "${files[@]}"
    run 1 tests/page/typing.test.js # it measures times, so nothing else runs beside it
    ;;
  *) run "$many" "$@" ;;
esac
