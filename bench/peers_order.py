#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fusor beside NumPy on this CPU: order, the first k, medians, kinds, sparse PCA. One process, both in turns.

    python3 bench/peers_order.py --fusor build/libfusor.so [--n 2^24] [--threads 2] [--rounds 7] [--isa avx2] [--table] [ROW ...]

Each row is a plan, recorded and compiled by ctypes, and NumPy's calls for the same; what both give is compared before anything is
timed. A round runs the plan once and then NumPy once. Of all rounds the medians count: of the time by the clock, and of processor
time, all threads together, which others on the machine change less; NumPy has one thread. f32 in [0, 1); matrices are square. NumPy's
first k with their places is argpartition and a sort of k, the values alone partition. The normal numbers of sparse_pca are drawn in
both; for the comparison NumPy takes Fusor's. --table prints docs/bench.md's table."""
import argparse, ctypes as c, math, os, statistics, sys, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rows", nargs="*")
parser.add_argument("--fusor", required=True, help="libfusor.so")
parser.add_argument("--n", default="2^24", help="elements, a power of 4")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--isa", default="native", help="FUSOR_ISA; NumPy is left as it is")
parser.add_argument("--table", action="store_true", help="print Markdown")
options = parser.parse_args()
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "FUSOR_THREADS"):
    os.environ[variable] = str(options.threads)
os.environ.update(FUSOR_BACKEND="cpu", FUSOR_ISA=options.isa)
import numpy as np

base, _, power = options.n.partition("^")
n = int(base) ** int(power) if power else int(base)
side = math.isqrt(n)
if side * side != n or n < 1 << 12:
    sys.exit("--n is a power of 4, at least 2^12")
RANK, ENTRIES = 8, 16

# ---- the library ------------------------------------------------------------------------------------------------------

lib = c.CDLL(options.fusor)


class Node(c.Structure):
    _fields_ = [("graph", c.c_void_p), ("stamp", c.c_uint64), ("id", c.c_uint32), ("output", c.c_uint32)]


class Site(c.Structure):
    _fields_ = [("file", c.c_char_p), ("line", c.c_int)]


class Name(c.Structure):
    _fields_ = [("name", c.c_char_p), ("node", Node)]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("data", c.c_void_p), ("bytes", c.c_size_t), ("place", c.c_int)]


def function(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


text, extents, places = c.c_char_p, c.POINTER(c.c_int64), c.POINTER(c.c_int)
constant_ = function("fsr_constant", c.c_bool, text, extents)
open_sized = function("fsr_open_sized", c.c_int, c.c_size_t, c.c_void_p, c.POINTER(c.c_void_p))
graph_new = function("fsr_graph_new", c.c_void_p, c.c_void_p)
graph_free = function("fsr_graph_free", None, c.c_void_p)
error = function("fsr_error", text, c.c_void_p)
input_at = function("fsr_input_at", Node, Site, c.c_void_p, text, c.c_int, c.c_int, extents)
counter_at = function("fsr_counter_at", Node, Site, c.c_void_p, c.c_int, extents)
int_at = function("fsr_int_at", Node, Site, c.c_void_p, c.c_int64)
expr_at = function("fsr_expr_at", Node, Site, c.c_void_p, text, c.POINTER(Name), c.c_int)
topk_at = function("fsr_topk_at", Node, Site, Node, c.c_int64, places, c.c_int, c.c_int)
argtopk_at = function("fsr_argtopk_at", Node, Site, Node, c.c_int64, places, c.c_int, c.c_int)
unique_at = function("fsr_unique_at", None, Site, c.POINTER(Node), Node, c.c_bool)
filled_at = function("fsr_filled_at", Node, Site, Node, Node)
normal_at = function("fsr_random_normal_at", Node, Site, Node, Node, Node, c.c_int)
compile_ = function("fsr_compile", c.c_int, c.POINTER(Node), c.c_int, c.POINTER(c.c_void_p))
plan_run = function("fsr_plan_run", c.c_int, c.c_void_p, c.POINTER(Argument), c.c_int, c.POINTER(Argument), c.c_int, c.c_void_p)
plan_free = function("fsr_plan_free", None, c.c_void_p)


def constant(name):
    value = c.c_int64()
    if not constant_(name.encode(), c.byref(value)):
        sys.exit("no constant " + name)
    return value.value


def here():
    return Site(b"peers_order.py", sys._getframe(1).f_lineno)


def shape(*extent):
    return (c.c_int64 * len(extent))(*extent)


def right(status):
    if status != constant("FSR_OK"):
        sys.exit(error(context).decode())


context = c.c_void_p()
if open_sized(constant("sizeof(fsr_config)"), None, c.byref(context)) != constant("FSR_OK"):
    sys.exit("no context")
F32, HOST, DESCENDING = constant("FSR_F32"), constant("FSR_HOST"), constant("FSR_DESCENDING")


class Recording:
    """What a row's plan is recorded with: two vectors x and y, and x as the matrix m."""

    def __init__(self):
        self.g = graph_new(context)
        self.x = input_at(here(), self.g, b"x", F32, 1, shape(n))
        self.y = input_at(here(), self.g, b"y", F32, 1, shape(n))
        self.m = self.expr("reshape(x, [%d, %d])" % (side, side), x=self.x)

    def expr(self, what, **nodes):
        names = (Name * len(nodes))(*(Name(k.encode(), v) for k, v in nodes.items()))
        return expr_at(here(), self.g, what.encode(), names, len(nodes))

    def first(self, x, k, axis):
        axes, count = (c.c_int * 1)(axis), 1
        return [f(here(), x, k, axes, count, DESCENDING) for f in (topk_at, argtopk_at)]

    def drawn(self):
        zero, seven = int_at(here(), self.g, 0), int_at(here(), self.g, 7)
        return normal_at(here(), seven, zero, counter_at(here(), self.g, 2, shape(side, RANK)), F32)


class Plan:
    """A plan of what `build` records, and its results' memory: (shape, dtype) each."""

    def __init__(self, build, results):
        r = Recording()
        outs = build(r)
        self.plan = c.c_void_p()
        right(compile_((Node * len(outs))(*outs), len(outs), c.byref(self.plan)))
        graph_free(r.g)
        self.results = [np.empty(s, d) for s, d in results]
        self.taken = (Argument * len(outs))(*(Argument(None, a.ctypes.data, a.nbytes, HOST) for a in self.results))

    def run(self, given):
        arguments = (Argument * len(given))(*(Argument(k.encode(), a.ctypes.data, a.nbytes, HOST) for k, a in given.items()))
        right(plan_run(self.plan, arguments, len(given), self.taken, len(self.results), None))
        return self.results


# ---- rows: what the plan records, its results, NumPy's calls, which inputs the plan takes -----------------------------------

rng = np.random.default_rng(1)
x, y = (rng.random(n, dtype=np.float32) for _ in range(2))
m = x.reshape(side, side)
f32, i64, i32 = np.float32, np.int64, np.int32
KINDS = 10000


def kinds(r):
    out = (Node * 4)()
    unique_at(here(), out, r.expr("i32(x * 10000.0)", x=r.x), True)
    return [filled_at(here(), out[i], int_at(here(), r.g, 0)) for i in (0, 3)]


def pca(r):
    v = r.expr("c = d / sqrt(sum(d * d, axis=1, keepdims=True)); "
               "p = sum(expand(c, 2) * expand(m[0:%d], 0), axis=1); p * p" % RANK, d=r.drawn(), m=r.m)
    return [r.expr("max(sum(f, axis=1))", f=r.first(v, ENTRIES, 1)[0])]


def np_first(k):
    def call():
        at = np.argpartition(x, n - k)[n - k:]
        at = at[np.lexsort((at, -x[at]))]
        return x[at], at
    return call


def np_first_rows(k):
    def call():
        at = np.argpartition(m, side - k, axis=1)[:, side - k:]
        at.sort(axis=1)
        at = np.take_along_axis(at, np.argsort(-np.take_along_axis(m, at, 1), axis=1, kind="stable"), 1)
        return np.take_along_axis(m, at, 1), at
    return call


def np_pca(drawn=None):
    d = rng.standard_normal((side, RANK), dtype=f32) if drawn is None else drawn
    p = d / np.sqrt((d * d).sum(1, keepdims=True)) @ m[:RANK]
    return np.partition(p * p, side - ENTRIES, axis=1)[:, side - ENTRIES:].sum(1).max()


def np_kinds():
    return np.unique((x * f32(KINDS)).astype(i32), return_counts=True)


ROWS = {
    "sort": (lambda r: [r.expr("sort(x)", x=r.x)], [(n, f32)], {"sort": lambda: np.sort(x)}, "x"),
    "argsort": (lambda r: [r.expr("argsort(x)", x=r.x)], [(n, i64)],
                {"argsort": lambda: np.argsort(x), "argsort, stable": lambda: np.argsort(x, kind="stable")}, "x"),
    "argsort_abs_diff": (lambda r: [r.expr("argsort(abs(x - y))", x=r.x, y=r.y)], [(n, i64)],
                         {"argsort": lambda: np.argsort(np.abs(x - y))}, "xy"),
    "topk_10": (lambda r: r.first(r.x, 10, 0), [(10, f32), (10, i64)],
                {"argpartition": np_first(10), "values alone": lambda: np.sort(np.partition(x, n - 10)[n - 10:])}, "x"),
    "topk_1000": (lambda r: r.first(r.x, 1000, 0), [(1000, f32), (1000, i64)],
                  {"argpartition": np_first(1000), "values alone": lambda: np.sort(np.partition(x, n - 1000)[n - 1000:])}, "x"),
    "topk_rows": (lambda r: r.first(r.m, 10, 1), [((side, 10), f32), ((side, 10), i64)],
                  {"argpartition": np_first_rows(10),
                   "values alone": lambda: np.sort(np.partition(m, side - 10, axis=1)[:, side - 10:], axis=1)}, "x"),
    "median_rows": (lambda r: [r.expr("median(m, axis=1)", m=r.m)], [(side, f32)], {"median": lambda: np.median(m, axis=1)}, "x"),
    "median": (lambda r: [r.expr("median(x)", x=r.x)], [((), f32)], {"median": lambda: np.median(x)}, "x"),
    "unique_counts": (kinds, [(n, i32), (n, i64)], {"unique": np_kinds}, "x"),
    "sparse_pca": (pca, [((), f32)], {"matmul, partition": np_pca}, "x"),
}


# ---- checking, timing, printing -----------------------------------------------------------------------------------------

def fault(name, got):
    """What is wrong with a row's results; None: nothing."""
    if name == "argsort" or name == "argsort_abs_diff":
        what = x if name == "argsort" else np.abs(x - y)
        return None if np.array_equal(got[0], np.argsort(what, kind="stable")) else "other places"
    if name == "sparse_pca":
        drawn = Plan(lambda r: [r.drawn()], [((side, RANK), f32)]).run({})[0]
        want = np_pca(drawn.astype(np.float64))
        return None if abs(got[0] - want) <= 1e-5 * want else "%r, not %r" % (got[0], want)
    want = next(iter(ROWS[name][2].values()))()
    want = want if isinstance(want, tuple) else (want,)
    if name == "unique_counts":
        got = [g[:w.size] for g, w in zip(got, want)]
    if name.startswith("topk"):
        # Equal elements: ours are those of the lowest places, argpartition's any.
        return None if np.array_equal(got[0], want[0]) and np.array_equal(
            np.take_along_axis(m, got[1], 1) if name == "topk_rows" else x[got[1]], want[0]) else "other elements"
    return None if all(np.array_equal(g, w) for g, w in zip(got, want)) else "other elements"


def timed(call):
    clock, processor = time.perf_counter(), time.process_time()
    call()
    return 1e3 * (time.perf_counter() - clock), 1e3 * (time.process_time() - processor)


def measure(name):
    build, results, theirs, inputs = ROWS[name]
    plan = Plan(build, results)
    given = {k: {"x": x, "y": y}[k] for k in inputs}
    wrong = fault(name, plan.run(given))
    if wrong:
        sys.exit("%s: %s" % (name, wrong))
    times = {None: [], **{k: [] for k in theirs}}
    for _ in range(options.rounds):
        times[None].append(timed(lambda: plan.run(given)))
        for k, call in theirs.items():
            times[k].append(timed(call))
    plan_free(plan.plan)
    return {k: tuple(statistics.median(t[i] for t in list_) for i in (0, 1)) for k, list_ in times.items()}


def main():
    names = options.rows or list(ROWS)
    for name in names:
        if name not in ROWS:
            sys.exit("%s: rows are %s" % (name, ", ".join(ROWS)))
    words = ("row", "NumPy's", "Fusor", "NumPy", "times", "Fusor, processor", "NumPy, processor", "times its half")
    form = "| %s | %s | %s | %s | %s | %s | %s | %s |" if options.table else "%-17s %-18s %9s %9s %6s %17s %17s %15s"
    print("NumPy %s, n = %d, %d threads, %d rounds, isa %s, medians in ms" %
          (np.__version__, n, options.threads, options.rounds, options.isa))
    print(form % words)
    if options.table:
        print(form % (("---",) * 8))
    for name in names:
        found = measure(name)
        ours = found.pop(None)
        for peer, theirs in found.items():
            print(form % (name, peer, *("%.1f" % v for v in (ours[0], theirs[0])), "%.2f" % (theirs[0] / ours[0]),
                          *("%.1f" % v for v in (ours[1], theirs[1])), "%.2f" % (theirs[1] * options.threads / ours[1])),
                  flush=True)


main()
