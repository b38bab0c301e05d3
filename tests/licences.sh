#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every source, script and build file says its licence within its first two lines, for those who gather licences by tool. Generated
# texts that tests compare with (tests/golden) and data do not. Runs in the source root.
set -euo pipefail
asked=0
status=0
while IFS= read -r file; do
    asked=$((asked + 1))
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT$\|SPDX-License-Identifier: MIT \*/$' || {
        echo "$file: no SPDX line" >&2
        status=1
    }
done < <(find bench backend_cpu backend_cuda cmake examples fusion graph include primitives runtime scripts tests .ci CMakeLists.txt -type f \
    \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.def' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt \
    -o -path 'scripts/*' -o -path '.ci/*' \) ! \( -path 'tests/golden/*' ! -name 'test_*' \))
[ "$asked" -gt 500 ] || { echo "only $asked files were looked at" >&2; exit 1; }
exit "$status"
