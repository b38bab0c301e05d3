#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The worked example of docs/adding-a-primitive.md is true: its `diff` blocks, one after the other, are a patch, which applies to
# a copy of the sources exactly; the copy builds without warnings, and the example's tests pass, as do the checks that the page
# names. The line that it says the binary interface gains is the one that is written.
# adding.sh CMAKE GENERATOR CC VERSION ARGUMENT...: what configures the copy. Runs in the source root.
set -euo pipefail
cmake=$1 generator=$2 cc=$3 version=$4
shift 4
page=$PWD/docs/adding-a-primitive.md
command -v patch >/dev/null || {
    echo 'no patch: install it' >&2
    exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source=$dir/source build=$dir/build
mkdir "$source"
cp -R CMakeLists.txt cmake include graph primitives fusion runtime backend_cpu backend_cuda bench tests docs "$source"
[ ! -d .debs ] || ln -s "$PWD/.debs" "$source/.debs"

# quiet COMMAND...: its last lines if it fails.
quiet() {
    "$@" >"$dir/log" 2>&1 || {
        echo "docs/adding-a-primitive.md: $*" >&2
        tail -n 40 "$dir/log" >&2
        exit 1
    }
}

awk '/^```diff$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$dir/patch"
[ "$(grep -c '^+++ ' "$dir/patch")" -gt 5 ] || {
    echo 'too few blocks were found: the check itself is broken' >&2
    exit 1
}
cd "$source"
quiet patch -p1 --fuzz=0 --forward --no-backup-if-mismatch -i "$dir/patch"

quiet "$cmake" -S "$source" -B "$build" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DFUSOR_WERROR=ON -DFUSOR_TESTS=ON \
    -DFUSOR_STATIC=ON -DFUSOR_SHARED=OFF -DFUSOR_PROGRAMS=OFF -DFUSOR_INSTALL=OFF -DFUSOR_CUDA=OFF "$@"
quiet "$cmake" --build "$build" --parallel 2 --target contracts_alternate api_fuzz
quiet env FUSOR_CACHE_DIR="$dir/cache" "$build/tests/contracts_alternate"
for check in kinds includes emit licences; do
    quiet "tests/$check.sh"
done
quiet tests/api.sh "$build/generated" "$cc" "$build/tests/api_fuzz"

cp tests/package/abi.txt "$dir/before"
status=0
FUSOR_UPDATE_ABI=1 tests/package/abi.sh "$source" "$build/generated" "$cc" "$version" >"$dir/log" 2>&1 || status=$?
[ $status -ne 77 ] || exit 0
gained=$({ diff "$dir/before" tests/package/abi.txt || true; } | sed -nE 's/^[<>] (function [0-9.]+ )?//p')
if [ $status -ne 0 ] || [ "$(wc -l <<<"$gained")" -ne 1 ] || ! grep -qxF "${gained:-nothing}" "$page"; then
    printf 'docs/adding-a-primitive.md: the binary interface gains another line\n%s\n' "$gained" >&2
    cat "$dir/log" >&2
    exit 1
fi
