#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The shared library shows the functions of the public headers, all of them and nothing else, each versioned; the static one
# defines no global name outside of the prefix fsr_ but the compiler's own: symbols.sh SOURCE GENERATED CC STATIC [SHARED].
set -euo pipefail
. "$(dirname "$0")/public.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/include/fusor"
cp "$1"/include/fusor/*.h "$2"/include/fusor/*.h "$dir/include/fusor"
public_functions "$3" "$dir/include" >"$dir/public"
[ "$(wc -l <"$dir/public")" -gt 100 ] || {
    echo "too few public functions were found: the check itself is broken" >&2
    exit 1
}

status=0
nm -g --defined-only "$4" | awk 'NF == 3 { print $3 }' | sort -u >"$dir/static"
if grep -vE '^(fsr_|__)' "$dir/static"; then
    echo "global names of the static library, above, lack the prefix fsr_" >&2
    status=1
fi
comm -23 "$dir/public" "$dir/static" >"$dir/missing"
if [ -s "$dir/missing" ]; then
    echo "declared in a public header, but not defined: $(paste -sd' ' "$dir/missing")" >&2
    status=1
fi
if [ $# -gt 4 ]; then
    nm -D --defined-only "$5" | awk '$2 != "A" { print $3 }' | sort -u >"$dir/shared"
    sed 's/$/@@FUSOR_0.1/' "$dir/public" | sort >"$dir/expected"
    diff -u "$dir/expected" "$dir/shared" || {
        echo "what libfusor.so shows (+) is not what its headers declare (-)" >&2
        status=1
    }
fi
exit $status
