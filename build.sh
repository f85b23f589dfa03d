#!/usr/bin/env bash
# Builds the core: src/kernel/*.c -> src/qkv.wasm, or to the path given. The only home of compiler flags.
# Does nothing when nothing changed. Works with emcc 3.1.6 (Debian 12) and later.
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-src/qkv.wasm}

if [ -e "$out" ] && [ -z "$(find src/kernel build.sh -newer "$out")" ]; then
  exit 0
fi
./setup.sh emcc

version=$(emcc --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)
stack=TOTAL_STACK # its name before 3.1.25
[ "$(printf '%s\n' 3.1.25 "$version" | sort -V | head -n 1)" = 3.1.25 ] && stack=STACK_SIZE

fast=(attention block decode tile) # where the time goes; of the rest, made small, only the trace is slower, by a sixth
flags=(
  -std=c11 -msimd128 -mbulk-memory
  -fno-unroll-loops # the register tiles are unrolled by hand; more only makes the file a third larger
  -fno-vectorize # what is to be vectors is written as vectors; loops that the compiler turns into them guard every pointer
  -Wall -Wextra -Wconversion -Werror
  -c
)
link=(
  -O3 --no-entry # a library: no main, no JavaScript, no imports
  -sBINARYEN_EXTRA_PASSES=--flexible-inline-max-function-size=18 # load_tail and the like stay calls: 3 KB less, as fast
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sINITIAL_MEMORY=131072 "-s$stack=65536"
)
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT
for file in src/kernel/*.c; do
  name=$(basename "$file" .c)
  size=-Os
  [[ " ${fast[*]} " == *" $name "* ]] && size=-O3
  emcc "$size" "${flags[@]}" "$file" -o "$objects/$name.o"
done
emcc "${link[@]}" "$objects"/*.o -o "$out"
echo "$out: $(wc -c <"$out") bytes, $(gzip -9c "$out" | wc -c) gzipped (emcc $version)"
