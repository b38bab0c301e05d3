#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The table of the fuzzer of the public functions (tests/api) has every function that the public headers declare, and
# nothing else: api.sh GENERATED CC PROGRAM. Runs in the source root.
set -euo pipefail
. tests/package/public.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/include/fusor"
cp include/fusor/*.h "$1"/include/fusor/*.h "$dir/include/fusor"
public_functions "$2" "$dir/include" | LC_ALL=C sort >"$dir/public"
"$3" --functions | LC_ALL=C sort -u >"$dir/table"
[ "$(wc -l <"$dir/public")" -gt 200 ] || {
    echo "too few public functions were found: the check itself is broken" >&2
    exit 1
}
diff -u "$dir/public" "$dir/table" || {
    echo "the public headers' functions (-) are not those that tests/api calls (+)" >&2
    exit 1
}
