#!/usr/bin/env bash
# Runs test files at the same time, one more than there are cores, because tests wait for browsers and other processes.
#   tests/test.sh quick     the tests that need no browser, no PyTorch and no packed package, and take only a few seconds
#   tests/test.sh node      the tests of the library, without those of `rest`
#   tests/test.sh slow, tests/test.sh counted   the two halves of `node`; npm run test:lines counts the lines of src that `counted` runs
#   tests/test.sh page      the page's logic on its stores, and in Chromium what a reader does in each room
#   tests/test.sh rest      the other files: the native build, the packed package, PyTorch, all of the page, three browsers
#   tests/test.sh FILE...   these files
set -euo pipefail
cd "$(dirname "$0")/.."
many=$(($(getconf _NPROCESSORS_ONLN) + 1))

run() { # its arguments: how many files run at once, the files
  node tests/run-files.js --at-once "$1" "${@:2}"
}

# Files of the library that npm test leaves out. They need the packed package, the relaxed build, PyTorch, pandas or many seconds.
not_npm_test='^tests/(api|bench|build|clang|package|readme|relaxed|soak|training|corpus-files|models/torch-files)\.test\.js$'
# Files that compute many numbers with few lines. Their lines are not counted, because with counting a test takes 1.5 times as long.
slow='^tests/(backward|border|cache|conformance|exp|properties|summary|sweep|threads|models/(dtypes|fine-tune|gradients|growth|real))\.test\.js$'
library() { ls tests/*.test.js tests/articles/*.test.js tests/models/*.test.js; }

# `needs` matches the code of files that need a browser or PyTorch. npm test runs only those that `shown` matches: each room as a reader uses it.
needs="useElements|usePage|useBrowser|[cC]hromium|browsers?\.js|'\./pytorch\.js'|PYTHON"
shown='^tests/(browser/numbers|page/(access|behaviours|elements|first-screen|front|learn-room|models-changes|models-open|share))\.test\.js$'
long='^tests/page/(circuits|trained)\.test\.js$' # they train
page_files() { ls tests/page/*.test.js tests/browser/*.test.js | grep -v page/typing; }
of_page() {
  grep -LE "$needs" $(page_files) | grep -vE "$long"
  page_files | grep -E "$shown"
}

case ${1-} in
  node) mapfile -t files < <(library | grep -vE "$not_npm_test") && run "$many" "${files[@]}" ;;
  slow) mapfile -t files < <(library | grep -E "$slow") && run "$many" "${files[@]}" ;;
  counted) mapfile -t files < <(library | grep -vE "$not_npm_test|$slow") && run "$many" "${files[@]}" ;;
  page) mapfile -t files < <(of_page) && run "$many" "${files[@]}" ;;
  rest)
    mapfile -t files < <(ls tests/native/*.test.js && library | grep -E "$not_npm_test" && comm -23 <(page_files | sort) <(of_page | sort))
    run "$many" "${files[@]}"
    run 1 tests/page/typing.test.js # it measures times, so nothing else runs beside it
    ;;
  quick)
    # The page's tests import the built package.
    [ -z "$(find src web -newer dist/index.js -print -quit 2>&1)" ] || npm run -s dist >/dev/null
    # `heavy` files train, or take many seconds of the processor, such as states.test.js with 15. `quick` leaves them out; npm test runs them.
    heavy='(activation|corpus|int8-cache|masks|weight-blocks|page/(exercise-companion|exercise-runs|exercises|learn|learn-model|learn-session|models-lens|models-session|models-store|states))\.test\.js$'
    mapfile -t files < <(grep -LE "$needs|from 'vite'" tests/*.test.js tests/articles/*.test.js tests/page/*.test.js | grep -vE "$not_npm_test|$slow|$long|$heavy")
    run "$many" "${files[@]}"
    ;;
  *) run "$many" "$@" ;;
esac
