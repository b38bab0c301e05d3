#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Each public header alone, twice, is C11 and C++17 without a warning: headers.sh SOURCE GENERATED CC CXX.
set -euo pipefail
warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I"$1/include" -I"$2/include")
status=0
for header in "$1"/include/fusor/*.h "$2"/include/fusor/*.h; do
    name=fusor/$(basename "$header")
    text=$(printf '#include <%s>\n#include <%s>\nint main(void);\nint main(void) { return 0; }\n' "$name" "$name")
    "$3" -std=c11 "${warnings[@]}" -Wstrict-prototypes -x c - <<<"$text" || status=1
    "$4" -std=c++17 "${warnings[@]}" -x c++ - <<<"${text//(void)/()}" || status=1
done
exit $status
