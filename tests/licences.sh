#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every source, script and build file says its licence within its first two lines, for those who gather licences by tool. Generated
# texts that tests compare with (tests/golden) and data do not. Runs in the source root.
set -euo pipefail
mapfile -t files < <(find bench backend_cpu backend_cuda cmake examples fusion graph include primitives runtime scripts tests .ci CMakeLists.txt -type f \
    \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.def' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt \
    -o -path 'scripts/*' -o -path '.ci/*' \) ! \( -path 'tests/golden/*' ! -name 'test_*' \) | sort)
[ "${#files[@]}" -gt 500 ] || { echo "only ${#files[@]} files were looked at" >&2; exit 1; }
silent=$(comm -23 <(printf '%s\n' "${files[@]}") \
    <(awk 'FNR <= 2 && /SPDX-License-Identifier: MIT( \*\/)?$/ { print FILENAME } FNR == 2 { nextfile }' "${files[@]}" | sort))
[ -z "$silent" ] || { sed 's/$/: no SPDX line/' <<<"$silent" >&2; exit 1; }
