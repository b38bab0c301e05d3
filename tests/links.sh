#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every link of the Markdown pages points to a file of the tree, and every path in backquotes, `tests/unit/test_ops.c`, is
# there (patterns with * match something; `build/...` is a build folder); a name without a folder, `rewrite_cse.c`, somewhere.
# Runs in the source root.
set -euo pipefail
status=0
found=0
names=$(mktemp)
trap 'rm -f "$names"' EXIT
find . -type f -not -path './.*' -not -path './build*' -printf '%f\n' | sort -u >"$names"
complain() {
    echo "$1" >&2
    status=1
}

while IFS= read -r page; do
    while IFS= read -r link; do
        found=$((found + 1))
        target=${link%%#*}
        [ -z "$target" ] || [ -e "$(dirname "$page")/$target" ] || complain "$page: no such file: $link"
    done < <(grep -oE '\]\([^)]+\)' "$page" | sed -E 's/^\]\((.*)\)$/\1/' | grep -vE '^[a-z]+:' || true)
    while IFS= read -r path; do
        found=$((found + 1))
        compgen -G "$path" >/dev/null || complain "$page: no such file: $path"
    done < <(grep -oE '`(include|graph|primitives|fusion|runtime|backend_cpu|backend_cuda|tests|bench|examples|docs|scripts|cmake)/[A-Za-z0-9_./*-]+`' \
        "$page" | tr -d '`' || true)
    while IFS= read -r name; do
        found=$((found + 1))
        grep -qxF "$name" "$names" || complain "$page: no such file: $name"
    done < <(grep -oE '`[A-Za-z0-9_]+\.(c|h|hpp|def|cu|cuh|py|sh|cmake)`' "$page" | tr -d '`' || true)
done < <(find . -name '*.md' -not -path './.*' -not -path './build*')
[ $found -gt 50 ] || complain 'too few links were found: the check itself is broken'
exit $status
