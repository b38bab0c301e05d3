#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The programs of fusor-bench --programs compute what NumPy's code computes: programs.sh I/N FUSOR_BENCH PYTHON ... runs part I of N
# and takes the first Python (and python3) that has NumPy. Each program has a function there, and each function is a program.
# Then the comparison itself is tried: of a result with another program's it must complain.
# Exit status 77, with the reason, where there is no NumPy.
set -uo pipefail
part=${1%/*} of=${1#*/} bench=$2
shift 2
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
functions=$(PYTHONPATH=bench/programs "$python" -c 'import numpy_programs; print(*numpy_programs.numpy_programs())') || exit 1
names=() mine=()
for name in $("$bench" --list | awk '{ print $1 }'); do # the programs come last
    if [[ " $functions " == *" $name "* ]]; then
        [ $((${#names[@]} % of)) -ne $((part - 1)) ] || mine+=("$name")
        names+=("$name")
    elif [ ${#names[@]} -gt 0 ]; then
        echo "$name: no function of this name"
        status=1
    fi
done
if [ ${#names[@]} -ne "$(wc -w <<<"$functions")" ]; then
    echo "of the functions $functions, programs are only ${names[*]}"
    status=1
fi
"$bench" --programs small --npy "$dir" "${mine[@]}" >"$dir/said" 2>&1 || { cat "$dir/said" && status=1; }
"$python" bench/programs/numpy_programs.py "$dir" "${mine[@]}" || status=1
wrong=$(cd "$dir" && for file in *.out1.npy; do echo "${file%.out1.npy}" && break; done)
cp "$dir/$wrong.out1.npy" "$dir/$wrong.out0.npy"
if "$python" bench/programs/numpy_programs.py "$dir" "$wrong"; then
    echo "a wrong result was not told"
    status=1
fi
exit $status
