#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks who may include whom (CONTRIBUTING.md): includes point only to the same room and rooms to the left, are written
# from the repository's root, and only backend_cuda, tests/gpu, tests/trust and tests/fuzz see a CUDA header. Runs in the source root.
set -euo pipefail

declare -A may=(
    [include]='fusor'
    [graph]='fusor graph'
    [primitives]='fusor graph primitives'
    [fusion]='fusor graph primitives fusion'
    [runtime]='fusor graph primitives fusion runtime'
    [backend_cpu/emit]='fusor graph primitives fusion runtime backend_cpu/emit'
    [backend_cpu/reference]='fusor graph primitives fusion runtime backend_cpu/reference'
    [backend_cpu/run]='fusor graph primitives fusion runtime backend_cpu/emit backend_cpu/run'
    [backend_cuda]='fusor graph primitives fusion runtime backend_cuda'
    [examples]='fusor examples'
    [bench]='fusor graph primitives fusion runtime backend_cpu/run backend_cuda bench'
)
status=0
complain() {
    echo "$1" >&2
    status=1
}

# check ROOM FILE LINE INCLUDED: one quoted include.
check() {
    local top=${4%%/*}
    [ "$top" != backend_cpu ] || top=${4%/*}
    if [[ $4 != */* ]]; then
        complain "$2:$3: \"$4\" is not written from the root"
    elif [[ " ${may[$1]} " != *" $top "* ]]; then
        complain "$2:$3: $1 may not include $4"
    fi
}

found=0
for room in "${!may[@]}"; do
    while IFS=: read -r file line included; do
        found=$((found + 1))
        check "$room" "$file" "$line" "$included"
    done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' --include='*.[ch]' --include='*.def' "$room" |
        sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]*)".*/:\1/')
done
[ $found -gt 0 ] || complain 'no include was found: the check itself is broken'

cuda=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"](cuda|nvrtc|nvJitLink|cublas|cufft|cub/|curand)' \
    --include='*.[ch]' include graph primitives fusion runtime backend_cpu bench examples tests | grep -vE '^tests/(gpu|trust|fuzz)/' || true)
[ -z "$cuda" ] || complain "CUDA headers outside backend_cuda:
$cuda"
exit $status
