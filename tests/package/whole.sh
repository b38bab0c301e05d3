#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs everything, looks at what is there, moves it, runs it, and uninstalls: whole.sh SOURCE BUILD CMAKE. No file says
# where it was built, binaries and their debug information included; the pages' links hold among themselves; after uninstall
# no file is left, and what was there before is.
set -euo pipefail
source=$1 build=$2 cmake=$3
dir=$(mktemp -d)
# The build's own manifests are somebody's installation: they stay as they are.
mkdir "$dir/manifests"
restore() {
    rm -f "$build"/install_manifest*.txt
    mv "$dir"/manifests/* "$build" 2>/dev/null || true
    rm -rf "$dir"
}
trap restore EXIT
mv "$build"/install_manifest*.txt "$dir/manifests" 2>/dev/null || true
export FUSOR_CACHE_DIR=$dir/cache FUSOR_BACKEND=cpu

fail() {
    echo "$*" >&2
    exit 1
}

quietly() {
    "$@" >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        fail "failed: $*"
    }
}

prefix=$dir/prefix
mkdir -p "$prefix/bin" "$prefix/share/man"
echo mine >"$prefix/bin/mine"
quietly "$cmake" --install "$build" --prefix "$prefix"
find "$prefix" -type f -o -type l | sed "s|^$prefix/||" | LC_ALL=C sort >"$dir/files"
doc=$(sed -n 's|/docs/guide\.md$||p' "$dir/files")
for file in bin/fusor-bench share/fusor/data/ecg.npy share/man/man1/fusor-bench.1 share/man/man7/fusor.7 include/fusor/fusor.h \
    include/fusor/ops.h "$doc/LICENSE" "$doc/README.md" "$doc/CHANGELOG.md" "$doc/docs/abi.md" "$doc/examples/first.c" \
    "$doc/examples/CMakeLists.txt"; do
    grep -qxF "$file" "$dir/files" || fail "not installed: $file"
done
if [ -f "$build/reference/html/index.html" ]; then
    grep -qxF "$doc/html/index.html" "$dir/files" || fail "the reference was rendered and not installed"
fi
if grep -E '/(tests|bench|graph|runtime)/|/data/README|\.(awk|dox|in)$' "$dir/files" | grep -v '^share/fusor/data/'; then
    fail "the files above do not belong into an installation"
fi

# -a: binaries too. The folder of the installation itself is another matter, but it may be moved, so it must not be told either.
! grep -raFl -e "$source/" -e "$build/" -e "$prefix" "$prefix" >"$dir/telling" || {
    cat "$dir/telling" >&2
    fail "the installed files above tell where they were built"
}
for page in "$prefix/$doc"/*.md "$prefix/$doc"/docs/*.md "$prefix/$doc"/examples/*.md; do
    while IFS= read -r link; do
        case $link in
        *tests/* | *CONTRIBUTING* | *SECURITY* | *include/* | *scripts/* | *data*) continue ;; # of the source tree
        esac
        [ -e "$(dirname "$page")/${link%%#*}" ] || fail "${page#"$prefix/"}: no such file: $link"
    done < <(grep -oE '\]\([^)#:]+[^):]*\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/' | grep -v '^#' || true)
done

# Moved, it finds its data, and a program against it needs nothing of the build.
mv "$prefix" "$dir/moved"
"$dir/moved/bin/fusor-bench" --help | grep -qF "$dir/moved/bin/../share/fusor/data" || fail "the moved fusor-bench does not find its data"
mv "$dir/moved" "$prefix"

quietly "$cmake" -DBUILD="$build" -P "$source/cmake/fusor-uninstall.cmake"
left=$(find "$prefix" -type f -o -type l -o -name fusor)
[ "$left" = "$prefix/bin/mine" ] || fail "after uninstall there is: $left"
[ -d "$prefix/share/man" ] || fail "uninstall took a folder that was there before"
! "$cmake" -DBUILD="$build" -P "$source/cmake/fusor-uninstall.cmake" >"$dir/log" 2>&1 || fail "a second uninstall found something"
grep -q 'nothing was installed' "$dir/log" || fail "a second uninstall does not say that there is nothing"
