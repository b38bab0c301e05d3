#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of library calls and of copies beside work, next to other libraries, in one run on one machine.

    python3 bench/peers_library.py --fusor build/fusor-bench [--backend cpu|cuda] [--n 2^24] [--threads 2] [--processor]
                                   [--libraries numpy,scipy,cupy,torch,jax] [--reps 9] [--parts 8] [--json FILE]
                                   [ROW ...]

fft_filter, solve_batched, matmul_epilogue and stream_overlap, as fusor-bench has them; n is 2^24 on a CPU, 2^27 on a
GPU, for stream_overlap a quarter and a half of it. Arrays lie where they are computed before the clock starts, but
those of stream_overlap, which come from the host's memory in parts and go back there: with CuPy and torch by pinned
memory, three streams and two buffers of each kind, with JAX by its own asynchronous copies, with NumPy part by part.
What each library gives is compared with NumPy in f64, first rows and all parts' ends. f32, products without TF32. A
time is the lesser of the median of single calls and the mean of as many with one wait behind them; Fusor is run
before and after the others, and the lesser counts. The last column is the fastest library's time over Fusor's: above
1 Fusor is ahead. NumPy and SciPy are of the CPU, CuPy is of the GPU. A library that cannot take a row has "-", and
the reason stands below. With --processor, for a machine that others use too: one thread, and times are the
processor's, of each library the least, of Fusor what fusor-bench --pairs says; stream_overlap goes by the clock in
any case."""
import argparse, importlib, json, os, re, statistics, subprocess, sys, tempfile, time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("rows", nargs="*")
parser.add_argument("--fusor", required=True, help="fusor-bench")
parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
parser.add_argument("--n", help="elements, a multiple of 2^18")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--processor", action="store_true", help="one thread, by the processor's time")
parser.add_argument("--libraries", default="numpy,scipy,cupy,torch,jax")
parser.add_argument("--reps", type=int, default=9)
parser.add_argument("--parts", type=int, default=8, help="of stream_overlap")
parser.add_argument("--json", help="also write the times as JSON")
options = parser.parse_args()
gpu, clock = options.backend == "cuda", time.perf_counter
if options.processor:
    clock, options.threads = time.process_time, 1
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "FUSOR_THREADS"):
    os.environ[variable] = str(options.threads)
os.environ["JAX_PLATFORMS"] = options.backend
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import numpy as np

base, _, power = (options.n or ("2^27" if gpu else "2^24")).partition("^")
n = int(base) ** int(power) if power else int(base)
COLUMNS, SIDE, MOST, STEPS, CHECKED = 4096, 32, 64, 24, 64
if n % (COLUMNS * MOST):
    sys.exit("--n is a multiple of 2^18")
streamed = n // 2 if gpu else n // 4
size = -(-streamed // options.parts)
f32 = np.float32


# ---- the rows as array code, for a module xp with NumPy's names --------------------------------------------

def fft_filter(xp, x, y, row, transfer, eye):
    return xp.fft.irfft(xp.fft.rfft(x) * transfer, COLUMNS)


def solve_batched(xp, x, y, row, transfer, eye):
    return xp.linalg.solve(x.reshape(-1, SIDE, SIDE) + eye, y.reshape(-1, SIDE, SIDE)[:, :, :1])


def matmul_epilogue(xp, x, y, row, transfer, eye):
    z = xp.matmul(x, y[:MOST].T) * 0.5 + row[:MOST]
    return z * (z > 0)


def steps(xp, x):
    y = x
    for _ in range(STEPS):
        y = xp.sin(y) * 0.75 + x
    return y


calls = {f.__name__: f for f in (fft_filter, solve_batched, matmul_epilogue)}
names = list(calls) + ["stream_overlap"]
for name in options.rows:
    if name not in names:
        sys.exit(f"no row {name}: {', '.join(names)}")


def inputs(rows, dtype):
    """x and y, a row, the filter's transfer function and what makes the systems well conditioned."""
    complex_ = np.complex64 if dtype == f32 else np.complex128
    transfer = (1 / (1 + 0.01j * np.arange(COLUMNS // 2 + 1))).astype(complex_)
    matrices = [a[:rows].astype(dtype, copy=False) for a in data]
    return matrices + [last.astype(dtype), transfer, SIDE * np.eye(SIDE, dtype=dtype)]


# ---- each library: prepare(row) gives a call, a wait for what calls began, and a result's first rows in NumPy ------

class Numpy:
    xp = np

    def __init__(self):
        if gpu:
            raise ImportError("it is of the CPU")
        self.arrays = inputs(None, f32)

    def prepare(self, row):
        return (lambda: calls[row](self.xp, *self.arrays)), (lambda: None), (lambda r: r[:CHECKED])

    def stream(self, source, target):
        def call():
            for part, out in zip(source, target):
                out[:] = steps(np, part)
        return call


class Scipy(Numpy):
    def __init__(self):
        super().__init__()
        fft, linalg = importlib.import_module("scipy.fft"), importlib.import_module("scipy.linalg")
        self.xp = type("scipy", (), {"linalg": linalg, "fft": type("fft", (), {
            "rfft": staticmethod(lambda x: fft.rfft(x, workers=options.threads)),
            "irfft": staticmethod(lambda x, n: fft.irfft(x, n, workers=options.threads))})})

    def stream(self, source, target):
        raise NotImplementedError("it has no sine")


class Cupy:
    def __init__(self):
        if not gpu:
            raise ImportError("it is of the GPU")
        self.cp = importlib.import_module("cupy")
        self.arrays = [self.cp.asarray(a) for a in inputs(None, f32)]

    def prepare(self, row):
        return (lambda: calls[row](self.cp, *self.arrays)), self.wait, (lambda r: self.cp.asnumpy(r[:CHECKED]))

    def wait(self):
        self.cp.cuda.Device().synchronize()

    def pinned(self, shape):
        memory = self.cp.cuda.alloc_pinned_memory(4 * int(np.prod(shape)))
        return np.frombuffer(memory, f32, int(np.prod(shape))).reshape(shape)

    def stream(self, source, target):
        cp = self.cp
        text = f"y = x; for (int i = 0; i < {STEPS}; i++) y = sinf(y) * 0.75f + x;"
        kernel = cp.ElementwiseKernel("float32 x", "float32 y", text, "steps")
        up, work, down = (cp.cuda.Stream(non_blocking=True) for _ in range(3))
        buffers = [[cp.empty(size, f32) for _ in range(2)] for _ in range(2)]
        return streaming(source, target, buffers, (up, work, down), lambda stream: stream,
                         lambda to, part, stream: to.set(part, stream),
                         lambda out, at, stream: at.get(stream, out=out, blocking=False),
                         lambda x, out: kernel(x, out), self.wait)


class Torch:
    def __init__(self):
        self.torch = torch = importlib.import_module("torch")
        torch.set_num_threads(options.threads)
        torch.backends.cuda.matmul.allow_tf32 = False
        self.device = options.backend
        self.arrays = [torch.from_numpy(a).to(self.device) for a in inputs(None, f32)]

    def wait(self):
        if gpu:
            self.torch.cuda.synchronize()

    def prepare(self, row):
        compiled = self.torch.compile(lambda *a: calls[row](self.torch, *a), dynamic=False)
        return (lambda: compiled(*self.arrays)), self.wait, (lambda r: r[:CHECKED].cpu().numpy())

    def pinned(self, shape):
        return self.torch.empty(shape, pin_memory=True).numpy()

    def stream(self, source, target):
        torch, cuda = self.torch, self.torch.cuda
        compiled = torch.compile(lambda x: steps(torch, x), dynamic=False)
        parts, outs = [torch.from_numpy(a) for a in source], [torch.from_numpy(a) for a in target]
        if not gpu:
            def call():
                for part, out in zip(parts, outs):
                    out.copy_(compiled(part))
            return call
        up, work, down = (cuda.Stream() for _ in range(3))
        buffers = [[torch.empty(size, device="cuda") for _ in range(2)] for _ in range(2)]
        compiled(buffers[0][0])
        return streaming(parts, outs, buffers, (up, work, down), cuda.stream,
                         lambda to, part, stream: to.copy_(part, non_blocking=True),
                         lambda out, at, stream: out.copy_(at, non_blocking=True),
                         lambda x, out: out.copy_(compiled(x)), self.wait)


class Jax:
    def __init__(self):
        self.jax = jax = importlib.import_module("jax")
        jax.config.update("jax_default_matmul_precision", "highest")
        self.jnp = importlib.import_module("jax.numpy")
        self.arrays = [jax.device_put(a) for a in inputs(None, f32)]
        self.last = None

    def wait(self):
        self.jax.block_until_ready(self.last)

    def prepare(self, row):
        compiled = self.jax.jit(lambda *a: calls[row](self.jnp, *a))

        def call():
            self.last = compiled(*self.arrays)
            return self.last
        return call, self.wait, (lambda r: np.asarray(r[:CHECKED]))

    def stream(self, source, target):
        compiled = self.jax.jit(lambda x: steps(self.jnp, x))

        def call():
            made = []
            for part in source:
                made.append(compiled(self.jax.device_put(part)))
                made[-1].copy_to_host_async()
            for out, result in zip(target, made):
                out[:] = np.asarray(result)
        return call


def streaming(source, target, buffers, streams, inside, send, fetch, compute, wait):
    """Parts by three streams, each waiting for the events of what it needs: a buffer is filled again when it was
    computed from, and computed into again when it was fetched."""
    up, work, down = streams

    def call():
        computed, fetched = [], []
        for i, (part, out) in enumerate(zip(source, target)):
            x, y = buffers[0][i % 2], buffers[1][i % 2]
            with inside(up):
                if i >= 2:
                    up.wait_event(computed[i - 2])
                send(x, part, up)
                sent = up.record_event() if hasattr(up, "record_event") else up.record()
            with inside(work):
                work.wait_event(sent)
                if i >= 2:
                    work.wait_event(fetched[i - 2])
                compute(x, y)
                computed.append(work.record_event() if hasattr(work, "record_event") else work.record())
            with inside(down):
                down.wait_event(computed[i])
                fetch(out, y, down)
                fetched.append(down.record_event() if hasattr(down, "record_event") else down.record())
        wait()
    return call


# ---- checking, timing ----------------------------------------------------------------------------------------

def worst_of(got, want):
    return float(np.max(np.abs(got - want) / (np.abs(want) + np.abs(want).mean() + 1e-3)))


def measure(call, wait, by):
    call()
    wait()
    single = []
    for _ in range(options.reps):
        begin = by()
        call()
        wait()
        single.append(by() - begin)
    begin = by()
    for _ in range(options.reps):
        call()
    wait()
    mean = (by() - begin) / options.reps
    return 1e3 * min(min(single) if by is time.process_time else statistics.median(single), mean)


def one(library, row):
    if row == "stream_overlap":
        make = getattr(library, "pinned", np.empty) if gpu else np.empty
        source, target = make((options.parts, size)), make((options.parts, size))
        source[:] = (np.arange(source.size, dtype=f32) % 1000 * f32(0.001)).reshape(source.shape)
        call = library.stream(list(source), list(target))
        call()
        worst = worst_of(target[:, -1000:], steps(np, source[:, -1000:].astype(np.float64)))
        wait, by = (lambda: None), time.perf_counter
    else:
        call, wait, fetch = library.prepare(row)
        need = CHECKED if row != "solve_batched" else -(-CHECKED * SIDE * SIDE // COLUMNS)
        worst = worst_of(np.asarray(fetch(call())), calls[row](np, *inputs(need, np.float64))[:CHECKED])
        by = clock
    if not worst <= 1e-3:
        raise ValueError(f"not what NumPy computes: {worst}")
    return measure(call, wait, by)


def fusor(row):
    common = [options.fusor, "--backend", options.backend, "--verify-n", "0"]
    if row == "stream_overlap":
        said = subprocess.run(common + ["--overlap", str(options.parts), "--n", str(streamed)], stdout=subprocess.PIPE,
                              text=True, check=True)
        return float(re.search(r"stream_overlap: ([\d.]+) ms.*results equal", said.stdout).group(1))
    with tempfile.TemporaryDirectory() as directory:
        rows = os.path.join(directory, "rows.json")
        # Its status is 1 also where fused is slower than unfused.
        subprocess.run(common + ["--n", str(n), "--json", rows, row] + (["--pairs", "7"] if options.processor else []),
                       stdout=subprocess.DEVNULL)
        with open(rows) as file:
            return json.load(file)[0]["fused_ms"]


def show(ms):
    return "-" if ms is None else f"{ms:.4g}"


rng = np.random.default_rng(1)
data = [rng.random((n // COLUMNS, COLUMNS), dtype=f32) for _ in range(2)]
last = rng.random(COLUMNS, dtype=f32)


def main():
    libraries, why, table = {}, [], []
    for name in options.libraries.split(","):
        try:
            libraries[name] = globals()[name.capitalize()]()
        except Exception as error:
            why.append(f"{name}: {type(error).__name__}: {error}")
    versions = [f"{name} {importlib.import_module(name).__version__}" for name in libraries]
    print(f"n = {n}, {options.backend}, ms;", ", ".join(versions))
    print("| row | Fusor |", *(f"{name} |" for name in libraries), "ahead |")
    print("|" + " --- |" * (len(libraries) + 3), flush=True)
    for row in options.rows or names:
        times, own = {}, fusor(row)
        for name, library in libraries.items():
            try:
                times[name] = one(library, row)
            except Exception as error:
                times[name] = None
                why.append(f"{row}, {name}: {type(error).__name__}: {str(error).strip().splitlines()[:1]}")
        own = min(own, fusor(row))
        best = min((ms for ms in times.values() if ms is not None), default=None)
        ahead = best and best / own
        table.append({"row": row, "backend": options.backend, "n": n, "fusor": own, **times, "ahead": ahead})
        print(f"| {row} | {show(own)} |", *(f"{show(ms)} |" for ms in times.values()), f"{show(ahead)} |", flush=True)
        if options.json:
            with open(options.json, "w") as file:
                json.dump(table, file, indent=1)
    print(*why, sep="\n")


main()
