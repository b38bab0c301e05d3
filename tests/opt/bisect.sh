#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/bisect finds a fusion that was broken on purpose: the source of the kernel that holds everything is dumped, its
# constant changed, and loaded in the place of what is generated. bisect.sh ANSWER (tests/opt/answer.c)
set -uo pipefail
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
answer=$1
export FUSOR_CACHE_DIR="$work/cache" FUSOR_BACKEND=cpu TMPDIR=$work

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

command -v cc >/dev/null || { echo 'no C compiler' && exit 77; }
FUSOR_DUMP_DIR=$work/dump "$answer" || fail 'the answer is wrong from the start'
kernel=$(cd "$work/dump" && ls k_mul_abs_add_sum_*.c) || fail 'the fused kernel has another name'
mkdir "$work/load"
sed 's/= 3\.0f;/= 4.0f;/' "$work/dump/$kernel" >"$work/load/$kernel"
cmp -s "$work/dump/$kernel" "$work/load/$kernel" && fail 'the constant stands otherwise in the source'

output=$(scripts/bisect "$answer") && fail 'a right answer was hunted' "$output"
grep -q 'nothing to hunt' <<<"$output" || fail "$output"
output=$(FUSOR_LOAD_DIR=$work/load scripts/bisect "$answer") || fail 'not found' "$output"
for line in 'right with 2 fusions, wrong with 3:' \
    'fusion 3: add (%5) is evaluated where it is read' "$kernel"; do
    grep -qF -- "$line" <<<"$output" || fail "no line '$line' in:" "$output"
done
