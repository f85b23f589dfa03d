#!/usr/bin/env bash
# Compiles src/kernel/*.c to src/qkv.wasm, or to the path given, and the kernels of integer weights to src/qkv.integers.wasm
# next to it. Does nothing if neither the sources nor this file have changed. All compiler flags are in this file.
#   ./build.sh [options] [path]
#   --relaxed      compile with relaxed SIMD, to src/qkv.relaxed.wasm and src/qkv.relaxed.integers.wasm
#   --clang N      compile with clang-N and wasm-ld-N and emcc's headers, not with emcc
#   --no-install   fail and name what is missing instead of installing it with apt
# Works with emcc 3.1.6 (Debian 12) and later, and with bash 3.2 and later. With CI set, warnings are errors.
set -euo pipefail
cd "$(dirname "$0")"
relaxed= clang=
while [ $# -gt 0 ]; do
  case $1 in
    --relaxed) relaxed=.relaxed ;;
    --clang) clang=$2 && shift ;;
    --no-install) export QKV_NO_INSTALL=1 ;;
    -*) echo "build.sh: expected --relaxed, --clang N, --no-install or a path, got $1" >&2 && exit 2 ;;
    *) break ;;
  esac
  shift
done
out=${1:-src/qkv$relaxed.wasm}
integers=${out%.wasm}.integers.wasm

if [ -e "$out" ] && [ -e "$integers" ] && [ -z "$(find src/kernel build.sh -newer "$out")" ]; then
  exit 0
fi
./setup.sh emcc

version=$(emcc --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1)

# These are the sources of qkv.wasm. Similar sources are adjacent, which saves 100 bytes of gzip.
names=(
  abi simd constants exp mask texts query_rows softmax attention summary loss decode trace backward score tile rows linear linear_output linear_pack
  linear_streams linear_decode linear_backward activation elementwise norm optimizer embedding rope random
)
# The sources of qkv.integers.wasm, and those among them that export functions.
of_integers=(linear_integer linear_blocks linear_dequantized attention_cached abi simd constants exp mask tile rows activation linear_output linear_streams)
exporting=(linear_integer linear_blocks linear_dequantized attention_cached abi)
# Sources that are compiled with -Oz: they are as fast as with -Os, or their speed does not matter. -Oz would slow some of the other sources
# by up to a third.
small=(mask texts score embedding attention summary query_rows backward decode linear linear_pack rope)
flags=(
  -std=c11 -msimd128 -mbulk-memory
  -fno-unroll-loops # the register tiles are unrolled by hand; further unrolling only makes the file a third larger
  -fno-vectorize # vectors are written by hand; loops that the compiler vectorizes check every pointer
  -Wall -Wextra -Wconversion
  -c
)
if [ -n "${CI:-}" ]; then flags+=(-Werror); fi
link=(
  --no-entry --strip-all -O3 # a library: no main, no JavaScript, no libc
  --initial-memory=131072 --max-memory=4294967296
)
# Both modules use one memory: qkv.wasm is the first, qkv.integers.wasm the second. The constants of the second module are at 1024, those of
# the first at 2048, and the stack comes after them. Only one module runs at a time, so they share the stack. JavaScript passes the top of
# the stack, qkv_heap() of the first module, to the second.
own=(--global-base=2048 -z stack-size=65536)
second=(--global-base=1024 -z stack-size=0 --import-memory)
optimize=(
  --flexible-inline-max-function-size=18 -O3 # larger functions, such as load_tail, stay calls: 3 KB less, as fast
  --generate-global-effects --flatten --rereloop -Oz -Oz --converge
  --low-memory-unused --zero-filled-memory # not --traps-never-happen, which removes the loads of `prefetch`
)
features=(
  --enable-simd --enable-bulk-memory --enable-sign-ext --enable-mutable-globals --enable-nontrapping-float-to-int
)
compile=(emcc)
linkers=("$(em-config LLVM_ROOT)"/wasm-ld*)
other=-Os
if [ -n "$relaxed" ]; then
  flags+=(-mrelaxed-simd -mllvm -inline-threshold=0) # 500 bytes less, as fast; -fno-inline-functions is a third slower
  features+=(--enable-relaxed-simd)
  other=-Oz # except for the register tiles, see make_wasm
  of_integers+=(linear_bytes)
  optimize=(--generate-global-effects --flatten --rereloop -Os -Os --converge --low-memory-unused --one-caller-inline-max-function-size=0)
  # The clang of emcc before 3.1.40 lacks the instructions of relaxed SIMD, so Debian's clang 16 is used with the headers of emcc.
  if [ "$(printf '%s\n' 3.1.40 "$version" | sort -V | head -n 1)" != 3.1.40 ]; then : "${clang:=16}"; fi
fi
if [ -n "$clang" ]; then
  ./setup.sh "clang-$clang" "wasm-ld-$clang"
  compile=(
    "clang-$clang" --target=wasm32-unknown-emscripten "--sysroot=$(em-config CACHE)/sysroot"
    -mllvm -disable-lsr -mllvm -combiner-global-alias-analysis=false # as emcc does
  )
  linkers=("wasm-ld-$clang")
fi
./setup.sh packages
# The output must be reproducible, but its order depends on binaryen's threads and on addresses in memory. So binaryen gets one thread and,
# if possible, fixed addresses.
export BINARYEN_CORES=1
steady=()
if setarch -R true 2>/dev/null; then steady=(setarch -R); fi
objects=$(mktemp -d)
trap 'rm -r "$objects"' EXIT

# Makes a wasm file. Arguments: its path, the linker's options, `=`, and the names of the sources.
make_wasm() {
  local to=$1 options=() files=() sources=() groups=() root=$PWD name size of group folder
  shift
  while [ "$1" != = ]; do
    options+=("$1")
    shift
  done
  shift
  folder=$(mktemp -d "$objects/XXXXXX")
  for name in "$@"; do
    size=$other
    [[ " ${options[*]} " == *" --import-memory "* ]] && size=-Os
    [[ " ${small[*]} " == *" $name "* ]] && size=-Oz
    [[ $name == tile || $name == linear_integer ]] && size=-Os
    of=$size
    [[ -n $relaxed && " mask softmax loss norm elementwise " == *" $name "* ]] && of+=' -fno-inline-functions' # smaller
    [[ " ${options[*]} " == *" --import-memory "* && " ${exporting[*]} " != *" $name "* ]] && of+=' -DQKV_NO_EXPORTS'
    [[ " ${options[*]} " == *" --import-memory "* ]] && of+=' -DQKV_UNFUSED'
    groups+=("$of|$name")
    files+=("$folder/$name.o")
  done
  # Starting emcc takes longer than compiling a source, so each call compiles all sources with the same flags.
  while IFS= read -r of; do
    sources=()
    for group in "${groups[@]}"; do
      [ "${group%|*}" = "$of" ] && sources+=("$root/src/kernel/${group##*|}.c")
    done
    (cd "$folder" && "${compile[@]}" $of "${flags[@]}" "${sources[@]}")
  done < <(printf '%s\n' "${groups[@]%|*}" | sort -u)
  "${linkers[0]}" "${link[@]}" "${options[@]}" "${files[@]}" -o "$folder/linked.wasm"
  ${steady[@]+"${steady[@]}"} node_modules/.bin/wasm-opt "${optimize[@]}" "${features[@]}" "$folder/linked.wasm" -o "$to"
  echo "$to: $(wc -c <"$to") bytes, $(gzip -9c "$to" | wc -c) gzipped (${compile[0]}, headers of emcc $version)"
}
make_wasm "$integers" "${second[@]}" = "${of_integers[@]}" &
make_wasm "$out" "${own[@]}" = "${names[@]}"
wait $!
