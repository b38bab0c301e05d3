#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs an example and compares what it prints with what a page says that it prints: printed.sh PAGE PROGRAM [ARGUMENT...]. That is
# the block behind "On the CPU this prints", or the one that begins with "$ build/examples/PROGRAM", but for times, files that are
# written, digests in names of kernels, and the folder of the sources.
set -euo pipefail
page=$1
shift
output=$("$@") || { echo "$1: status $?" && exit 1; }

plain() {
    sed -E '/ ms a run$/d; /^written: /d; s/(k_[a-z_]+)_[0-9a-f]{8}\b/\1/; s#[^ (]*(examples/[a-z]+\.c)#\1#'
}

said=$(awk -v name="$(basename "$1")" '
    /^On the CPU this prints$/ { wanted = 1 }
    /^```/ { inside = !inside; open = inside && wanted; if (inside) wanted = 0; next }
    inside && $1 == "$" && $2 == "build/examples/" name { open = 1; next }
    inside && open' "$page" | plain)
printed=$(plain <<<"$output")
[ -n "$said" ] || { echo "$page says nothing of it: the check itself is broken" && exit 1; }
[[ "$printed" == *"$said"* ]] || {
    echo "$page: < is there, > is what it prints"
    diff <(echo "$said") <(echo "$printed")
    exit 1
}
