#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tables that NumPy wrote are what NumPy writes: runs their scripts anew and compares, byte by byte. Only tables of
# dtypes, of moved elements and of names: sums and functions differ in their last bits from machine to machine.
#   tests/numpy/regenerate.sh PYTHON ...     takes the first of these (and python3) whose NumPy is the version below
# Exit status 77, with the reason, where there is none.
set -euo pipefail
cd "$(dirname "$0")"
export PYTHONDONTWRITEBYTECODE=1
version=$(cat version.txt)

python=
for candidate in "$@" python3; do
    if found=$("$candidate" -c 'import numpy; print(numpy.__version__)' 2>/dev/null) && [ "$found" = "$version" ]; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no Python with NumPy $version (scripts/setup installs it in the build folder)"
    exit 77
fi

status=0
for table in promotion together shapes names take sort order unique quantiles search lengths exprs; do
    if "$python" "$table.py" 2>/dev/null | cmp - "$table.txt"; then
        echo "$table.txt: as NumPy $version writes it, $(wc -l <"$table.txt") lines"
    else
        echo "$table.txt is not what $table.py writes with NumPy $version" >&2
        status=1
    fi
done
exit "$status"
