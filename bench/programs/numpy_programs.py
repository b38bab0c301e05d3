#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of fusor-bench --programs as array code of NumPy, and a comparison with what Fusor made of them.

    fusor-bench --programs small --npy DIR && python3 bench/programs/numpy_programs.py DIR [NAME ...]

For every NAME.in0.npy, NAME.in1.npy, ... of DIR the function NAME is called, and its results are compared with NAME.out0.npy,
...: integers must be equal, floats within 1e-4 of the largest magnitude of that result (both compute in f32, in different
orders; a term that is missing is far more). Each function, in a file of texts, is written against the names np, put, recur, fori, until, totals, counts and pi alone, so
peers.py runs the same text with other libraries in their place."""
import glob, os, re, sys

TEXTS = ("neighbours", "products", "points", "images", "flows", "loops", "orders", "late")


def source():
    """The texts of the programs, as one."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "texts")
    parts = []
    for name in TEXTS:
        with open(os.path.join(folder, name + ".py")) as file:
            parts.append(file.read())
    return "\n\n".join(parts)


SOURCE = source()

HELPERS = ("rolled", "five", "heat", "softmax_rows", "convolve", "batch_norm", "turns", "linear", "smooth", "deriche_rows",
           "grey", "box", "woven", "right_side", "carried", "solve", "dominant", "clipped", "halved", "doubled", "cubic", "five_of",
           "filtered")


def fori(n, turn, state):
    for k in range(n):
        state = turn(k, state)
    return state


def until(most, goes_on, turn, state):
    for k in range(most):
        if not goes_on(state):
            break
        state = turn(k, state)
    return state


def programs_of(np, put, recur, totals, fori=fori, until=until):
    """The functions by name, computing with these; totals(i, x, n): sums of the x that go to each of n places."""
    space = {"np": np, "put": put, "recur": recur, "fori": fori, "until": until, "pi": 3.141592653589793, "totals": totals,
             "counts": lambda i, n: totals(i, np.ones(len(i), np.float32), n)}
    exec(compile(SOURCE, "programs", "exec"), space)
    return {name: f for name, f in space.items()
            if callable(f) and name not in HELPERS + ("put", "recur", "fori", "until", "totals", "counts")}


def numpy_programs():
    import numpy as np

    def put(x, at, value):
        x = x.copy()
        x[at] = value
        return x

    def recur(step, state, rows):
        out = []
        for row in rows:
            state = step(state, row)
            out.append(state)
        return np.stack(out)

    def totals(i, x, n):
        if x.ndim == 1:
            return np.bincount(i, x, n).astype(x.dtype)
        return np.stack([totals(i, x[:, k], n) for k in range(x.shape[1])], 1)
    return programs_of(np, put, recur, totals)


def inputs_of(directory, name, what="in"):
    import numpy as np
    files = glob.glob(os.path.join(directory, f"{name}.{what}*.npy"))
    return [np.load(file) for file in sorted(files, key=lambda file: int(re.search(r"(\d+)\.npy$", file).group(1)))]


def worst_of(got, want):
    """The largest difference, relative to the largest magnitude; what is not the same array at all is inf."""
    import numpy as np
    if got.shape != want.shape or got.dtype.kind != want.dtype.kind:
        return np.inf
    if got.size and got.dtype.kind in "iub":
        return 0.0 if (got == want).all() else np.inf
    if not (np.isfinite(got).all() and np.isfinite(want).all()):
        return np.inf
    return float(np.max(np.abs(got - want)) / np.maximum(np.max(np.abs(want)), 1e-30)) if got.size else np.inf


def main(directory, names):
    functions, status, compared = numpy_programs(), 0, 0
    there = sorted(os.path.basename(file)[:-len(".in0.npy")] for file in glob.glob(os.path.join(directory, "*.in0.npy")))
    for name in names or there:
        if name not in functions:
            print(f"{name}: no function of this name")
            status = 1
            continue
        want = functions[name](*inputs_of(directory, name))
        got, want = inputs_of(directory, name, "out"), want if isinstance(want, tuple) else (want,)
        worst = [worst_of(g, w) for g, w in zip(got, want)] if len(got) == len(want) else [float("inf")]
        compared += len(got)
        if max(worst) > 1e-4:
            print(f"{name}: Fusor is not what NumPy computes, worst {worst}, shapes {[g.shape for g in got]} and "
                  f"{[w.shape for w in want]}")
            status = 1
    missing = sorted(set(functions) - set(there)) if not names else []
    if missing:
        print("no files of", *missing)
        status = 1
    print(f"{compared} results of {len(names or there)} programs compared with NumPy")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
