#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Configures a project that adds this one, for either kind of library: added.sh SOURCE CMAKE. CMake checks what came of it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for shared in OFF ON; do
    "$2" -S "$1/tests/package/added" -B "$dir/$shared" -DFUSOR_SOURCE="$1" -DBUILD_SHARED_LIBS=$shared >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        exit 1
    }
    DESTDIR=$dir/destination "$2" --install "$dir/$shared" --prefix / >"$dir/log" 2>&1
    if [ -n "$(find "$dir/destination" -type f 2>/dev/null)" ]; then
        echo "installs files of its own:" >&2
        find "$dir/destination" -type f >&2
        exit 1
    fi
done
