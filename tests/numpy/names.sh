#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# primitives/numpy.def says the truth: it has NumPy's names (tests/numpy/names.txt), every function that it promises is in the
# public headers, and what it calls missing, or says otherwise, is not there by now. names.sh GENERATED CC GEN_NUMPY, in the
# source root. What expressions take of it is compared in tests/unit/test_expr_names.c.
set -euo pipefail
export LC_ALL=C
. tests/package/public.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/include/fusor"
cp include/fusor/*.h "$1"/include/fusor/*.h "$dir/include/fusor"
"$3" --rows >"$dir/rows"

status=0
cut -f1 "$dir/rows" | diff -u tests/numpy/names.txt - || {
    echo "primitives/numpy.def (+) has not NumPy's names in order (-)" >&2
    status=1
}

# Functions, as callers write them; builders are those that take the caller's place, and macros over them.
public_functions "$2" "$dir/include" >"$dir/functions"
{
    sed -n 's/_at$//p' "$dir/functions"
    sed -n 's/^#define \(fsr_[a-z0-9_]*\)(.*/\1/p' "$dir"/include/fusor/*.h
} | sort -u >"$dir/builders"
sort -u "$dir/builders" "$dir/functions" >"$dir/all"
[ "$(wc -l <"$dir/builders")" -gt 150 ] || {
    echo "too few builders were found: the check itself is broken" >&2
    exit 1
}

while IFS=$'\t' read -r name kind ours; do
    if [ "$kind" != LACKS ] && [ -n "$ours" ] && ! grep -qx "$ours" "$dir/all"; then
        echo "$name: no public header has $ours" >&2
        status=1
    fi
    mine=fsr_${name##*.}
    if { [ "$kind" = LACKS ] || [ "$kind" = SAYS ]; } && [ "$mine" != "$ours" ] && grep -qx "$mine" "$dir/builders"; then
        echo "$name: the row says $kind, but there is $mine" >&2
        status=1
    fi
done <"$dir/rows"
echo "$(wc -l <"$dir/rows") names"
exit $status
