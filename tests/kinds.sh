#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Node kinds are one table (graph/node_kinds.def): elsewhere a kind is named only where a node of it is made, and a free
# slot told from a used one. Everything else asks traits and fields. Runs in the source root; prints every line beyond the
# list, and lines of the list that are not there any more.
set -euo pipefail
rooms='include graph primitives fusion runtime backend_cpu backend_cuda bench'

# FILE LINES: how many lines may name a kind there.
allowed='graph/content.c 1
graph/graph.c 3
graph/poison.c 1
graph/scope.c 1
graph/verify.c 2
primitives/body.c 1
primitives/cast.c 1
primitives/csr.c 1
primitives/curand.c 1
primitives/filter.c 1
primitives/fourier.c 1
primitives/iterate.c 1
primitives/library.c 1
primitives/linalg.c 1
primitives/literal.c 4
primitives/live.c 1
primitives/map.c 1
primitives/native.c 1
primitives/parse.c 3
primitives/paste.c 1
primitives/parse_rounds.c 1
primitives/reduce.c 1
primitives/rounds.c 3
primitives/rounds_body.c 3
primitives/scan.c 1
primitives/scatter.c 3
primitives/scatter_sum.c 1
primitives/segment_ops.c 1
primitives/select.c 1
primitives/sort.c 1
primitives/take.c 2
primitives/vectorize.c 1
primitives/view.c 1
fusion/clips.c 1
fusion/contract.c 2
fusion/flow_build.c 1
fusion/flow_ends.c 2
fusion/flow_text.c 1
fusion/fold_across.c 2
fusion/loop_masks.c 4
fusion/loop_states.c 1
fusion/order_wires.c 4
fusion/paste_parts.c 5
fusion/paste_places.c 3
fusion/pipeline.c 2
fusion/rewrite_fold.c 1
fusion/rewrite_hoist.c 2
fusion/rewrite_narrow.c 3
fusion/rewrite_unstack.c 1
fusion/window_axes.c 1
fusion/window_folds.c 3
runtime/array.c 1'

kinds=$(sed -nE 's/^FSR_KIND\(([A-Z_]+),.*/\1/p' graph/node_kinds.def | paste -sd'|')
[ -n "$kinds" ] || { echo 'no kind was found: the check itself is broken' >&2 && exit 1; }
# shellcheck disable=SC2086
found=$(grep -rnE "FSR_NODE_($kinds)\b" --include='*.[ch]' --include='*.def' $rooms || true)
status=0
while read -r file; do
    most=$(sed -n "s|^$file ||p" <<<"$allowed")
    lines=$(grep "^$file:" <<<"$found")
    if [ "$(wc -l <<<"$lines")" -gt "${most:-0}" ]; then
        printf '%s: a kind is named in more than %d lines; ask a trait (graph/kind.h)\n%s\n' "$file" "${most:-0}" "$lines" >&2
        status=1
    fi
done < <(cut -d: -f1 <<<"$found" | sort -u)
while read -r file most; do
    lines=$(grep -c "^$file:" <<<"$found" || true)
    [ "$lines" -ge "$most" ] || { echo "tests/kinds.sh: $file names a kind in $lines lines, not $most" >&2 && status=1; }
done <<<"$allowed"

# No switch: a comparison with a kind is one in the making. Only a free slot is told so.
compared=$(grep -E "(case|[!=]=) *FSR_NODE_" <<<"$found" | grep -vE '[!=]= *FSR_NODE_FREE\b' || true)
[ -z "$compared" ] || { printf 'a kind is compared with:\n%s\n' "$compared" >&2 && status=1; }
exit $status
