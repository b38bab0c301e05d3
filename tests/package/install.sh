#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs one kind of library from a build, moves the tree, and builds and runs programs against it, found by CMake and by
# pkg-config: install.sh SOURCE BUILD KIND CMAKE CC CXX. KIND: static, shared, or both (then only CMake's choice between them).
set -euo pipefail
source=$1 build=$2 kind=$3 cmake=$4 cc=$5 cxx=$6
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export FUSOR_CACHE_DIR=$dir/cache FUSOR_BACKEND=cpu

fail() {
    echo "$*" >&2
    exit 1
}

# quietly COMMAND...: its output only if it fails.
quietly() {
    "$@" >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        fail "failed: $*"
    }
}

# linked PROGRAM shared|static: it uses the shared library, or does not.
linked() {
    local found=static
    if readelf -d "$1" | grep -q 'NEEDED.*libfusor\.so\.0\.1'; then
        found=shared
    fi
    [ "$found" = "$2" ] || fail "$1 is linked with the $found library"
    ! readelf -d "$1" | grep -q xxhash || fail "$1 needs xxHash"
}

# by_cmake NAME KIND ARGUMENTS...: a project that finds the tree.
by_cmake() {
    local name=$1 expected=$2 program
    shift 2
    quietly "$cmake" -S "$source/tests/package/found" -B "$dir/$name" -DCMAKE_PREFIX_PATH="$dir/moved" \
        -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" "$@"
    quietly "$cmake" --build "$dir/$name"
    for program in outside_c outside_cpp outside_call; do
        linked "$dir/$name/$program" "$expected"
        "$dir/$name/$program" || fail "$program of $name: status $?"
    done
}

# by_pkg_config KIND: the two programs, compiled by hand.
by_pkg_config() {
    local -a flags warnings=(-Wall -Wextra -Wpedantic -Werror) more=()
    local pc library
    pc=$(find "$dir/moved" -name fusor.pc)
    export PKG_CONFIG_PATH=${pc%/*}
    library=$(pkg-config --variable=libdir fusor)
    [ "$1" = shared ] || more=(--static)
    read -ra flags <<<"$(pkg-config "${more[@]}" --cflags --libs fusor)"
    "$cc" -std=c11 "${warnings[@]}" "$source/tests/package/outside.c" -o "$dir/pc_c" "${flags[@]}" -lm
    "$cxx" -std=c++17 "${warnings[@]}" "$source/tests/package/outside.cpp" -o "$dir/pc_cpp" "${flags[@]}"
    for program in pc_c pc_cpp; do
        linked "$dir/$program" "$1"
        LD_LIBRARY_PATH=$library "$dir/$program" || fail "$program: status $?"
    done
}

components=(development "$kind")
[ "$kind" != both ] || components=(development static shared)
for component in "${components[@]}"; do
    quietly "$cmake" --install "$build" --prefix "$dir/first" --component "$component"
done
mv "$dir/first" "$dir/moved"
! grep -rIlE "$dir/first|$source|$build" "$dir/moved" || fail "the installed files above tell where they were built"

if [ "$kind" = both ]; then
    by_cmake default shared
    by_cmake component static -DKIND=static -DBUILD_SHARED_LIBS=ON
else
    by_cmake "$kind" "$kind"
    if command -v pkg-config >/dev/null; then
        by_pkg_config "$kind"
    else
        echo "no pkg-config: fusor.pc was not tried" >&2
        exit 77
    fi
fi
