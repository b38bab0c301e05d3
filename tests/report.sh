#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fusor-bench --report: report.sh PROGRAM. Needs Python, whose parsers read the page; without it it is skipped.
command -v python3 >/dev/null || {
    echo 'no python3: the page was not read' >&2
    exit 77
}
exec python3 "$(dirname "$0")/report.py" "$1"
