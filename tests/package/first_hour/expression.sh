#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An expression of one's own on files of one's own, typed with mistakes; each is repaired by what the message says, without
# looking anywhere else.
. "$(dirname "$0")/steps.sh"
echo 'an expression on own files:'
build_once

# npy FILE BYTES...: 1000 f32 elements, two values by turns, as NumPy writes them.
npy() {
    local header="{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
    for ((i = 0; i < 500; i++)); do printf "$1$2"; done
}
npy '\x00\x00\x80\x3f' '\x00\x00\x80\x40' >"$HOME/x.npy" # 1, 4
npy '\x00\x00\x00\x40' '\x00\x00\x40\x40' >"$HOME/y.npy" # 2, 3
cd "$HOME"
words=(--n 1000 --reps 3 --expt 'sum(sqart(x) * y)' --input x=x.npy --input z=y.npy)
mistakes=0
for ((turn = 0; turn < 6; turn++)); do
    "$HOME/build/fusor-bench" "${words[@]}" >"$HOME/said" 2>&1 && break
    mistakes=$((mistakes + 1))
    sed 's/^/    | /' "$HOME/said"
    case $(cat "$HOME/said") in
    *"unknown option '--expt'; is --expr meant?"*) words[4]=--expr ;;
    *'unknown function "sqart"'*'is "sqrt" meant?'*'^'*) words[5]='sum(sqrt(x) * y)' ;;
    *'unknown name "y" at column '*'^'*) words[9]=y=y.npy ;;
    *) fail 'the message above does not say how to go on' ;;
    esac
done
[ $mistakes = 3 ] || fail "$mistakes mistakes were found, there are 3"
grep -E '^expr .* yes *$' "$HOME/said" >/dev/null || fail "no row that was verified: $(cat "$HOME/said")"
minutes
