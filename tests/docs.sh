#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Checks that docs/ops.md, docs/knobs.md and docs/from-numpy.md are what their tables say: docs.sh GEN_OPS GEN_KNOBS
# GEN_NUMPY, in the source root.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" --doc "$dir/ops.md"
"$2" "$dir/knobs.md"
"$3" "$dir/from-numpy.md"
status=0
for page in ops knobs from-numpy; do
    diff -u "docs/$page.md" "$dir/$page.md" || status=1
done
[ $status -eq 0 ] || echo 'out of date: run cmake --build <build> --target docs' >&2
exit $status
