#!/usr/bin/env bash
# npm run fuzz -- SECONDS: compares kernels on random shapes, options and data with the formulas in float64, under the
# sanitizers. Keeps the corpus in build/corpus, and an input that fails in build/.
set -euo pipefail
cd "$(dirname "$0")"
./build.sh fuzz
mkdir -p build/corpus
exec build/fuzz "-max_total_time=${1:-60}" -max_len=400 -len_control=0 -artifact_prefix=build/ -print_final_stats=1 build/corpus
