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
# A file that cannot be written is told before anything is measured, and one that is there stays as it is.
said=$("$bench" --json /proc/none/x.json 2>&1)
status=$?
if [ $status -ne 1 ] || [ "$said" != "fusor-bench: JSON: /proc/none/x.json: No such file or directory" ]; then
    echo "--json: status $status, said: $said"
    failed=1
fi
exit $failed
