#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the table of prices, fusion/price.def, with what this machine does.

    python3 bench/prices.py --fusor BUILD/fusor-bench [--backend cpu|cuda] [--reps 9]

Each program is one kernel whose bytes and operations are known; its price is launch + max(memory, issue). The figures that
these times give are printed beside the table's, and for each program the price, the time and their ratio: how far the table
is off. The table is of a nominal machine and stays so: it says which kernels there are, and with them how sums are
associated. Run it on a machine that does nothing else."""
import argparse, json, math, pathlib, re, struct, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--fusor", required=True, help="fusor-bench")
parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
parser.add_argument("--reps", default="9")
options = parser.parse_args()
root = pathlib.Path(__file__).resolve().parent.parent
column = 2 if options.backend == "cpu" else 1


def table():
    rows = re.findall(r"^FSR_PRICE\((\w+),\s*([\d.e]+),\s*([\d.e]+)\)", (root / "fusion/price.def").read_text(), re.M)
    return {row[0]: float(row[column]) for row in rows}


def cost(op):
    """The cost column of scalar_ops.def."""
    text = "".join(p.read_text() for p in [root / "graph/scalar_ops.def", *sorted((root / "graph/ops").glob("*.def"))])
    row = re.search(r"FSR_SCALAR_OP\(\w+,\s*%s,\s*\d+,[^,]*,[^,]*,[^,]*,\s*(\d+)," % op, text)
    return int(row.group(1)) if row else 1


def write(path, n):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % n
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = struct.pack("<1024f", *[0.25 + i / 4096 for i in range(1024)])
    with open(path, "wb") as to:
        to.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for at in range(0, n, 1024):
            to.write(values[: 4 * min(1024, n - at)])


def nanoseconds(expr, path):
    command = [options.fusor, "--backend", options.backend, "--reps", options.reps, "--verify-n", "0", "--json", "-",
               "--expr", expr, "--input", f"x={path}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    rows = json.loads(done.stdout)
    rows = rows if isinstance(rows, list) else rows["rows"]
    return rows[0]["fused_ms"] * 1e6


def chain(step, times):
    expr = "x"
    for _ in range(times):
        expr = step.format(expr)
    return expr


def price(prices, size, operations):
    memory = size / (prices["cached"] if size <= prices["cache"] else prices["memory"])
    return prices["launch"] + max(memory, operations / prices["issue"])


prices = table()
small, large = (2**18, 2**24) if options.backend == "cpu" else (2**22, 2**27)
programs = [  # name, expression, elements, operations of an element
    ("launch", "x + 1.5", 16, 1),
    ("from memory", "x + 1.5", large, 1),
    ("from the cache", "x + 1.5", small, 1),
    ("100 operations", chain("({} * 0.75 + 0.125)", 50), small, 100),
    ("300 operations", chain("({} * 0.75 + 0.125)", 150), small, 300),
    ("20 square roots", chain("sqrt({})", 20), small, 20 * cost("sqrt")),
    ("10 exponentials", chain("exp(-{})", 10), small, 10 * (1 + cost("exp"))),
    ("10 sines", chain("sin({})", 10), small, 10 * cost("sin")),
    ("20 divisions", chain("(1.5 / (1.0 + {}))", 20), small, 20 * (1 + cost("divide"))),
]
times = {}
with tempfile.TemporaryDirectory() as folder:
    print(f"{'program':18} {'price ns':>12} {'time ns':>12} {'ratio':>7}")
    for name, expr, n, each in programs:
        path = f"{folder}/{n}.npy"
        if not pathlib.Path(path).exists():
            write(path, n)
        times[name] = nanoseconds(expr, path)
        expected = price(prices, 8 * n, each * n)
        print(f"{name:18} {expected:12.0f} {times[name]:12.0f} {times[name] / expected:7.2f}")
launch = times["launch"]
found = {
    "launch": launch,
    "memory": 8 * large / (times["from memory"] - launch),
    "cached": 8 * small / max(times["from the cache"] - launch, 1),
    "issue": 200 * small / max(times["300 operations"] - times["100 operations"], 1),
}
print(f"\n{'price':18} {'table':>12} {'here':>12}")
for name, value in found.items():
    print(f"{name:18} {prices[name]:12.1f} {value:12.1f}")
ratios = [times[p[0]] / price(prices, 8 * p[2], p[3] * p[2]) for p in programs]
off = [max(r, 1 / r) for r in ratios]
print(f"\nthe table is off by a factor of {math.exp(sum(map(math.log, off)) / len(off)):.2f} in the mean, {max(off):.2f} at most")
