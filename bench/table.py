# SPDX-License-Identifier: MIT
"""The README's table of a run: table.py ROWS.json, what fusor-bench --json wrote. Rows of several files follow one another.
What a row did not measure is "-"; a row that is not verified ends the program."""
import json
import sys

if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)

COLUMNS = ["workload", "dtype", "fused ms", "unfused ms", "speed-up", "kernels", "GB/s", "of the copy", "first call ms", "load ms"]


def ms(value):
    return "-" if value is None else f"{value:.4f}" if value < 1 else f"{value:.2f}"


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def line(row):
    if row["error"] or not row["verified"]:
        sys.exit(f"{row['workload']}: {row['error'] or 'not verified'}")
    return [row["workload"], row["dtype"], ms(row["fused_ms"]), ms(row["unfused_ms"]), number(row["speedup"], 2),
            f"{row['fused_kernels']} of {row['unfused_kernels']}", number(row["gbs"], 0), number(row["roof_fraction"], 2),
            number(row["first_call_ms"], 0), number(row["load_ms"], 1)]


def main(paths):
    rows = [row for path in paths for row in json.load(open(path, encoding="ascii"))]
    print("| " + " | ".join(COLUMNS) + " |")
    print("| --- | --- | " + " | ".join(["---:"] * (len(COLUMNS) - 2)) + " |")
    for row in rows:
        print("| " + " | ".join(line(row)) + " |")
    for machine in sorted({(row["device"], row["driver"] or "", row["compiler"], row["date"][:10]) for row in rows}):
        largest = max((row for row in rows if row["device"] == machine[0]), key=lambda row: row["bytes_min"])
        print(f"{', '.join(filter(None, machine))}; copy {largest['copy_gbs']:.0f} GB/s", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
