#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fusor-bench's command line: bench.sh PROGRAM. What it does not know it refuses, with the name that may be meant.
set -uo pipefail
bench=$1
failed=0
refuses() { # the exact message, then arguments
    local expected=$1 said status
    shift
    said=$("$bench" "$@" 2>&1)
    status=$?
    if [ $status -ne 2 ] || [ "$said" != "fusor-bench: $expected" ]; then
        echo "fusor-bench $*: status $status, said: $said; expected: $expected"
        failed=1
    fi
}
refuses "unknown workload 'softmx'; is softmax meant? --list shows them" softmx
refuses "unknown workload 'nothing_like_it'; --list shows them" softmax nothing_like_it
refuses "unknown option '--verifyn'; is --verify-n meant? --help shows them" --verifyn 5
refuses "unknown option '--jsno'; is --json meant? --help shows them" --jsno=x
refuses "unknown option '--exprs'; is --expr meant? --help shows them" --exprs x
refuses "unknown option '-q'; --help shows them" -q
refuses "unknown option '--something-else'; --help shows them" --something-else
refuses "--n needs a value" --n
refuses "--backend: 'cudda' is neither cpu nor cuda" --backend cudda
refuses "--programs: 'tiny' is not allowed; see --help" --programs tiny
refuses "--random: '0' is not allowed; see --help" --random 0
refuses "--random measures nothing else, and writes no files" --random 1 --json x.json
refuses "--pairs: '5' is not allowed; see --help" --pairs 5
# A file that cannot be written is told before anything is measured, and one that is there stays as it is.
said=$("$bench" --json /proc/none/x.json 2>&1)
status=$?
if [ $status -ne 1 ] || [ "$said" != "fusor-bench: JSON: /proc/none/x.json: No such file or directory" ]; then
    echo "--json: status $status, said: $said"
    failed=1
fi
complain() {
    echo "$*"
    failed=1
}
# The table is at most 100 columns wide, names of any length; --wide has every column, and the JSON the same rows.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export FUSOR_BACKEND=cpu FUSOR_CACHE_DIR=
label=$(printf 'a_name_as_long_as_a_label_of_this_program_may_be_%014d' 0)
work=(chain_small polar_distance --n 4096 --reps 2 --expr 'sum(ecg)' --input ecg=examples/data/ecg.npy --name $label)
"$bench" "${work[@]}" --json "$dir/rows.json" >"$dir/narrow" 2>&1 || complain "status $?: $(cat "$dir/narrow")"
"$bench" "${work[@]}" --wide >"$dir/wide" 2>&1 || complain "--wide: status $?: $(cat "$dir/wide")"
awk 'length > 100 { print "too wide: " $0; bad = 1 } END { exit bad }' "$dir/narrow" || failed=1
[ "$(sed -n 1p "$dir/narrow" | tr -s ' ')" = "workload type n fused unfused speed-up kernels rate roof first verified" ] ||
    complain "heads: $(sed -n 1p "$dir/narrow")"
[ "$(sed -n 1p "$dir/wide" | wc -w)" -eq 19 ] || complain "--wide: $(sed -n 1p "$dir/wide")"
grep -q '^a_name_as_lo\.\. .*yes$' "$dir/narrow" || complain "a long name: $(cat "$dir/narrow")"
grep -q "^$label .*yes$" "$dir/wide" || complain "--wide cuts a name: $(cat "$dir/wide")"
for key in "\"workload\": \"$label\"" '"operations": 57344' '"operations": 108000' '"isa": "' '"threads": ' '"compiler": "[^"]' '"version": "[0-9]' \
    '"date": "20[0-9-]*T[0-9:]*Z"'; do
    grep -q "$key" "$dir/rows.json" || complain "JSON lacks $key: $(cat "$dir/rows.json")"
done
# The table of a README, of the same rows.
if command -v python3 >/dev/null; then
    python3 bench/table.py "$dir/rows.json" >"$dir/table" 2>"$dir/machine" || complain "table.py: $(cat "$dir/machine")"
    grep -Eq '^\| polar_distance \| f32 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| 1 of 14 \| [0-9]+ \| [0-9.]+ \| [0-9]+ \| [0-9.]+ \|$' "$dir/table" ||
        complain "table.py: $(cat "$dir/table")"
    grep -q '; copy [0-9]* GB/s$' "$dir/machine" || complain "table.py: $(cat "$dir/machine")"
fi
# Input in order: the table and the rows say so, and results are the reference's.
"$bench" --order descending --n 2^14 --reps 2 topk_10 --json "$dir/order.json" >"$dir/order" 2>&1 || complain "--order: status $?: $(cat "$dir/order")"
grep -q '^generated input: descending$' "$dir/order" || complain "--order: $(cat "$dir/order")"
grep -q '"order": "descending"' "$dir/order.json" || complain "--order: $(cat "$dir/order.json")"
grep -q '"order": "random"' "$dir/rows.json" || complain "order: $(cat "$dir/rows.json")"
# In turn: the median of the pairs' ratios lies in its interval, one plan for both never fails, and nothing else fails either where
# fused is one kernel of several; programs are not measured unless they are asked for.
"$bench" --pairs 7 --n 2^16 arith_chain --json "$dir/pairs.json" --verify-n 2^10 >"$dir/pairs" 2>&1 || complain "--pairs: status $?: $(cat "$dir/pairs")"
[ "$(sed -n 1p "$dir/pairs" | tr -s ' ')" = "workload type fused unfused ratio low high kernels first verified" ] ||
    complain "heads of pairs: $(sed -n 1p "$dir/pairs")"
awk 'match($0, /"ratio": [^,]*, "ratio_low": [^,]*, "ratio_high": [^,]*/) {
         split(substr($0, RSTART, RLENGTH), n, /[:,]/); found = 1; bad = !(n[4] + 0 <= n[2] + 0 && n[2] + 0 <= n[6] + 0 && n[4] + 0 > 0) }
     END { exit bad || !found }' "$dir/pairs.json" || complain "ratios: $(cat "$dir/pairs.json")"
"$bench" --pairs 6 --programs small sad go_fast --verify-n 0 >"$dir/pairs" 2>&1
grep -q '^go_fast ' "$dir/pairs" && ! grep -q '^jacobi' "$dir/pairs" || complain "programs by name: $(cat "$dir/pairs")"
[ "$("$bench" --list | wc -l)" -ge 80 ] || complain "--list: $("$bench" --list)"
exit $failed
