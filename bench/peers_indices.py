#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of filters, indices, bins, segments, sparse products and random numbers, next to other libraries, in one run on
one machine.

    python3 bench/peers_indices.py --fusor build/fusor-bench [--backend cpu|cuda] [--n 2^24] [--threads 2] [--processor]
                                   [--libraries numpy,scipy,cupy,torch,jax] [--reps 9] [--json FILE] [ROW ...]

Rows are fusor-bench's; n is 2^24 on a CPU, 2^27 on a GPU, f32 in [0, 1). Arrays lie where they are computed before the
clock starts, and so do a peer's offsets, segments' numbers (JAX), and the columns of its sparse matrices, which Fusor
computes in each run. A filter's result has the length of what is selected. Sums at places are atomic additions with
CuPy, torch and JAX, whose last bits differ from run to run, as those of scatter_add_fast do; NumPy's are bincount's, in
f64. Sparse products are SciPy's, and cuSPARSE's with CuPy and torch. Paths of options are cumulative sums of drawn
arrays. Of each result some are compared with NumPy's in f64: the first ones, or of what is drawn mean and deviation.
What a column means and how times are taken: bench/peers.py."""
import math, sys
sys.dont_write_bytecode = True
import peers

ROWS = ("filter_half", "gather_map", "scatter_add_map", "scatter_add_fast", "histogram_256", "histogram_64k", "segmented_sum",
        "segmented_skewed", "spmv", "spmv_power", "monte_carlo_pi", "normal_fill", "option_paths")
DRAWN = ("monte_carlo_pi", "normal_fill", "option_paths")
PLACES, LENGTH, STEPS, CHECKED = 1 << 20, 16, 64, 64
options = peers.parse(__doc__, ROWS, 1 << 12, "numpy,scipy,cupy,torch,jax")
import numpy as np

n, f32, rows = options.n, np.float32, options.n // LENGTH
SPREAD, DRIFT = 0.2 / 8, (0.03 - 0.02) / STEPS


# ---- inputs -------------------------------------------------------------------------------------------------------------

def even_offsets():
    return np.arange(0, n + 1, LENGTH)


def skewed_offsets():
    return np.concatenate([[0], n // 2 + 3 * np.arange(1 + n // 2 // 3)])


def power_offsets():
    return np.floor(np.sqrt(np.sqrt(np.sqrt(np.arange(rows + 1) / rows))) * n).astype(np.int64)


def offsets_of(row):
    return {"segmented_skewed": skewed_offsets, "spmv_power": power_offsets}.get(row, even_offsets)()


rng = np.random.default_rng(1)
data = [rng.random(n, dtype=f32) for _ in range(3)]
columns = (data[1] * f32(rows)).astype(np.int32)


# ---- what NumPy computes of the first results, in f64 ----------------------------------------------------------------------

def wanted(row):
    a, b, c = data
    if row == "filter_half":
        return a[:8 * CHECKED][a[:8 * CHECKED] > 0.5][:CHECKED]
    if row == "gather_map":
        return np.sqrt(a[(b[:CHECKED] * f32(n)).astype(np.int64)].astype(np.float64) * 2 + 1)
    if row.startswith("scatter"):
        first = b * f32(PLACES) < CHECKED
        return np.bincount((b[first] * f32(PLACES)).astype(np.int64), np.sqrt(2 * a[first].astype(np.float64) + 1), CHECKED)
    if row.startswith("histogram"):
        bins = 256 if row == "histogram_256" else 1 << 16
        return np.bincount((a[a * f32(bins) < CHECKED] * f32(bins)).astype(np.int64), minlength=CHECKED)
    if row == "monte_carlo_pi":
        return [math.pi, 0]
    if row == "normal_fill":
        return [0, 1]
    if row == "option_paths":
        log = np.cumsum(rng.standard_normal((STEPS, 1 << 17)) * SPREAD + DRIFT, 0)
        return [np.maximum(np.exp(log).mean(0) - 1, 0).mean(), 0]
    offsets = offsets_of(row)[:CHECKED + 1]
    terms = a[:offsets[-1]].astype(np.float64) * (c[columns[:offsets[-1]]] if row.startswith("spmv") else 1)
    return np.array([terms[i:j].sum() for i, j in zip(offsets, offsets[1:])])


def check(library, row, got):
    got = np.asarray(library.host(got), np.float64)
    if row == "filter_half" and len(got) != np.count_nonzero(data[0] > 0.5):
        raise ValueError("not as many as are selected")
    got = np.array([got.mean(), got.std()]) if row in DRAWN else got[:CHECKED]
    want = np.asarray(wanted(row))
    worst, most = float(np.max(np.abs(got - want) / (np.abs(want) + np.abs(want).mean() + 1e-3))), 1e-3
    if row in DRAWN:
        worst, most = float(np.max(np.abs(got - want))), 8 / math.sqrt(n // STEPS if row == "option_paths" else n)
    if not worst <= most:
        raise ValueError(f"not what NumPy computes: {worst}")


# ---- rows as array code, for a library's module xp and what each says in its own way ---------------------------------------

def selected(xp, a):
    return a[a > 0.5]


def gathered(xp, a, b, at):
    return xp.sqrt(a[at(b * n)] * 2 + 1)


def circle(x, y):
    return (x * x + y * y < 1).sum() * (4 / n)


def payoff(xp, normal):
    log = xp.cumsum(normal * SPREAD + DRIFT, 0)
    return xp.clip(xp.exp(log).mean(0) - 1, 0, None).mean()


class Numpy:
    """Each method gives a call without arguments. Other libraries say otherwise what differs."""

    def __init__(self, library):
        self.library, self.xp = library, library.xp

    def put(self, x):
        return self.library.array(x)

    def places(self, x):
        return x.astype(self.xp.int32)

    def fast(self, function, *arrays):
        made, arrays = self.library.made(function), [self.put(x) for x in arrays]
        return lambda: made(*arrays)

    def filter_half(self):
        return self.fast(lambda a: selected(self.xp, a), data[0])

    def gather_map(self):
        return self.fast(lambda a, b: gathered(self.xp, a, b, self.places), *data[:2])

    def scatter_add_map(self):
        return self.fast(lambda a, b: self.added(self.places(b * PLACES), self.xp.sqrt(2 * a + 1)), *data[:2])

    def scatter_add_fast(self):
        return self.scatter_add_map()

    def added(self, i, v):
        return self.xp.bincount(i, v, PLACES)

    def counted(self, a, bins):
        return self.xp.histogram(a, bins, (0, 1))[0]

    def histogram_256(self):
        return self.fast(lambda a: self.counted(a, 256), data[0])

    def histogram_64k(self):
        return self.fast(lambda a: self.counted(a, 1 << 16), data[0])

    def segments(self, offsets):
        begins = np.minimum(offsets[:-1], offsets[-1] - 1)
        return self.fast(self.xp.add.reduceat, data[0][:offsets[-1]], begins)

    def segmented_sum(self):
        return self.segments(even_offsets())

    def segmented_skewed(self):
        return self.segments(skewed_offsets())

    def product(self, offsets):
        begins, none = np.minimum(offsets[:-1], n - 1), offsets[:-1] == offsets[1:]

        def call():
            out = np.add.reduceat(data[0] * data[2][columns], begins)
            out[none] = 0
            return out
        return call

    def spmv(self):
        return self.product(even_offsets())

    def spmv_power(self):
        return self.product(power_offsets())

    def uniform(self):
        return rng.random(n, dtype=f32)

    def normal(self, shape):
        return rng.standard_normal(shape, dtype=f32)

    def monte_carlo_pi(self):
        return self.fast(lambda: circle(self.uniform(), self.uniform()))

    def normal_fill(self):
        return self.fast(lambda: self.normal((n,)))

    def option_paths(self):
        return self.fast(lambda: payoff(self.xp, self.normal((STEPS, n // STEPS))))


class Scipy(Numpy):
    def __getattribute__(self, name):
        if name in ROWS and not name.startswith("spmv"):
            raise NotImplementedError("it is NumPy's")
        return super().__getattribute__(name)

    def product(self, offsets):
        import scipy.sparse
        matrix = scipy.sparse.csr_matrix((data[0], columns, offsets.astype(np.int32)), shape=(rows, rows))
        return lambda: matrix @ data[2][:rows]


class Cupy(Numpy):
    def added(self, i, v):
        import cupyx
        out = self.xp.zeros(PLACES, f32)
        cupyx.scatter_add(out, i, v)
        return out

    def product(self, offsets):
        import cupyx.scipy.sparse
        parts = tuple(self.put(x) for x in (data[0], columns, offsets.astype(np.int32)))
        matrix, x = cupyx.scipy.sparse.csr_matrix(parts, shape=(rows, rows)), self.put(data[2][:rows])
        return lambda: matrix @ x

    def __init__(self, library):
        super().__init__(library)
        self.rng = self.xp.random.default_rng(1)

    def uniform(self):
        return self.rng.random(n, dtype=f32)

    def normal(self, shape):
        return self.rng.standard_normal(shape, dtype=f32)


class Torch(Numpy):
    def places(self, x):
        return x.to(self.xp.int32).long()

    def filter_half(self):
        a = self.put(data[0])
        return lambda: selected(self.xp, a)

    def added(self, i, v):
        return self.xp.zeros(PLACES, device=self.library.device).scatter_add_(0, i, v)

    def counted(self, a, bins):
        return self.xp.histc(a, bins, 0, 1)

    def segments(self, offsets):
        a, at = self.put(data[0][:offsets[-1]]), self.put(offsets)
        return lambda: self.xp.segment_reduce(a, "sum", offsets=at, unsafe=True)

    def product(self, offsets):
        parts = [self.put(x) for x in (offsets.astype(np.int32), columns, data[0])]
        matrix, x = self.xp.sparse_csr_tensor(*parts, size=(rows, rows)), self.put(data[2][:rows])
        return lambda: matrix @ x

    def uniform(self):
        return self.xp.rand(n, device=self.library.device)

    def normal(self, shape):
        return self.xp.randn(shape, device=self.library.device)

    def normal_fill(self):
        return lambda: self.normal((n,))


class Jax(Numpy):
    def filter_half(self):
        a = self.put(data[0])

        def call():
            self.library.last = selected(self.xp, a)
            return self.library.last
        return call

    def added(self, i, v):
        return self.xp.zeros(PLACES, f32).at[i].add(v)

    def segments(self, offsets):
        ids = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
        total = self.library.jax.ops.segment_sum
        return self.fast(lambda a, at: total(a, at, len(offsets) - 1, indices_are_sorted=True), data[0][:offsets[-1]], ids)

    def product(self, offsets):
        from jax.experimental import sparse
        return self.fast(lambda a, at, of, x: sparse.CSR((a, at, of), shape=(rows, rows)) @ x, data[0], columns,
                         offsets.astype(np.int32), data[2][:rows])

    def drawn(self, function):
        made, random = self.library.made(function), self.library.jax.random
        key = random.key(1)
        return lambda: made(key)

    def monte_carlo_pi(self):
        random = self.library.jax.random
        return self.drawn(lambda key: circle(*(random.uniform(k, (n,)) for k in random.split(key))))

    def normal_fill(self):
        return self.drawn(lambda key: self.library.jax.random.normal(key, (n,)))

    def option_paths(self):
        return self.drawn(lambda key: payoff(self.xp, self.library.jax.random.normal(key, (STEPS, n // STEPS))))


def one(library, row):
    call = getattr(globals()[type(library).__name__](library), row)()
    check(library, row, call())
    return peers.measure(call, library.wait, options.clock, options.reps)


peers.run(options, one)
