#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public header alone, twice, without a warning in every standard of C from 99 to 23 that each compiler here knows, and in
# C++17; then every initializer with designators of the documents, headers and examples, its values aside, in C++20, which asks
# for the order of the fields: headers.sh SOURCE GENERATED CC CXX. (tests/package/cpp.sh has the other standards of C++.)
set -euo pipefail
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror -fsyntax-only -I"$1/include" -I"$2/include")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# knows COMPILER LANGUAGE STANDARD
knows() {
    "$1" "-std=$3" -fsyntax-only -x "$2" /dev/null 2>/dev/null
}

compilers=("$3")
own=$(readlink -f "$(command -v "$3")")
for other in gcc clang; do
    path=$(command -v "$other") || continue
    [ "$(readlink -f "$path")" = "$own" ] || compilers+=("$other")
done
# Pairs of a compiler and a standard that it knows.
pairs=()
for compiler in "${compilers[@]}"; do
    for standard in c99 c11 c17 c23; do
        known=$standard
        knows "$compiler" c "$known" || known=${standard/23/2x}
        knows "$compiler" c "$known" || continue
        pairs+=("$compiler $known")
    done
done
tried=0
for header in "$1"/include/fusor/*.h "$2"/include/fusor/*.h; do
    name=fusor/$(basename "$header")
    text=$(printf '#include <%s>\n#include <%s>\nint main(void);\nint main(void) { return 0; }\n' "$name" "$name")
    for pair in "${pairs[@]}"; do
        tried=$((tried + 1))
        "${pair% *}" "-std=${pair##* }" "${warnings[@]}" -Wstrict-prototypes -x c - <<<"$text" || {
            echo "$name: ${pair% *} -std=${pair##* }" >&2
            status=1
        }
    done
    "$4" -std=c++17 "${warnings[@]}" -x c++ - <<<"${text//(void)/()}" || status=1
done
[ $tried -ge 20 ] || { echo 'too few compilations: the check itself is broken' >&2 && status=1; }

# `fsr_loop l = {.body = turn, .nstate = 2}` becomes `fsr_loop v3 = {.body = {}, .nstate = {}};`.
cat "$1"/docs/*.md "$1"/README.md "$1"/include/fusor/*.h "$1"/examples/*.c | sed -E 's/"([^"\\]|\\.)*"/0/g; s|/\*[^*]*\*/||g; s|//.*||; s|^ \* ||' |
    tr '\n' ' ' | sed -E ':again; s/(= *(\([a-z0-9_ *]*(\[\])?\))?)\{ *[^{}. ][^{}]*\}/\10/g; t again' |
    grep -oE 'fsr_[a-z_0-9]+\)? *[a-z_0-9]*(\[\])? *=? *\{ *\.[^{}]*\}' |
    awk '{
        type = $0
        sub(/[^a-z_0-9].*/, "", type)
        line = ""
        rest = $0
        while (match(rest, /[{,] *\.[a-z_0-9]+ *=/)) {
            field = substr(rest, RSTART + 1, RLENGTH - 2)
            gsub(/ /, "", field)
            line = line (line == "" ? "" : ", ") field " = {}"
            rest = substr(rest, RSTART + RLENGTH)
        }
        print type " v" NR " = {" line "};"
    }' >"$dir/initializers"
[ "$(wc -l <"$dir/initializers")" -ge 4 ] || { echo 'too few initializers were found: the check itself is broken' >&2 && status=1; }
if knows "$4" c++ c++20; then
    { echo '#include <fusor/fusor.h>' && cat "$dir/initializers"; } >"$dir/all.cpp"
    "$4" -std=c++20 -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror -fsyntax-only -I"$1/include" -I"$2/include" "$dir/all.cpp" || {
        cat "$dir/initializers" >&2
        status=1
    }
fi
exit $status
