#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The binary interface against tests/package/abi.txt: every public function with its parameters and the version that it came in,
# every struct's size, every field's place, every constant's value; and that fsr_constant knows them:
# abi.sh SOURCE GENERATED CC VERSION [SHARED]. docs/abi.md says what may change when; FUSOR_UPDATE_ABI=1 writes the table anew.
# For machines with 64-bit long and pointers (LP64); on others it is skipped.
set -euo pipefail
. "$(dirname "$0")/public.sh"
table=$1/tests/package/abi.txt cc=$3 version=$4 shared=${5:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/include/fusor"
cp "$1"/include/fusor/*.h "$2"/include/fusor/*.h "$dir/include/fusor"
echo '_Static_assert(sizeof(long) == 8 && sizeof(void *) == 8, "LP64");' | "$cc" -fsyntax-only -x c - 2>/dev/null || {
    echo 'not LP64: the table is of other machines' >&2
    exit 77
}
for header in "$dir"/include/fusor/*.h; do
    echo "#include <fusor/$(basename "$header")>"
done >"$dir/all.h"
"$cc" -std=c11 -E -P -I"$dir/include" -x c "$dir/all.h" | grep -v '^#' | tr '\n\t' '  ' | tr -s ' ' >"$dir/text"
"$cc" -std=c11 -E -dM -I"$dir/include" -x c "$dir/all.h" >"$dir/macros"

# Structs as "name field field ...", enumerators and integer macros as names, functions as prototypes.
grep -oE 'typedef (struct|union) fsr_[a-z0-9_]+ \{[^{}]*(\{[^{}]*\}[^{}]*)*\} fsr_[a-z0-9_]+;' "$dir/text" |
    sed -E 's/^typedef (struct|union) (fsr_[a-z0-9_]+) \{(.*)\} fsr_[a-z0-9_]+;$/\2 \3/; s/(__extension__ )?struct \{//g; s/\}//g; s/\[[^]]*\]//g' |
    awk '{
        name = $1
        sub(/^[^ ]+ /, "")
        n = split($0, piece, /[;,]/)
        line = name
        for (i = 1; i <= n; i++)
            if (match(piece[i], /[A-Za-z_][A-Za-z0-9_]* *$/)) {
                field = substr(piece[i], RSTART)
                sub(/ +$/, "", field)
                line = line " " field
            }
        print line
    }' | LC_ALL=C sort >"$dir/structs"
{
    grep -oE 'enum [a-z_0-9 ]*\{[^}]*\}' "$dir/text" | grep -oE '\bFSR_[A-Z0-9_]+' || true
    grep -E '^#define FSR_[A-Z0-9_]+ (INT64_MIN|-?[0-9]+)$' "$dir/macros" | awk '{ print $2 }' | grep -v '^FSR_VERSION'
} | LC_ALL=C sort -u >"$dir/constants"
{
    public_prototypes "$cc" "$dir/include"
    grep -oE 'typedef [a-z0-9_ ]+\*?\(\*fsr_[a-z0-9_]+\)\([^()]*\)' "$dir/text" # what callers' functions must be
} | LC_ALL=C sort >"$dir/prototypes"
for found in structs:10 constants:60 prototypes:150; do
    [ "$(wc -l <"$dir/${found%:*}")" -ge "${found#*:}" ] || {
        echo "too few ${found%:*} were found: the check itself is broken" >&2
        exit 1
    }
done

# A program prints sizes, places and values.
{
    cat "$dir/all.h"
    printf '#include <inttypes.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\nint wrong = 0;\n'
    while read -r name fields; do
        printf 'printf("struct %s %%zu\\n", sizeof(%s));\n' "$name" "$name"
        for field in $fields; do
            printf 'printf("field %s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof((%s *)0)->%s);\n' "$name" "$field" "$name" "$field" "$name" "$field" |
                sed 's/sizeof((\(fsr_[a-z0-9_]*\) \*)0)->\([a-zA-Z0-9_]*\)/sizeof ((\1 *)0)->\2/'
        done
    done <"$dir/structs"
    while read -r name; do
        printf 'printf("constant %s %%" PRId64 "\\n", (int64_t)%s);\n' "$name" "$name"
        [ -z "$shared" ] || printf '{ int64_t v; if (!fsr_constant("%s", &v) || v != (int64_t)%s) { wrong++; fprintf(stderr, "graph/names.c lacks %s\\n"); } }\n' "$name" "$name" "$name"
    done <"$dir/constants"
    printf 'return wrong != 0;\n}\n'
} >"$dir/print.c"
link=()
[ -z "$shared" ] || link=("$shared" -Wl,-rpath,"${shared%/*}")
"$cc" -std=c11 -D_DEFAULT_SOURCE -I"$dir/include" -o "$dir/print" "$dir/print.c" "${link[@]}"
status=0
"$dir/print" >"$dir/layout" || status=1

# Each function keeps the version that the table gives it; a new one came with this one.
awk -v version="${version%.*}" '
    NR == FNR { if ($1 == "function") { came = $2; sub(/^function [^ ]+ /, ""); since[$0] = came }; next }
    { print "function", ($0 in since ? since[$0] : version), $0 }' "$table" "$dir/prototypes" >"$dir/functions"
{
    sed '/^[^#]/,$d' "$table"
    cat "$dir/layout" "$dir/functions"
} >"$dir/table"
if [ -n "${FUSOR_UPDATE_ABI:-}" ]; then
    cp "$dir/table" "$table"
    exit $status
fi
diff -u "$table" "$dir/table" >"$dir/diff" && exit $status
sed -n '3,$p' "$dir/diff" | grep '^[+-]' >&2
# What changed, by its name; a field in what was a struct's padding above all, which an older program fills with anything.
awk 'NR == FNR { if ($1 == "struct") size[$2] = $3; if ($1 == "field") known[$2] = 1; next }
    $1 == "struct" && ($2 in size) && size[$2] != $3 { print $2 " has another size" }
    $1 == "field" && !($2 in known) { split($2, of, "."); if ((of[1] in size) && $3 < size[of[1]]) print $2 " lies where " of[1] " ended in padding, or among its fields" }' \
    "$table" "$dir/table" >&2
echo 'the binary interface (+) is not that of tests/package/abi.txt (-); docs/abi.md says what may change.' >&2
echo 'If it may: FUSOR_UPDATE_ABI=1 ctest -R package/abi, and a line in CHANGELOG.md' >&2
exit 1
