#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# growth.sh FUSOR_GROWTH: what recording, finding and planning a program take grows as the program does, in instructions,
# which no load of the machine changes: eight times the parts take at most 8.8 times as many, and no more a node than
# the bound of their row, a seventh above what was counted. 77: there is no valgrind.
set -euo pipefail
growth=$1
command -v valgrind >/dev/null || { echo 'no valgrind'; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out" "$out.row"' EXIT

# instructions SHAPE PARTS: of the process that does the row, which leaves its line in $out.row; its parent only waits.
instructions() {
    rm -f "$out"/*
    valgrind --tool=callgrind --callgrind-out-file="$out/%p" "$growth" "$1" "$2" "$2" 2>/dev/null | tail -1 >"$out.row"
    sed -n 's/^\(summary\|totals\): //p' "$out"/* | sort -n | tail -1
}

# Of the first shapes a kernel takes hundreds of parts, so that eight times as many are eight times the kernels only where
# there are some.
failed=0
for row in chain:1000:13400 products:1000:18800 scaled:2500:16600 shared:1000:31900 folds:250:26400 turns:250:34100 joined:250:52700 updates:600:43900 merged:250:35700 states:1000:45300 orders:1000:8300; do
    IFS=: read -r shape parts bound <<<"$row"
    small=$(instructions "$shape" "$parts")
    large=$(instructions "$shape" $((8 * parts)))
    nodes=$(awk '{ print $3 }' "$out.row")
    printf '%-10s %5d: %10d, %5d: %10d, %d.%02d times, %d a node\n' "$shape" "$parts" "$small" $((8 * parts)) "$large" \
        $((large / small)) $((large * 100 / small % 100)) $((large / nodes))
    if [ $((large * 10)) -gt $((small * 88)) ] || [ $((large / nodes)) -gt "$bound" ]; then
        failed=1
    fi
done
exit $failed
