#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the table of prices, fusion/price.def, with what this machine does.

    python3 bench/prices.py --fusor BUILD/fusor-bench [--backend cpu|cuda] [--reps 9] [--programs] [--out DIR]

Each program is one kernel whose bytes, operations and loads are known; its price is launch + max(memory, issue, loads). The figures
that these times give are printed beside the table's, and for each program the price, the time and their ratio: how far the
table is off. --programs: also times programs of docs/programs.md whose plans turn on prices, fused and unfused, at suite's
extents and at large ones. --out: all of that as DIR/prices.json. The table is of a nominal machine and stays so: it says
which kernels there are, and with them how sums are associated. Run it on a machine that does nothing else; on a GPU it takes
less than a minute."""
import argparse, json, math, pathlib, random, re, struct, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--fusor", required=True, help="fusor-bench")
parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
parser.add_argument("--reps", default="9")
parser.add_argument("--programs", action="store_true")
parser.add_argument("--out", type=pathlib.Path)
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
    if not row:
        sys.exit(f"{op}: no such operation")
    return int(row.group(1))


def write(path, shape):
    """An .npy file of f32 in [0.25, 0.5), or of indices, i64 without an order, where the shape begins with "i"."""
    indices = shape[0] == "i"
    shape = shape[1:] if indices else shape
    n = math.prod(shape)
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % ("<i8" if indices else "<f4", tuple(shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = struct.pack("<1024f", *[0.25 + i / 4096 for i in range(1024)])
    with open(path, "wb") as to:
        to.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        if indices:
            to.write(struct.pack(f"<{n}q", *random.Random(1).choices(range(n), k=n)))
            return
        for at in range(0, n, 1024):
            to.write(values[: 4 * min(1024, n - at)])


def bench(arguments):
    """The rows of a run of fusor-bench."""
    command = [options.fusor, "--backend", options.backend, "--verify-n", "0", "--json", "-", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    rows = json.loads(done.stdout)
    return rows if isinstance(rows, list) else rows["rows"]


def input_of(folder, shape):
    path = folder / ("_".join(map(str, shape)) + ".npy")
    if not path.exists():
        write(path, shape)
    return path


def nanoseconds(expr, inputs):
    row = bench(["--reps", options.reps, "--expr", expr, *(f for name, path in inputs for f in ("--input", f"{name}={path}"))])[0]
    return row["fused_ms"] * 1e6, row["unfused_ms"] * 1e6


def chain(step, times):
    expr = "x"
    for _ in range(times):
        expr = step.format(expr)
    return expr


def around(rows, cols, dy, dx):
    """Sums of neighbours of a matrix: of dy rows and dx columns."""
    h, w = rows - 32, cols - 32
    return " + ".join(f"x[{i}:{i + h}, {j}:{j + w}]" for i in range(dy) for j in range(dx))


def accesses(expr):
    """Loads and stores of an element."""
    return 1 + max(expr.count("x[") + expr.count("p["), 1)


def price(prices, size, operations, loads):
    memory = size / (prices["cached"] if size <= prices["cache"] else prices["memory"])
    return prices["launch"] + max(memory, operations / prices["issue"], loads / prices["loads"])


prices = table()
small, large = (2**18, 2**24) if options.backend == "cpu" else (2**22, 2**27)
rows, cols = (2048, 2048) if options.backend == "cpu" else (4096, 8192)
flat, matrix, square = (small,), (rows, cols), (1000, 1000)
load, far = prices["load"], prices["far"] + prices["place"]  # of arrays that no near cache holds
programs = [  # name, expression, shape of x, operations of an element of x, bytes of it
    ("launch", "x + 1.5", (16,), 1, 8),
    ("from memory", "x + 1.5", (large,), 1, 8),
    ("from the cache", "x + 1.5", flat, 1, 8),
    ("100 operations", chain("({} * 0.75 + 0.125)", 50), flat, 100, 8),
    ("300 operations", chain("({} * 0.75 + 0.125)", 150), flat, 300, 8),
    ("20 square roots", chain("sqrt({})", 20), flat, 20 * cost("sqrt"), 8),
    ("10 exponentials", chain("exp(-{})", 10), flat, 10 * (1 + cost("exp")), 8),
    ("10 sines", chain("sin({})", 10), flat, 10 * cost("sin"), 8),
    ("20 divisions", chain("(1.5 / (1.0 + {}))", 20), flat, 20 * (1 + cost("div")), 8),
    *((f"loads {dy} x {dx}", around(rows, cols, dy, dx), matrix, dy * dx * (1 + load), 8)
      for dy, dx in ((1, 3), (1, 7), (1, 15), (3, 1), (7, 1), (15, 1), (3, 3), (5, 5), (7, 7), (9, 9))),
    ("30 loads, 90 ops", chain("({} * 0.75 + 0.125)", 45).replace("x", f"({around(rows, cols, 5, 6)})"), matrix,
     120 + 30 * load, 8),
    ("every 2nd", "x[:, ::2] + 1.5", matrix, 1, 6),
    ("every 4th", "x[:, ::4] + 1.5", matrix, 0.5, 5),
    ("transposed", "x.T + 1.5", matrix, 1, 8),
    ("edges", f"p = pad(x, 1, mode='edge'); {around(rows + 32, cols + 32, 3, 3).replace('x[', 'p[')}", matrix,
     9 * (1 + load + prices["guarded"]), 8),
    ("gather", "take(x, i)", (small,), far, 16),
    ("gather, far", "take(x, i)", (2 * small,), far / 2, 12),
    ("3 gathers", "take(x, i) + take(x * 2, i) * take(sqrt(x), i)", (small,), 3 * far, 16),
    ("down columns", "cumsum(x, 0)", square, 2, 8),
    ("down, 1 division", "cumsum(x / (1.0 + x * x), 0)", square, 4 + cost("div"), 8),
    ("down, 8 divisions", f"cumsum({chain('(1.5 / (1.0 + {}))', 8)}, 0)", square, 2 + 8 * (1 + cost("div")), 8),
    ("down, 4 loads", "cumsum(x[:, :-4] + x[:, 1:-3] + x[:, 2:-2] + x[:, 3:-1], 0)", square, 5 + 4 * load, 8),
    ("rows, 8 divisions", f"cumsum({chain('(1.5 / (1.0 + {}))', 8)}, 1)", square, 2 + 8 * (1 + cost("div")), 8),
    ("sweeps 3", "a = x[:-2] + x[1:-1] + x[2:]; b = a[:-2] + a[1:-1] + a[2:]; b[:-2] + b[1:-1] + b[2:]", (large,), 9, 8),
]
turning = ("stencil_chain heat_3d stencil_7 lbm_d2q9 camera_pipe max_filter harris trmm covariance cavity_flow adi go_fast "
           "interpolate sad nl_means unsharp hdiff vadv jacobi_2d fdtd_2d").split()
times, found, seen = {}, {}, []
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    print(f"{'program':18} {'price ns':>12} {'time ns':>12} {'ratio':>7} {'unfused':>12}")
    for name, expr, shape, each, size in programs:
        n = math.prod(shape)
        inputs = [("x", input_of(folder, shape))]
        if "take(" in expr:
            inputs.append(("i", input_of(folder, ("i", small))))
        times[name], apart = nanoseconds(expr, inputs)
        expected = price(prices, size * n, each * n, accesses(expr) * n)
        seen.append({"program": name, "price_ns": expected, "fused_ns": times[name], "unfused_ns": apart})
        print(f"{name:18} {expected:12.0f} {times[name]:12.0f} {times[name] / expected:7.2f} {apart:12.0f}", flush=True)
launch = times["launch"]
points = math.prod(matrix)
found = {
    "launch": launch,
    "memory": 8 * large / (times["from memory"] - launch),
    "cached": 8 * small / max(times["from the cache"] - launch, 1),
    "issue": 200 * small / max(times["300 operations"] - times["100 operations"], 1),
}
found["load"] = max(times["loads 9 x 9"] - times["loads 5 x 5"], 0) * found["issue"] / (56 * points) - 1
print(f"\n{'price':18} {'table':>12} {'here':>12}")
for name, value in found.items():
    print(f"{name:18} {prices[name]:12.1f} {value:12.1f}")
off = [max(r, 1 / r) for r in (row["fused_ns"] / row["price_ns"] for row in seen)]
print(f"\nthe table is off by a factor of {math.exp(sum(map(math.log, off)) / len(off)):.2f} in the mean, {max(off):.2f} at most")
for scale in ("suite", "large") if options.programs else ():
    timed = bench(["--programs", scale, "--reps", "5", *turning])
    seen += [{**row, "scale": scale} for row in timed]
    print(f"\n{scale:18} {'fused ms':>12} {'unfused ms':>12} {'ratio':>7} kernels")
    for row in timed:
        print(f"{row['workload']:18} {row['fused_ms']:12.4f} {row['unfused_ms']:12.4f} {row['unfused_ms'] / row['fused_ms']:7.2f} "
              f"{row['fused_kernels']}/{row['unfused_kernels']}", flush=True)
if options.out:
    (options.out / "prices.json").write_text(json.dumps({"table": prices, "here": found, "rows": seen}, indent=1) + "\n")
