#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every tests/opt/*.txt through fusor-opt: run.sh FUSOR-OPT [FILE...]. A file is
#     # run: options
#     the text that is read
#     # gives: exit status
#     what standard output and standard error then hold
# FUSOR_UPDATE_OPT=1 writes what is given anew; look at the diff before committing it.
set -uo pipefail
tool=$1
shift
[ -x "$tool" ] || exit 1
[ $# -gt 0 ] || set -- tests/opt/*.txt
failed=0 count=0
for file; do
    read -ra options < <(sed -n '1s/^# run: *//p' "$file")
    [ "$(sed -n '1s/ .*//p' "$file")" = '#' ] || { echo "$file: the first line is no '# run:'" >&2 && exit 1; }
    text=$(sed '/^# gives:/,$d' "$file")
    output=$("$tool" "${options[@]}" - <<<"$text" 2>&1)
    given="# gives: $?
$output"
    count=$((count + 1))
    if [ -n "${FUSOR_UPDATE_OPT:-}" ]; then
        printf '%s\n%s\n' "$text" "$given" >"$file"
    elif ! difference=$(diff <(sed -n '/^# gives:/,$p' "$file") <(printf '%s\n' "$given")); then
        printf '%s: < kept, > given now\n%s\n' "$file" "$difference" >&2
        failed=$((failed + 1))
    fi
done
echo "$count texts, $failed differ"
[ $count -gt 0 ] && [ $failed -eq 0 ]
