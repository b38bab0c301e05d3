#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of other libraries on this CPU, for the rows of fusor-bench that they can express.

    python3 bench/peers_cpu.py [--n 2^24] [--threads 2] [--processor] [--fusor BUILD/fusor-bench] [--json FILE]

NumPy, SciPy, numexpr, Numba, torch.compile and JAX, those that can be imported (pip install numpy scipy numexpr numba torch jax).
Inputs are f32 in [0, 1). Every result is compared with NumPy's in f64 before it is timed; a median of 9 runs counts,
compilation is apart. With --fusor each row of fusor-bench is run before and after its peers, and the ratios to the fastest
of all and to the fastest of NumPy, SciPy, numexpr and Numba are printed: above 1 Fusor is faster. Runs of the libraries do not
overlap. A filter's result has the selected elements' length in NumPy, Numba and torch; in Fusor, as in JAX under jit, the
input's, filled up, with the number of them beside it; filter_half's has that length in Fusor too. Of what is drawn, other numbers
everywhere, mean and deviation are compared. NumPy's scatter_add_map is bincount, whose sums are f64. With --processor, for a
machine that others use too and one thread, the time of the processor counts: of each the least, of Fusor that of nine pairs."""
import argparse, importlib, json, math, os, statistics, subprocess, sys, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--n", default="2^24", help="elements, a power of 4")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--processor", action="store_true", help="the time of the processor, not of the clock; one thread")
parser.add_argument("--fusor", help="fusor-bench to compare with")
parser.add_argument("--json", help="also write the times as JSON")
parser.add_argument("--only", help="comma-separated rows")
options = parser.parse_args()
if options.processor and options.threads != 1:
    parser.error("--processor needs --threads 1")
clock = time.process_time if options.processor else time.perf_counter
for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_MAX_THREADS", "MKL_NUM_THREADS", "FUSOR_THREADS"):
    os.environ[name] = str(options.threads)
os.environ["JAX_PLATFORMS"] = "cpu"


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


np, ne, numba, torch, jax, sparse = (load(name) for name in ("numpy", "numexpr", "numba", "torch", "jax", "scipy.sparse"))
if np is None:
    sys.exit("NumPy is needed: every result is compared with it")
base, _, power = options.n.partition("^")
n = int(base) ** int(power) if power else int(base)
side = math.isqrt(n)
rng = np.random.default_rng(1)
data = [rng.random(n, dtype=np.float32) for _ in range(4)]
f32 = np.float32


# ---- each row as array code, for a module xp with NumPy's names --------------------------------------------------------

def hidden_layer(xp, a, b, c, d):
    v = a / 255 * b
    return (xp.exp(v) - xp.exp(-v)) / (xp.exp(v) + xp.exp(-v))


def polar_distance(xp, a, b, c, d):
    x = a * xp.cos(b) - c * xp.cos(d)
    y = a * xp.sin(b) - c * xp.sin(d)
    return xp.sqrt(x * x + y * y)


def arith_chain(xp, a, b, c, d):
    return (a * b + c) * (a - c) + b * 0.5


def sum_sq_diff(xp, a, b, c, d):
    return ((a - b) * (a - b)).sum()


def four_stats(xp, a, b, c, d):
    return a.sum(), (a * a).sum(), a.min(), a.max()


def softmax(xp, a, b, c, d):
    m = a.reshape(side, side)
    e = xp.exp(m - (xp.amax(m, 1)[:, None]))
    return e / e.sum(1)[:, None]


def map_scan_map(xp, a, b, c, d):
    return xp.sqrt(xp.cumsum(a * b, 0) + 1)


def filter(xp, a, b, c, d):
    return a[a > 0.5]


def filter_half(xp, a, b, c, d):
    return a[a > 0.5]


def sort(xp, a, b, c, d):
    s = xp.sort(a)
    return s[0] if isinstance(s, tuple) else s


def argsort_abs_diff(xp, a, b, c, d):
    return xp.argsort(xp.abs(a - b), **({"stable": True} if xp.__name__ == "torch" else {"kind": "stable"} if xp is np else {}))


# ---- segments: NumPy's reduceat, SciPy's CSR; others have no such call ---------------------------------------------------

def even_offsets():
    return np.arange(0, n + 1, 16)


def skewed_offsets():
    return np.concatenate([[0], n // 2 + 3 * np.arange(1 + n // 2 // 3)])


def power_offsets():
    share = np.arange(n // 16 + 1) / (n // 16)
    return np.floor(np.sqrt(np.sqrt(np.sqrt(share))) * n).astype(np.int64)


def sums(a, offsets):
    out = np.add.reduceat(a[:offsets[-1]], np.minimum(offsets[:-1], offsets[-1] - 1))
    out[offsets[:-1] == offsets[1:]] = 0
    return out


def segmented_sum(xp, a, b, c, d):
    return sums(a, even_offsets())


def segmented_skewed(xp, a, b, c, d):
    return sums(a, skewed_offsets())


def places(b):
    return (b.astype(f32) * f32(n // 16)).astype(np.int32)


def spmv(xp, a, b, c, d):
    return sums(a * c[places(b)], even_offsets())


def spmv_power(xp, a, b, c, d):
    return sums(a * c[places(b)], power_offsets())


def gather_map(xp, a, b, c, d):
    return xp.sqrt(a[(b.astype(f32) * f32(n)).astype(np.int32)] * 2 + 1)


def scatter_add_map(xp, a, b, c, d):
    return np.bincount((b.astype(f32) * f32(1 << 20)).astype(np.int32), np.sqrt(2 * a + 1), 1 << 20)


def histogram_256(xp, a, b, c, d):
    return np.histogram(a, 256, (0, 1))[0]


def histogram_64k(xp, a, b, c, d):
    return np.histogram(a, 1 << 16, (0, 1))[0]


# ---- what is drawn: other numbers, so mean and deviation are compared ------------------------------------------------------

def monte_carlo_pi(xp, a, b, c, d):
    x, y = rng.random(n, dtype=f32), rng.random(n, dtype=f32)
    return f32(np.count_nonzero(x * x + y * y < 1) * 4 / n)


def normal_fill(xp, a, b, c, d):
    return rng.standard_normal(n, dtype=f32)


def option_paths(xp, a, b, c, d):
    log, total = np.zeros(n // STEPS, f32), np.zeros(n // STEPS, f32)
    for _ in range(STEPS):
        log += rng.standard_normal(n // STEPS, dtype=f32) * SPREAD + DRIFT
        total += np.exp(log)
    return np.maximum(total / f32(STEPS) - 1, 0).mean()


STEPS = 64
SPREAD, DRIFT = f32(0.2 / 8), f32((0.03 - 0.02) / STEPS)
drawn = [monte_carlo_pi, normal_fill, option_paths]


def solve_batched(xp, a, b, c, d):
    m = a.reshape(-1, 32, 32) + 32 * xp.eye(32, dtype=a.dtype)
    return xp.linalg.solve(m, b.reshape(-1, 32, 32)[:, :, :1])


def matmul_epilogue(xp, a, b, c, d):
    k = min(side, 64)
    z = xp.matmul(a.reshape(side, side), b.reshape(side, side)[:k].T) * 0.5 + c[:k]
    return z * (z > 0)


def unique_counts(xp, a, b, c, d):
    return np.unique((a * f32(1e4)).astype(np.int32), return_counts=True)


own_rows = [unique_counts, filter_half, segmented_sum, segmented_skewed, spmv, spmv_power, gather_map, scatter_add_map, histogram_256,
            histogram_64k] + drawn  # of NumPy, SciPy and Numba alone


def scipy_rows():
    a, b, c, d = data
    size = n // 16
    column = places(b)

    def make(offsets):
        matrix = sparse.csr_matrix((a, column, offsets.astype(np.int32)), shape=(size, size))
        return lambda: matrix @ c[:size]
    return {"spmv": make(even_offsets()), "spmv_power": make(power_offsets())}


rows = [hidden_layer, polar_distance, arith_chain, sum_sq_diff, four_stats, softmax, map_scan_map, filter, sort, argsort_abs_diff, solve_batched,
        matmul_epilogue] + own_rows
if options.only:
    rows = [row for row in rows if row.__name__ in options.only.split(",")]


# ---- libraries that want the row said otherwise ----------------------------------------------------------------------

def numexpr_rows():
    a, b, c, d = data
    out, half = np.empty_like(a), f32(0.5)
    text = {
        "hidden_layer": "(exp(a/s*b)-exp(-(a/s*b)))/(exp(a/s*b)+exp(-(a/s*b)))",
        "polar_distance": "sqrt((a*cos(b)-c*cos(d))**2+(a*sin(b)-c*sin(d))**2)",
        "arith_chain": "(a*b+c)*(a-c)+b*half",
    }
    names = dict(a=a, b=b, c=c, d=d, half=half, s=f32(255))
    calls = {row: (lambda e=e: ne.evaluate(e, names, out=out)) for row, e in text.items()}
    calls["sum_sq_diff"] = lambda: ne.evaluate("sum((a-b)**2)", names)
    return calls


def numba_rows():
    a, b, c, d = data
    out, more = np.empty_like(a), np.empty(a.size + 1, dtype=a.dtype)
    jit, prange, threads = numba.njit(parallel=True), numba.prange, options.threads

    @jit
    def hidden(a, b, out):
        for i in prange(a.size):
            v = a[i] / f32(255) * b[i]
            p, m = math.exp(v), math.exp(-v)
            out[i] = (p - m) / (p + m)

    @jit
    def polar(a, b, c, d, out):
        for i in prange(a.size):
            x = a[i] * math.cos(b[i]) - c[i] * math.cos(d[i])
            y = a[i] * math.sin(b[i]) - c[i] * math.sin(d[i])
            out[i] = math.sqrt(x * x + y * y)

    @jit
    def chain(a, b, c, out):
        for i in prange(a.size):
            out[i] = (a[i] * b[i] + c[i]) * (a[i] - c[i]) + b[i] * f32(0.5)

    @jit
    def squares(a, b):
        s = f32(0)
        for i in prange(a.size):
            s += (a[i] - b[i]) * (a[i] - b[i])
        return s

    @jit
    def stats(a):
        s, q, low, high = f32(0), f32(0), f32(np.inf), f32(-np.inf)
        for i in prange(a.size):
            s += a[i]
            q += a[i] * a[i]
            low = min(low, a[i])
            high = max(high, a[i])
        return s, q, low, high

    @jit
    def rows_of(m, out):
        for r in prange(m.shape[0]):
            top, s = f32(-np.inf), f32(0)
            for k in range(m.shape[1]):
                top = max(top, m[r, k])
            for k in range(m.shape[1]):
                e = math.exp(m[r, k] - top)
                out[r, k] = e
                s += e
            for k in range(m.shape[1]):
                out[r, k] /= s

    @numba.njit
    def scan(a, b, out):
        s = f32(0)
        for i in range(a.size):
            s += a[i] * b[i]
            out[i] = math.sqrt(s + f32(1))

    @numba.njit
    def selected(a, out):
        k = 0
        for i in range(a.size):
            out[k] = a[i]
            k += a[i] > f32(0.5)
        return out[:k]

    def into(function, *arguments):
        def call():
            function(*arguments, out)
            return out
        return call

    @jit
    def segments(a, offsets, out):
        for r in prange(offsets.size - 1):
            s = f32(0)
            for k in range(offsets[r], offsets[r + 1]):
                s += a[k]
            out[r] = s
        return out[:offsets.size - 1]

    @jit
    def sparse_rows(a, column, c, offsets, out):
        for r in prange(offsets.size - 1):
            s = f32(0)
            for k in range(offsets[r], offsets[r + 1]):
                s += a[k] * c[column[k]]
            out[r] = s
        return out[:offsets.size - 1]

    @jit
    def taken(a, b, out):
        for i in prange(a.size):
            out[i] = math.sqrt(a[int(b[i] * f32(a.size))] * f32(2) + f32(1))

    @jit
    def added(a, b, out):
        parts = np.zeros((threads, 1 << 20), f32)
        for t in prange(threads):
            for i in range(a.size * t // threads, a.size * (t + 1) // threads):
                parts[t, int(b[i] * f32(1 << 20))] += math.sqrt(f32(2) * a[i] + f32(1))
        for i in prange(1 << 20):
            out[i] = parts[:, i].sum()
        return out[:1 << 20]

    @jit
    def counted(a, bins):
        parts = np.zeros((threads, bins), np.int64)
        for t in prange(threads):
            for i in range(a.size * t // threads, a.size * (t + 1) // threads):
                parts[t, min(int(a[i] * f32(bins)), bins - 1)] += 1
        return parts.sum(0)

    @jit
    def circle(count):
        inside = 0
        for i in prange(count):
            x, y = f32(np.random.random()), f32(np.random.random())
            inside += x * x + y * y < f32(1)
        return inside * 4 / count

    @jit
    def normals(out):
        for i in prange(out.size):
            out[i] = np.random.standard_normal()

    @jit
    def paths(count):
        value = 0.0
        for p in prange(count):
            log, total = f32(0), f32(0)
            for _ in range(STEPS):
                log += f32(np.random.standard_normal()) * SPREAD + DRIFT
                total += math.exp(log)
            value += max(total / f32(STEPS) - f32(1), f32(0))
        return value / count

    of_16, of_3, of_any, at = even_offsets(), skewed_offsets(), power_offsets(), places(b)

    def matrix():
        rows_of(a.reshape(side, side), out.reshape(side, side))
        return out.reshape(side, side)

    return {"hidden_layer": into(hidden, a, b), "polar_distance": into(polar, a, b, c, d),
            "arith_chain": into(chain, a, b, c), "sum_sq_diff": lambda: squares(a, b), "four_stats": lambda: stats(a),
            "softmax": matrix, "map_scan_map": into(scan, a, b), "filter": lambda: selected(a, more),
            "filter_half": lambda: selected(a, more), "scatter_add_map": lambda: added(a, b, out),
            "histogram_256": lambda: counted(a, 256), "histogram_64k": lambda: counted(a, 1 << 16),
            "monte_carlo_pi": lambda: circle(n), "normal_fill": into(normals), "option_paths": lambda: paths(n // STEPS),
            "segmented_sum": lambda: segments(a, of_16, out), "segmented_skewed": lambda: segments(a, of_3, out),
            "spmv": lambda: sparse_rows(a, at, c, of_16, out), "spmv_power": lambda: sparse_rows(a, at, c, of_any, out),
            "gather_map": into(taken, a, b)}


def torch_rows():
    torch.set_num_threads(options.threads)
    tensors = [torch.from_numpy(x) for x in data]

    def make(row):
        compiled = torch.compile(lambda a, b, c, d: row(torch, a, b, c, d))
        return lambda: compiled(*tensors)
    return {row.__name__: make(row) for row in rows if row not in own_rows}


def jax_rows():
    jnp = importlib.import_module("jax.numpy")
    arrays = [jnp.asarray(x) for x in data]

    def filled(a, b, c, d):
        at, = jnp.nonzero(a > 0.5, size=a.size, fill_value=a.size)
        return a.at[at].get(mode="fill", fill_value=0)

    def make(row):
        compiled = jax.jit(filled if row is filter else lambda a, b, c, d: row(jnp, a, b, c, d))
        return lambda: jax.block_until_ready(compiled(*arrays))
    return {row.__name__: make(row) for row in rows if row not in own_rows}


def numpy_rows():
    return {row.__name__: (lambda row=row: row(np, *data)) for row in rows}


# ---- checking, timing, printing -----------------------------------------------------------------------------------------

def check(row, got):
    want = row(np, *(data if row in (argsort_abs_diff, unique_counts) else [x.astype(np.float64) for x in data]))
    got = got if isinstance(got, tuple) else (got,)
    want = want if isinstance(want, tuple) else (want,)
    worst = 0.0
    if row in drawn:
        got, want = ([[np.mean(x), np.std(x)] for x in what] for what in (got, want))
    for g, w in zip(got, want):
        g, w = np.asarray(g, dtype=np.float64), np.asarray(w)
        if row is filter:
            g = g[:w.size]
        worst = max(worst, float(np.max(np.abs(g - w) / (np.abs(w) + (1 if row in drawn else 1e-3)))))
    return worst


def measure(call):
    begin = clock()
    result = call()
    first = clock() - begin
    times = []
    for _ in range(9):
        begin = clock()
        call()
        times.append(clock() - begin)
    return result, first * 1e3, (min if options.processor else statistics.median)(times) * 1e3


def fusor_time(name):
    pairs = ["--pairs", "9"] if options.processor else []
    run = subprocess.run([options.fusor, "--backend", "cpu", "--n", str(n), "--verify-n", "0", "--json", "-", *pairs, name],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=not pairs)
    return json.loads(run.stdout)[0]["fused_least_ms" if options.processor else "fused_ms"]


def compare(name, ours, results):
    """Ours against the fastest of all, and against the fastest of those that are no compilers of whole programs."""
    words = []
    for group in (list(results), [r for r in results if r["peer"] in ("numpy", "scipy", "numexpr", "numba")]):
        best = min(group, key=lambda r: r["ms"])
        words.append("%.2f times the speed of %s" % (best["ms"] / ours, best["peer"]))
    print("%-16s %-8s %9.2f ms   %s" % (name, "fusor", ours, ", ".join(dict.fromkeys(words))), flush=True)


def main():
    makers = {"numpy": numpy_rows, "scipy": sparse and scipy_rows, "numexpr": ne and numexpr_rows, "numba": numba and numba_rows,
              "torch": torch and torch_rows, "jax": jax and jax_rows}
    calls = {peer: make() for peer, make in makers.items() if make}
    results = []
    for row in rows:
        name, own, ours = row.__name__, [], []
        if options.fusor:
            ours.append(fusor_time(name))
        for peer, table in calls.items():
            if name not in table:
                continue
            got, first, ms = measure(table[name])
            own.append(dict(row=name, peer=peer, n=n, ms=ms, first_ms=first, error=check(row, got)))
            print("%-16s %-8s %9.2f ms   first %9.1f ms   off by %.1e" % (name, peer, ms, first, own[-1]["error"]),
                  flush=True)
        if options.fusor:
            ours.append(fusor_time(name))
            compare(name, statistics.median(ours), own)
            own.append(dict(row=name, peer="fusor", n=n, ms=statistics.median(ours)))
        results += own
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)


main()
