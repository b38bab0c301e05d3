#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two builds of fusor-bench in turn: is any row slower than it was?

    python3 bench/compare.py BEFORE AFTER [--turns 7] [--allowed 1.03] [--json FILE] [-- fusor-bench arguments]

BEFORE and AFTER are programs. A turn runs each of them once, every other turn the second one first, so that a machine that slows
down slows both. A row's time is the median of one run; its ratio, after / before, is the median of the turns' ratios, shown with
the second least and second greatest of them (from seven turns on these bound the median with at least 87 %; 95 % need nine).
The exit status is 1 if a row's ratio is above --allowed, with the rows named.
`scripts/compare` builds the two programs first."""
import argparse, json, os, statistics, subprocess, sys, tempfile


def arguments():
    own, rest = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, rest = own[:at], own[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--allowed", type=float, default=1.03)
    parser.add_argument("--json", help="also write every time as JSON")
    options = parser.parse_args(own)
    if options.turns < 1:
        parser.error("--turns: at least 1")
    return options, rest


def run(program, rest):
    """Times of one run: {row: {"fused_ms": ..., "unfused_ms": ...}}; a row that failed is not in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        done = subprocess.run([program, *rest, "--verify-n", "0", "--json", path], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if not os.path.exists(path):
            sys.exit(f"{program} wrote no rows: {done.stderr.strip()}")
        with open(path) as file:
            rows = json.load(file)
    return {row["workload"]: row for row in rows if row.get("fused_ms")}


def bounds(values):
    values = sorted(values)
    return (values[1], values[-2]) if len(values) > 4 else (values[0], values[-1])


def main():
    options, rest = arguments()
    programs, times = {"before": options.before, "after": options.after}, {"before": [], "after": []}
    for turn in range(options.turns):
        for which in ("before", "after") if turn % 2 == 0 else ("after", "before"):
            if sys.stderr.isatty():
                print(f"\rturn {turn + 1} of {options.turns}: {which} ", end="", file=sys.stderr, flush=True)
            times[which].append(run(programs[which], rest))
    if sys.stderr.isatty():
        print(file=sys.stderr)
    rows = [name for name in times["before"][0] if all(name in run for runs in times.values() for run in runs)]
    lost = [name for name in times["before"][0] if name not in rows]
    slower = []
    print(f"{'workload':16} {'before ms':>10} {'after ms':>10} {'ratio':>6}   {'least':>6} {'most':>6}")
    for name in rows:
        before, after = ([run[name]["fused_ms"] for run in times[which]] for which in ("before", "after"))
        ratios = [b / a for a, b in zip(before, after)]
        ratio, (least, most) = statistics.median(ratios), bounds(ratios)
        late = ratio > options.allowed
        slower += [name] if late else []
        print(f"{name:16} {statistics.median(before):10.4f} {statistics.median(after):10.4f} {ratio:6.3f}   {least:6.3f} {most:6.3f}"
              + ("  slower" if late else ""))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"arguments": rest, **times}, file)
    print(f"{len(rows)} rows, {options.turns} turns: " + (f"slower than {options.allowed}: {', '.join(slower)}" if slower
                                                        else f"none slower than {options.allowed}"))
    if lost:
        print(f"without a time in every run: {', '.join(lost)}")
    sys.exit(1 if slower or lost else 0)


main()
