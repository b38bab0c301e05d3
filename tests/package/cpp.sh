#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The C headers and fusor.hpp in standards of C++ from 11 to 23 that each compiler here knows, with many warnings as errors;
# tests/package/wrapper.cpp, with exceptions and without, and examples/first.cpp: cpp.sh SOURCE GENERATED LIBRARY CXX WHO RUN CHECK.
# LIBRARY: the shared one. RUN, a list of standards: those in which the programs are optimized, which finds more, linked and run, by
# each compiler or by CXX alone (WHO is each or own); in those of the list CHECK, and by the others, they are read and checked, which
# is most of what a standard may change. The hundred kernels of what the wrappers record are compiled where WHO is each, else
# interpreted; first.cpp's is compiled. Prints the matrix.
set -euo pipefail
source=$1 generated=$2 library=$3 who=$5 run=$6 check=${7-}
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

# One source of all programs: their headers are read once.
for program in "$dir/headers.cpp" "$source/tests/package/wrapper.cpp" "$source/examples/first.cpp"; do
    printf '#define main main_of_%s\n#include "%s"\n#undef main\n' "$(basename "$program" .cpp)" "$program"
done >"$dir/all.cpp"

# check COMPILER STANDARD: every program is taken without a warning.
check() {
    local read=("$1" "-std=$2" "${flags[@]}" -fsyntax-only)
    "${read[@]}" "$dir/all.cpp" && "${read[@]}" -fno-exceptions "$source/tests/package/wrapper.cpp"
}

# run_wrapper COMPILER STANDARD NAME [OPTION]: tests/package/wrapper.cpp, optimized.
run_wrapper() {
    local settings=()
    [ "$who" = each ] || settings=(FUSOR_COMPILER=/bin/false FUSOR_LOG_LEVEL=0)
    "$1" "-std=$2" "${flags[@]}" -O1 "${@:4}" "$source/tests/package/wrapper.cpp" -o "$dir/$3" "${link[@]}" &&
        env "${settings[@]}" "$dir/$3"
}

# check_and_run COMPILER STANDARD: the programs, optimized; the first line of output of what failed.
check_and_run() {
    local build=("$1" "-std=$2" "${flags[@]}")
    "${build[@]}" "$dir/headers.cpp" -o "$dir/headers" "${link[@]}" && "$dir/headers" &&
        run_wrapper "$1" "$2" wrapper && run_wrapper "$1" "$2" status -fno-exceptions &&
        "${build[@]}" -O1 "$source/examples/first.cpp" -o "$dir/first" "${link[@]}" &&
        [ "$("$dir/first")" = '0.0900306 0.244728 0.665241' ]
}

link=("$library" -Wl,-rpath,"${library%/*}")
failed=0 tried=0
for compiler in "${compilers[@]}"; do
    for standard in $run $check; do
        known=$standard
        "$compiler" "-std=$known" -fsyntax-only -x c++ /dev/null 2>/dev/null || known=${standard/23/2b}
        "$compiler" "-std=$known" -fsyntax-only -x c++ /dev/null 2>/dev/null || continue
        tried=$((tried + 1))
        how=check
        [[ " $run " != *" $standard "* || ($who = own && $compiler != "$4") ]] || how=check_and_run
        if $how "$compiler" "$known" >"$dir/log" 2>&1; then
            echo "$compiler $standard: ${how//_/ }: ok"
        else
            echo "$compiler $standard: FAILED" && head -n 30 "$dir/log"
            failed=$((failed + 1))
        fi
    done
done
[ $tried -gt 0 ] && [ $failed -eq 0 ]
