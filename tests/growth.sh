#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# growth.sh FUSOR_GROWTH: what recording, finding and planning a program take grows as the program does, in instructions,
# which no load of the machine changes: eight times the parts take at most 8.8 times as many. 77: there is no valgrind.
set -euo pipefail
growth=$1
command -v valgrind >/dev/null || { echo 'no valgrind'; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# instructions SHAPE PARTS: of the process that does the row; its parent only waits.
instructions() {
    rm -f "$out"/*
    valgrind --tool=callgrind --callgrind-out-file="$out/%p" "$growth" "$1" "$2" "$2" >/dev/null 2>&1
    sed -n 's/^\(summary\|totals\): //p' "$out"/* | sort -n | tail -1
}

# Of the first shapes a kernel takes hundreds of parts, so that eight times as many are eight times the kernels only where
# there are some.
failed=0
for row in chain:1000 products:1000 scaled:2500 shared:1000 folds:250 turns:250 joined:250; do
    shape=${row%:*} parts=${row#*:}
    small=$(instructions "$shape" "$parts")
    large=$(instructions "$shape" $((8 * parts)))
    printf '%-10s %5d: %10d, %5d: %10d, %d.%02d times\n' "$shape" "$parts" "$small" $((8 * parts)) "$large" \
        $((large / small)) $((large * 100 / small % 100))
    if [ $((large * 10)) -gt $((small * 88)) ]; then
        failed=1
    fi
done
exit $failed
