#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of a line or two, each a cause for which fusion once lost time or kernels (docs/programs.md, "The causes, one by one").

    FUSOR_THREADS=1 FUSOR_ISA=avx2 python3 bench/programs/causes.py --fusor build/fusor-bench [--backend cpu|cuda] [--pairs 7] [NAME ...]

Each is fusor-bench --expr on arrays that this script makes: fused and unfused in turn, kernels of both, and ns for an element of the
first array. With one thread times are the processor's. Needs NumPy."""
import argparse, json, os, subprocess, sys, tempfile
import numpy as np

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("names", nargs="*")
parser.add_argument("--fusor", required=True, help="fusor-bench")
parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
parser.add_argument("--pairs", default="7")
options = parser.parse_args()

N = 1 << 22
f32 = np.float32
arrays = {
    "v": lambda r: r.random(N, dtype=f32),
    "w": lambda r: r.random(N, dtype=f32),
    "i": lambda r: r.integers(0, N, N),
    "far": lambda r: (-95 * np.ones(N)).astype(f32),
    "masked": lambda r: (-1e9 * np.ones(N)).astype(f32),
    "near": lambda r: (-5 * np.ones(N)).astype(f32),
    "x": lambda r: r.random((2048, 2048), dtype=f32),
    "y": lambda r: r.random((2048, 2048), dtype=f32),
    "x3": lambda r: r.random((N // 3, 3), dtype=f32),
    "x8": lambda r: r.random((N // 8, 8), dtype=f32),
    "x16": lambda r: r.random((N // 16, 16), dtype=f32),
    "p": lambda r: r.random((512, 2, 256, 2, 4), dtype=f32),
    "h": lambda r: r.random(N).astype(np.float16),
    "a": lambda r: r.random((256, 256), dtype=f32),
    "b": lambda r: r.random((256, 256), dtype=f32),
    "rows": lambda r: r.random((200000, 34), dtype=f32),
    "to": lambda r: r.integers(0, 5, 200000),
    "five": lambda r: np.zeros((5, 34), f32),
    "edges": lambda r: (np.arange(1, 20) / 20).astype(f32),
}
five = "0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])"
causes = {
    "guards in loops": f"update(x, x[1:-1, 1:-1], {five})",
    "pads that are not constant": "e = pad(x, 1, mode=edge); e[:-2, 1:-1] + e[2:, 1:-1] + e[1:-1, :-2] + e[1:-1, 2:]",
    "sweeps in one plan": "; ".join(f"x = update(x, x[1:-1, 1:-1], {five})" for _ in range(4)) + "; x",
    "alternatives of a paste": "concat(exp(x), sin(y), sqrt(x + y))",
    "a transposed operand": "x + y.T",
    "a square by columns": "sum(x * y.T, 1)",
    "sums along axis 1": "sum(x, 1)",
    "sums along axis 0": "sum(x, 0)",
    "both sums": "sum(x, 0), sum(x, 1)",
    "products of matrices": "sum(a[:, :, None] * b, 1)",
    "rows of 3": "sum(x3 * x3, 1)",
    "rows of 8": "sum(x8 * x8, 1)",
    "rows of 16": "sqrt(sum(x16 * x16, 1))",
    "blocks with channels": "max(exp(p), axis=(1, 3))",
    "a sum of sums": "sum(v) + sum(w) + sum(v * w)",
    "the last of a scan": "cumsum(v)[-1]",
    "a scan's windows": "c = cumsum(v); c[8:] - c[:-8]",
    "stacked siblings": "stack(sum(x, 1), max(x, axis=1), min(x, axis=1))",
    "what a fold does not change": "sum(exp(a)[:, :, None] * b, 1)",
    "an index as f32": "v * f32(arange(4194304))",
    "halves": "h * h + h",
    "exp of -5": "exp(near)",
    "exp of -95": "exp(far)",
    "exp of -1e9": "exp(masked)",
    "channels with a stride": "x3[:, 0] * 0.3 + x3[:, 1] * 0.6 + x3[:, 2] * 0.1",
    "an i64 count": "count_nonzero(v > 0.5)",
    "a scan": "cumsum(v)",
    "a search behind a short fold": "searchsorted(edges, sum(x3 * x3, 1))",
    "rows added at places": "scatter_add(five, to, rows)",
    "rows taken at places": "m = clip(arange(2048) * 3 // 2, 0, 2047); exp(y) * x[m]",
}


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as directory:
        made = {name: make(rng) for name, make in arrays.items()}
        for name, array in made.items():
            np.save(os.path.join(directory, name + ".npy"), array)
        print(f"{'cause':30}{'fused':>10}{'unfused':>10}{'ratio':>8}{'kernels':>10}{'ns each':>10}   ms")
        for cause in options.names or causes:
            words = set("".join(c if c.isalnum() else " " for c in causes[cause]).split())
            used = [name for name in arrays if name in words]
            rows = os.path.join(directory, "rows.json")
            command = [options.fusor, "--backend", options.backend, "--verify-n", "0", "--pairs", options.pairs, "--json", rows,
                       "--name", "cause", "--expr", causes[cause]]
            for name in used:
                command += ["--input", f"{name}={directory}/{name}.npy"]
            subprocess.run(command, stdout=subprocess.DEVNULL)
            row = json.load(open(rows))[0]
            if row["fused_ms"] is None:
                print(f"{cause:30} {row['error']}", flush=True)
                continue
            print(f"{cause:30}{row['fused_ms']:10.4g}{row['unfused_ms']:10.4g}{row['ratio']:8.2f}"
                  f"{row['fused_kernels']:6} of {row['unfused_kernels']}{1e6 * row['fused_ms'] / made[used[0]].size:10.3f}", flush=True)


main()
