#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The version stands in include/fusor/version.h; whatever else tells one tells that: version.sh BUILD FUSOR-BENCH. Runs in the
# source root.
set -uo pipefail
failed=0
same() { # what, what it says, what it should say
    [ "$2" = "$3" ] || {
        echo "$1: $2; expected $3" >&2
        failed=1
    }
}
number() {
    sed -n "s/^#define FSR_VERSION_$1 \([0-9]*\)$/\1/p" include/fusor/version.h
}
version=$(number MAJOR).$(number MINOR).$(number PATCH)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || {
    echo "include/fusor/version.h has no version: $version" >&2
    exit 1
}
abi=${version%%.*}
[ "$abi" != 0 ] || abi=${version%.*}
same 'fusor-bench --version' "$("$2" --version)" "fusor-bench $version"
same 'CMake' "$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$1/CMakeCache.txt")" "$version"
same 'cmake/fusor.map' "$(sed -n 's/^FUSOR_\([0-9.]*\) {$/\1/p' cmake/fusor.map)" "$abi"
if [ -f "$1/fusor.pc" ]; then
    same 'pkg-config' "$(sed -n 's/^Version: //p' "$1/fusor.pc")" "$version"
    same 'find_package' "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$1/fusor-config-version.cmake")" "$version"
fi
for library in "$1"/libfusor.so.*.*.*; do
    [ ! -e "$library" ] || same "the shared library's file" "${library##*/}" "libfusor.so.$version"
done
exit $failed
