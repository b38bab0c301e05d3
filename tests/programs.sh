#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The programs of fusor-bench --programs compute what NumPy's code computes: programs.sh FUSOR_BENCH PYTHON ... takes the first Python
# (and python3) that has NumPy. Then the comparison itself is tried: of a result with another program's it must complain.
# Exit status 77, with the reason, where there is no NumPy.
set -uo pipefail
bench=$1
shift
export PYTHONDONTWRITEBYTECODE=1
python=
for candidate in "$@" python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: no Python with NumPy (scripts/setup installs it in the build folder)"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
"$bench" --programs small --npy "$dir" >"$dir/said" 2>&1 || { cat "$dir/said" && status=1; }
"$python" bench/programs/numpy_programs.py "$dir" || status=1
cp "$dir/jacobi_1d.out1.npy" "$dir/jacobi_1d.out0.npy"
if "$python" bench/programs/numpy_programs.py "$dir" jacobi_1d; then
    echo "a wrong result was not told"
    status=1
fi
exit $status
