#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The C of docs/guide.md is that of the programs that build and run: every block is examples/first.c less its licence or a passage of
# examples/guide.c, linalg.c, autotune.c or linked.c between its marks, less the marks' indentation, and every passage is there; the program of
# README.md is first.c without its first comments. A message with a line of an example, `add: ... (examples/guide.c:32)`, names a line
# that calls that function; so do the lines of what fsr_explain prints: the first has the first function that is fused, the last the last.
# Runs in the source root.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
complain() {
    echo "$1" >&2
    status=1
}

# blocks PAGE PREFIX: its blocks of C, one a file.
blocks() {
    awk -v prefix="$2" '/^```c$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside { print > (prefix n) }' "$1"
}

# passages FILE PREFIX: what stands between marks, one a file.
passages() {
    awk -v prefix="$2" '
        /^ *\/\* guide: end \*\/$/ { inside = 0 }
        inside { print substr($0, 1, indent) ~ /^ *$/ ? substr($0, indent + 1) : $0 > (prefix n) }
        /^ *\/\* guide: [a-z_ ]+ \*\/$/ && !/guide: end/ { n++; inside = 1; indent = match($0, /\//) - 1 }' "$1"
}

# is_among FILE PREFIX: one of those files is equal.
is_among() {
    local other
    for other in "$2"*; do
        cmp -s "$1" "$other" && return
    done
    return 1
}

blocks docs/guide.md "$dir/block"
for example in guide linalg autotune linked; do
    passages "examples/$example.c" "$dir/passage_$example"
done
tail -n +2 examples/first.c >"$dir/passage0"
blocks README.md "$dir/readme"
tail -n +3 examples/first.c >"$dir/first"

[ "$(find "$dir" -name 'block*' | wc -l)" -gt 20 ] || complain 'too few blocks were found: the check itself is broken'
for block in "$dir"/block*; do
    is_among "$block" "$dir/passage" || complain "docs/guide.md: no example has this: $(head -n 3 "$block")"
done
for passage in "$dir"/passage*; do
    is_among "$passage" "$dir/block" || complain "docs/guide.md does not have this of an example: $(head -n 3 "$passage")"
done
is_among "$dir/first" "$dir/readme" || complain 'README.md: its program is not examples/first.c'

while IFS=: read -r function file line; do
    sed -n "${line}p" "$file" | grep -q "fsr_$function(" || complain "docs/guide.md: line $line of $file calls no fsr_$function"
done < <(grep -oE '`[a-z_]+: [^`]*\(examples/[a-z_]+\.c:[0-9]+\)' docs/guide.md | sed -E 's/^`([a-z_]+): .*\((examples[^:]*):([0-9]+)\)/\1:\2:\3/')

# fuses: max, sub ... and, on the next line, recorded at: FILE:A-B.
seen=0
while read -r first last file from to; do
    seen=$((seen + 1))
    sed -n "${from}p" "$file" | grep -q "fsr_$first(" || complain "docs/guide.md: line $from of $file calls no fsr_$first"
    sed -n "${to}p" "$file" | grep -q "fsr_$last(" || complain "docs/guide.md: line $to of $file calls no fsr_$last"
done < <(sed -nE '/^    fuses: /{N;s/^    fuses: ([a-z_]+)(, .*)?, ([a-z_]+)\n    recorded at: ([^:]+):([0-9]+)-([0-9]+)$/\1 \3 \4 \5 \6/p;}' docs/guide.md)
[ $seen -gt 0 ] || complain 'docs/guide.md: no kernel that fsr_explain tells was found: the check itself is broken'
exit $status
