#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The C headers and fusor.hpp in every standard of C++ from 11 to 23 that each compiler here knows, with many warnings as errors;
# tests/package/wrapper.cpp, with exceptions and without, and examples/first.cpp, run: cpp.sh SOURCE GENERATED LIBRARY CXX
# OPTIMIZED. LIBRARY: the shared one. OPTIMIZED, a list of standards: those in which what a compiler finds out by optimizing is
# looked for as well; without, it takes a third of the time less. Prints the matrix.
set -euo pipefail
source=$1 generated=$2 library=$3 optimized=" $5 "
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export FUSOR_CACHE_DIR=$dir/cache FUSOR_BACKEND=cpu LD_LIBRARY_PATH=${library%/*}
flags=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -I"$source/include" -I"$generated/include")
compilers=("$4")
own=$(readlink -f "$(command -v "$4")")
for other in g++ clang++; do
    path=$(command -v "$other") || continue
    [ "$(readlink -f "$path")" = "$own" ] || compilers+=("$other")
done
grep -h '^#include "fusor/' "$source/include/fusor/fusor.h" | sed 's/"/</; s/"/>/' >"$dir/headers.cpp"
echo 'int main() { return fsr_dtype_size(FSR_F32) == 4 ? 0 : 1; }' >>"$dir/headers.cpp"

# check COMPILER STANDARD LEVEL: the three programs, optimized so; the first line of output of what failed.
check() {
    local build=("$1" "-std=$2" "${flags[@]}") link=("$library" -Wl,-rpath,"${library%/*}")
    "${build[@]}" "$dir/headers.cpp" -o "$dir/headers" "${link[@]}" && "$dir/headers" &&
        "${build[@]}" "$3" "$source/tests/package/wrapper.cpp" -o "$dir/wrapper" "${link[@]}" && "$dir/wrapper" &&
        "${build[@]}" "$3" -fno-exceptions "$source/tests/package/wrapper.cpp" -o "$dir/status" "${link[@]}" && "$dir/status" &&
        "${build[@]}" "$3" "$source/examples/first.cpp" -o "$dir/first" "${link[@]}" &&
        [ "$("$dir/first")" = '0.0900306 0.244728 0.665241' ]
}

failed=0 tried=0
for compiler in "${compilers[@]}"; do
    for standard in c++11 c++14 c++17 c++20 c++23; do
        known=$standard
        "$compiler" "-std=$known" -fsyntax-only -x c++ /dev/null 2>/dev/null || known=${standard/23/2b}
        "$compiler" "-std=$known" -fsyntax-only -x c++ /dev/null 2>/dev/null || continue
        tried=$((tried + 1))
        level=-O0
        [[ $optimized != *" $standard "* ]] || level=-O1
        if check "$compiler" "$known" $level >"$dir/log" 2>&1; then
            echo "$compiler $standard: ok"
        else
            echo "$compiler $standard: FAILED" && head -n 30 "$dir/log"
            failed=$((failed + 1))
        fi
    done
done
[ $tried -gt 0 ] && [ $failed -eq 0 ]
