#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The manual pages: fusor-bench(1) has every option that --help shows, fusor(7) every knob, and roff takes both without a
# word: man.sh FUSOR_BENCH GEN_KNOBS. Runs in the source root.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
"$2" --man docs/man/fusor.7.in "$dir/fusor.7"
cp docs/man/fusor-bench.1 "$dir"

options=$("$1" --help | grep -oE '^ +--[a-z-]+' | tr -d ' ')
[ "$(wc -w <<<"$options")" -ge 10 ] || { echo 'too few options were found: the check itself is broken' >&2 && exit 1; }
for option in $options; do
    grep -qE -- "^\.(B|BI|BR) ${option//-/\\\\-}( |$)" "$dir/fusor-bench.1" || {
        echo "docs/man/fusor-bench.1 lacks the option $option" >&2
        status=1
    }
done
knobs=$(grep -oE '`FUSOR_[A-Z_]+` \|' docs/knobs.md | tr -d '`| ')
[ "$(wc -w <<<"$knobs")" -ge 10 ] || { echo 'too few knobs were found: the check itself is broken' >&2 && exit 1; }
for knob in $knobs; do
    grep -q "^\.BR $knob " "$dir/fusor.7" || {
        echo "fusor(7) lacks the knob $knob" >&2
        status=1
    }
done

# The width of tables and the lines of examples are roff's own business; what it does not understand is not.
for page in fusor-bench.1 fusor.7; do
    if command -v groff >/dev/null; then
        groff -man -Tascii -ww -z "$dir/$page" 2>"$dir/words" || status=1
        [ ! -s "$dir/words" ] || { sed "s|^|$page: |" "$dir/words" >&2 && status=1; }
    fi
done
exit $status
