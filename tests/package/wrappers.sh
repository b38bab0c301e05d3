#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every builder of the C headers, a function that records (its name ends in _at), is called by what fusor.hpp declares:
# wrappers.sh SOURCE GENERATED CC CXX. Those that need no wrapper are named below, with the reason; a name there that is no
# builder, or has a wrapper, is an error as well.
set -euo pipefail
source=$1 generated=$2 cc=$3 cxx=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$source/tests/package/public.sh"

# NAME REASON, one a line: none at present.
without=''

mkdir -p "$dir/fusor"
cp "$source"/include/fusor/*.h "$generated"/include/fusor/*.h "$dir/fusor"
public_functions "$cc" "$dir" | grep '_at$' | sort >"$dir/builders"
# What the preprocessor gives of fusor.hpp and functions.hpp themselves: its markers name the file of what follows.
echo '#include <fusor/fusor.hpp>' | "$cxx" -std=c++11 -E -x c++ -I"$source/include" -I"$generated/include" - | awk '
    /^# [0-9]+ "/ { own = $3 ~ /fusor\.hpp"$|functions\.hpp"$/; next }
    own' | grep -o 'fsr_[a-z0-9_]*_at\b' | sort -u >"$dir/wrapped"
printf '%s' "$without" | sed 's/ .*//; /^$/d' | sort >"$dir/without"

failed=0
say() { # say WHAT: the lines of stdin, each an error
    while read -r name; do
        echo "$name: $1" >&2
        failed=1
    done
}
say 'has no wrapper in include/fusor/functions.hpp' < <(comm -23 "$dir/builders" <(sort -u "$dir/wrapped" "$dir/without"))
say 'needs no wrapper, says this script, but has one' < <(comm -12 "$dir/wrapped" "$dir/without")
say 'is no builder of the headers' < <(comm -13 "$dir/builders" <(sort -u "$dir/wrapped" "$dir/without"))
echo "$(wc -l <"$dir/builders") builders, $(comm -12 "$dir/builders" "$dir/wrapped" | wc -l) wrapped, $(wc -l <"$dir/without") without"
[ "$(wc -l <"$dir/builders")" -gt 150 ] && [ $failed -eq 0 ]
