#!/usr/bin/env bash
# Builds the kernels as native code with SIMDe in place of SIMD128, checked by AddressSanitizer and
# UndefinedBehaviorSanitizer. ./build.sh twin makes build/twin.node, an addon with the exports of the wasm, which counts
# the lines that run. ./build.sh fuzz makes build/fuzz, a libFuzzer program. Does nothing if no source changed.
set -euo pipefail
cd "$(dirname "$0")"
../../setup.sh packages native
declare -A outputs=([twin]=build/twin.node [fuzz]=build/fuzz)
out=${outputs[$1]}
if [ -e "$out" ] && [ -z "$(find . ../../src/kernel ../../build/header.js -path ./build -prune -o -newer "$out" -print)" ]; then
  exit 0
fi
mkdir -p build
flags=(
  -std=gnu11 -O1 -g -fno-omit-frame-pointer -Wall -Wextra -Werror
  -ffp-contract=off # as in wasm: a product and a sum are rounded twice
  -fno-sanitize-recover=all
  -I. -I../../src/kernel
)
if [ "$1" = twin ]; then
  node border.js >build/border.h
  flags+=(-fprofile-instr-generate -fcoverage-mapping -fsanitize=address,undefined -shared-libasan -fPIC -shared -Ibuild -isystem ../../node_modules/node-api-headers/include)
else
  flags+=(-fsanitize=fuzzer,address,undefined -lm)
fi
clang ../../src/kernel/*.c "$1"*.c "${flags[@]}" -o "$out"
