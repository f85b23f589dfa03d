#!/usr/bin/env bash
# Installs those of its arguments that are missing:
#   ./setup.sh packages peers reference emcc clang-format native chromium-headless-shell firefox-esr webkit torch
# "packages" are those of package-lock.json, "peers" those of tests/bench, "reference" those of build/reference, and "native"
# is what tests/native needs. The others are commands, which apt installs.
set -euo pipefail
cd "$(dirname "$0")"

apt_install() { # command or file, its Debian package
  { command -v "$1" >/dev/null || [ -e "$1" ]; } && return
  local root=
  [ "$(id -u)" = 0 ] || root=sudo
  if ! command -v apt-get >/dev/null || { [ -n "$root" ] && ! command -v sudo >/dev/null; }; then
    echo "qkv: $1 is missing; install it (Debian: apt-get install $2)" >&2
    exit 1
  fi
  if [ -n "${QKV_NO_INSTALL:-}" ]; then
    echo "qkv: $1 is missing and QKV_NO_INSTALL is set; install it (Debian: apt-get install $2)" >&2
    exit 1
  fi
  echo "qkv: installing $2 with apt-get, because $1 is missing (QKV_NO_INSTALL=1 refuses instead)" >&2
  $root apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq --no-install-recommends "$2" >/dev/null
  command -v "$1" >/dev/null || [ -e "$1" ] || { echo "qkv: $2 is installed, but $1 is still missing" >&2; exit 1; }
}

for need in "$@"; do
  case $need in
    packages) [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund ;;
    peers) [ tests/bench/node_modules/.package-lock.json -nt tests/bench/package-lock.json ] || npm ci --prefix tests/bench --ignore-scripts --no-audit --no-fund ;;
    runtimes) [ tests/runtimes/node_modules/.package-lock.json -nt tests/runtimes/package-lock.json ] || npm install --no-save --prefix tests/runtimes --no-audit --no-fund ;; # npm ci refuses its lock file, which names one platform only
    reference) [ build/reference/node_modules/.package-lock.json -nt build/reference/package-lock.json ] || npm ci --prefix build/reference --no-audit --no-fund ;;
    emcc) apt_install emcc emscripten ;;
    wasm-ld-*) apt_install "$need" "lld-${need##*-}" ;;
    webkit)
      apt_install WebKitWebDriver webkit2gtk-driver
      apt_install xvfb-run xvfb
      apt_install xauth xauth
      ;;
    torch) # without apt, the test that needs it reports that it could not run
      if command -v apt-get >/dev/null; then apt_install /usr/lib/python3/dist-packages/torch python3-torch
      elif ! python3 -c 'import torch' 2>/dev/null; then echo "qkv: no apt-get here, so PyTorch is not installed: the copied PyTorch code will not be run" >&2
      fi
      ;;
    pandas) # the same
      if command -v apt-get >/dev/null; then apt_install /usr/lib/python3/dist-packages/pandas python3-pandas; fi
      ;;
    native) # clang with its sanitizers, and SIMDe
      apt_install clang clang
      apt_install llvm-cov llvm
      apt_install "$(clang -print-resource-dir)/lib/linux" "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
      apt_install /usr/include/simde libsimde-dev
      ;;
    *) apt_install "$need" "$need" ;;
  esac
done
