#!/usr/bin/env bash
# Installs those of its arguments that are missing:
#   ./setup.sh packages peers reference emcc clang-format native chromium-headless-shell firefox-esr webkit torch
# "packages" are those of package-lock.json, "peers" those of tests/bench, "reference" those of build/reference, and "native"
# is what tests/native needs. The others are commands, which apt installs.
set -euo pipefail
cd "$(dirname "$0")"

names=()    # commands and files that are missing
packages=() # the Debian packages that have them
needs() { # a command or file, its Debian package
  { command -v "$1" >/dev/null || [ -e "$1" ]; } && return
  names+=("$1")
  packages+=("$2")
}

# Installs `packages` in one call of apt-get, because each call reads the lists of all packages again.
apt_install() {
  [ ${#names[@]} -gt 0 ] || return 0
  local root=
  [ "$(id -u)" = 0 ] || root=sudo
  if ! command -v apt-get >/dev/null || { [ -n "$root" ] && ! command -v sudo >/dev/null; }; then
    echo "qkv: missing: ${names[*]}; install (Debian: apt-get install ${packages[*]})" >&2
    exit 1
  fi
  if [ -n "${QKV_NO_INSTALL:-}" ]; then
    echo "qkv: missing: ${names[*]}, and QKV_NO_INSTALL is set; install (Debian: apt-get install ${packages[*]})" >&2
    exit 1
  fi
  echo "qkv: installing ${packages[*]} with apt-get, because these are missing: ${names[*]} (QKV_NO_INSTALL=1 refuses instead)" >&2
  $root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
  local name
  for name in "${names[@]}"; do
    command -v "$name" >/dev/null || [ -e "$name" ] || { echo "qkv: ${packages[*]} are installed, but $name is still missing" >&2; exit 1; }
  done
  names=() packages=()
}

# Installs the npm packages of the arguments.
npm_install() {
  for need in "$@"; do
    case $need in
      packages) [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund ;;
      peers) [ tests/bench/node_modules/.package-lock.json -nt tests/bench/package-lock.json ] || npm ci --prefix tests/bench --ignore-scripts --no-audit --no-fund ;;
      runtimes) [ tests/runtimes/node_modules/.package-lock.json -nt tests/runtimes/package-lock.json ] || npm install --no-save --prefix tests/runtimes --no-audit --no-fund ;; # npm ci refuses its lock file, which names one platform only
      reference) [ build/reference/node_modules/.package-lock.json -nt build/reference/package-lock.json ] || npm ci --prefix build/reference --no-audit --no-fund ;;
    esac
  done
}

npm_install "$@" &
npm=$!
trap wait EXIT # npm ends before this script does, also after an error
for need in "$@"; do
  case $need in
    packages | peers | runtimes | reference) ;;
    emcc) needs emcc emscripten ;;
    wasm-ld-*) needs "$need" "lld-${need##*-}" ;;
    webkit)
      needs WebKitWebDriver webkit2gtk-driver
      needs xvfb-run xvfb
      needs xauth xauth
      ;;
    torch) # without apt, the test that needs it reports that it could not run
      if command -v apt-get >/dev/null; then needs /usr/lib/python3/dist-packages/torch python3-torch
      elif ! python3 -c 'import torch' 2>/dev/null; then echo "qkv: no apt-get here, so PyTorch is not installed: the copied PyTorch code will not be run" >&2
      fi
      ;;
    pandas) # the same
      if command -v apt-get >/dev/null; then needs /usr/lib/python3/dist-packages/pandas python3-pandas; fi
      ;;
    native) # clang with its sanitizers, whose package has the version of clang in its name, and SIMDe
      needs clang clang
      needs llvm-cov llvm
      needs /usr/include/simde libsimde-dev
      apt_install
      needs "$(clang -print-resource-dir)/lib/linux" "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
      ;;
    *) needs "$need" "$need" ;;
  esac
done
apt_install
wait $npm
