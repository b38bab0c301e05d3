#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A literal 0 in place of an address of axes does not compile, in C and in C++, and the compiler's words say why; what means
# something compiles without a warning. axes.sh GENERATED CC CXX, in the source root.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
tried=0

# The lines of a file of statements, as the body of a function whose first line is FIRST.
FIRST=6
compiles() {
    local -a tool=("$cc" -std=c11 -x c -fmax-errors=0)
    [ "$1" = c ] || tool=("$cxx" "-std=$1" -x c++ -fmax-errors=0)
    "$cc" -v 2>&1 | grep -q clang && tool=("${tool[@]/-fmax-errors/-ferror-limit}")
    {
        printf '%s\n' '#include <fusor/fusor.h>' 'enum { ROWS };' \
            'void f(fsr_node x, fsr_node *out, const fsr_operator *op, const int *some, const int64_t *shift);' \
            'void f(fsr_node x, fsr_node *out, const fsr_operator *op, const int *some, const int64_t *shift) {' \
            '    (void)x, (void)out, (void)op, (void)some, (void)shift;'
        cat "$2"
        echo '}'
    } >"$dir/t"
    "${tool[@]}" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude "-I$generated/include" "$dir/t" >"$dir/words" 2>&1
}

must() {
    tried=$((tried + 1))
    printf '%s\n' "$2" >"$dir/body"
    compiles "$1" "$dir/body" || {
        echo "$1: does not compile: $2" >&2
        head -5 "$dir/words" >&2
        status=1
    }
}

# must_not LANGUAGE STATEMENT...: one compilation of all, a line each. Each line is told of, and no error is another one.
must_not() {
    local language=$1 line=$FIRST statement
    shift
    tried=$((tried + $#))
    printf '%s\n' "$@" >"$dir/body"
    if compiles "$language" "$dir/body"; then
        echo "$language: compiles: $*" >&2
        status=1
    elif grep 'error:' "$dir/words" | grep -v 'axes are an address: NULL is every axis' >"$dir/others"; then
        echo "$language: the words do not say what is wrong:" >&2
        head -5 "$dir/others" >&2
        status=1
    fi
    for statement; do
        grep -qE "/t:$line:[0-9]+:" "$dir/words" || {
            echo "$language: compiles: $statement" >&2
            status=1
        }
        line=$((line + 1))
    done
}

generated=$1 cc=$2 cxx=$3
# The calls as they should be, @ standing for the axes.
calls=('fsr_var(x, @, 1, 0, 1);' 'fsr_norm(x, @, 1, FSR_KEEPDIMS, 2);' 'fsr_average(x, x, @, 1, 0);' 'fsr_topk(x, 1, @, 1, 0);' 'fsr_kth(x, 1, @, 1, 0);' 'fsr_median(x, @, 1, 0);' 'fsr_nanmedian(x, @, 1, 0);'
    'fsr_rank(x, @, 1, 0);' 'fsr_lexsort(&x, 1, @, 1);' 'fsr_mode(out, x, @, 1, 0);' 'fsr_sliding_window(x, shift, @, 1);' 'fsr_sort_by_key(x, x, @, 1, 0);' 'fsr_quantile(x, x, FSR_QUANTILE_LINEAR, @, 1, 0);' 'fsr_percentile(x, x, FSR_QUANTILE_LINEAR, @, 1, 0);'
    'fsr_nanquantile(x, x, FSR_QUANTILE_LINEAR, @, 1, 0);' 'fsr_nanpercentile(x, x, FSR_QUANTILE_LINEAR, @, 1, 0);' 'fsr_argtopk(x, 1, @, 1, 0);' 'fsr_transpose(x, @);'
    'fsr_repeat(x, 2, @);' 'fsr_roll(x, shift, @, 1);' 'fsr_gradients(out, x, NULL, @, 1, 1);' 'fsr_reduce_with(out, &x, op, @, 1, 0);' 'fsr_scan_with(out, &x, op, @, 1, 0);')
for name in sum prod min max mean any all ptp count_nonzero logsumexp nansum nanprod nanmin nanmax nanmean argmax argmin nanargmax \
    nanargmin cumsum cumprod cummax cummin cumany cumall sort argsort; do
    calls+=("fsr_$name(x, @, 1, 0);")
done
for language in c c++11 c++20; do
    all='' wrong=()
    for call in "${calls[@]}"; do
        for axes in NULL some '&some[0]' 'some + 1' '(some)'; do
            all+=" ${call/@/"$axes"}"
        done
        wrong+=("${call/@/0}")
    done
    must "$language" "$all"
    must_not "$language" "${wrong[@]}"
done

# C alone: lists, whose commas are not the arguments', and other null pointer constants.
all=
for call in "${calls[@]}"; do
    all+=" ${call/@/(int[])\{0\}} ${call/@/(int[])\{0, 1\}} ${call/@/(const int[])\{2, 1, 0\}}"
done
must c "$all"
must c 'fsr_sum(fsr_max(fsr_sum(x, NULL, 0, 0), (int[]){0}, 1, 0), some, 1, 0); fsr_roll(x, (int64_t[]){1, 2}, (int[]){0, 1}, 2);'
must c 'fsr_reduce_with((fsr_node[2]){{0}}, (fsr_node[]){x, x, x}, op, (int[]){0, 1, 2, 3, 4, 5, 6, 7}, 8, 0);'
wrong=()
for axes in ROWS 0L '(0)' 0u; do
    wrong+=("fsr_sum(x, $axes, 1, 0);" "fsr_sum(fsr_sum(x, some, 1, FSR_KEEPDIMS), $axes, 1, 0);"
        "fsr_sum(fsr_sum(x, $axes, 1, FSR_KEEPDIMS), some, 1, 0);")
done
must_not c "${wrong[@]}"
must c++11 'fsr_sum(x, nullptr, 0, 0); fsr_argmax(x, nullptr, 0, 0); fsr_cumsum(x, some, 1, FSR_REVERSE);'
echo "$tried statements"
exit $status
