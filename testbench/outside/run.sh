#!/usr/bin/env bash
# Installs a built Lyra into a fresh prefix, builds this project against it and runs it: run.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) build=$1 where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cmake --install "$build" --prefix "$where/lyra" >"$where/install.log" || { cat "$where/install.log"; exit 1; }
cmake -G Ninja -S "$here" -B "$where/build" -DCMAKE_PREFIX_PATH="$where/lyra" -DCMAKE_BUILD_TYPE=Release
cmake --build "$where/build"
SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 "$where/build/outside" | tee "$where/out.txt"
grep -q "^right result after [0-9]* cycles$" "$where/out.txt"
SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 "$where/build/outside" noc | tee "$where/noc.txt" # the same with a network of the user's own
grep -q "^[1-9][0-9]* transfers on the user's own network$" "$where/noc.txt"
grep -q "^right result after [0-9]* cycles$" "$where/noc.txt"
# the installed program finds the installed machines
cd /
"$where/lyra/bin/lyra" machine --machine cu | grep -q "$where/lyra/.*share/lyra/machines/cu.toml"
