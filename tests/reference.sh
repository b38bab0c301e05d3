#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Renders the reference into a folder of its own and reads Doxygen's warnings: every function, type and enumeration of the
# public headers has a comment, and nothing in them confuses Doxygen. Fields and macros may say what they are by their name.
# reference.sh DOXYGEN DOXYFILE; without Doxygen ("FUSOR_DOXYGEN-NOTFOUND") it is skipped.
set -euo pipefail
command -v "$1" >/dev/null || {
    echo 'no Doxygen: the reference was not made' >&2
    exit 77
}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sed "s|^\(OUTPUT_DIRECTORY *=\).*|\1 $dir|; s|^\(WARN_LOGFILE *=\).*|\1 $dir/warnings|" "$2" >"$dir/Doxyfile"
"$1" "$dir/Doxyfile" >/dev/null
status=0
if grep -vE '^ |Member [A-Za-z0-9_() ,]+ \((variable|macro definition)\) of .* is not documented' "$dir/warnings"; then
    status=1
fi

# Shown as callers write it, each with its text: some functions of each header.
pages=$(cat "$dir"/html/*_8h.html)
for name in fsr_sum fsr_add fsr_expr fsr_read fsr_open fsr_dtype_name fsr_status_name; do
    grep -q "class=\"memname\">.*\b$name </td>" <<<"$pages" || {
        echo "$name has no entry" >&2
        status=1
    }
done
exit $status
