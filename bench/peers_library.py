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
What each library gives is compared with NumPy in f64, first rows and all parts' ends. f32, products without TF32. What
a column means and how times are taken: bench/peers.py. With --processor, for a machine that others use too: one
thread, and times are the processor's, of each the least, of Fusor that of seven pairs; stream_overlap goes by the
clock in any case."""
import importlib, os, re, subprocess, sys, time
sys.dont_write_bytecode = True
import peers

COLUMNS, SIDE, MOST, STEPS, CHECKED = 4096, 32, 64, 24, 64
ROWS = ("fft_filter", "solve_batched", "matmul_epilogue", "stream_overlap")
options = peers.parse(__doc__, ROWS, COLUMNS * MOST, "numpy,scipy,cupy,torch,jax",
                      lambda parser: parser.add_argument("--parts", type=int, default=8, help="of stream_overlap"))
import numpy as np

n, gpu, f32 = options.n, options.gpu, np.float32
streamed = n // 2 if gpu else n // 4
size = -(-streamed // options.parts)


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


def inputs(rows, dtype):
    """x and y, a row, the filter's transfer function and what makes the systems well conditioned."""
    complex_ = np.complex64 if dtype == f32 else np.complex128
    transfer = (1 / (1 + 0.01j * np.arange(COLUMNS // 2 + 1))).astype(complex_)
    matrices = [a[:rows].astype(dtype, copy=False) for a in data]
    return matrices + [last.astype(dtype), transfer, SIDE * np.eye(SIDE, dtype=dtype)]


# ---- what each library says in its own way ------------------------------------------------------------------------

class Numpy:
    """call(row): a call without arguments; stream(source, target): the call of stream_overlap; pinned(shape): memory."""

    def __init__(self, library):
        self.library, self.xp = library, library.xp

    def call(self, row):
        arrays = [self.library.array(a) for a in inputs(None, f32)]
        made = self.library.made(lambda *a: calls[row](self.xp, *a))
        return lambda: made(*arrays)

    def pinned(self, shape):
        return np.empty(shape, f32)

    def stream(self, source, target):
        def call():
            for part, out in zip(source, target):
                out[:] = steps(np, part)
        return call


class Scipy(Numpy):
    def __init__(self, library):
        super().__init__(library)
        fft, linalg = importlib.import_module("scipy.fft"), importlib.import_module("scipy.linalg")
        self.xp = type("scipy", (), {"linalg": linalg, "fft": type("fft", (), {
            "rfft": staticmethod(lambda x: fft.rfft(x, workers=options.threads)),
            "irfft": staticmethod(lambda x, n: fft.irfft(x, n, workers=options.threads))})})

    def stream(self, source, target):
        raise NotImplementedError("it has no sine")


class Cupy(Numpy):
    def pinned(self, shape):
        memory = self.xp.cuda.alloc_pinned_memory(4 * int(np.prod(shape)))
        return np.frombuffer(memory, f32, int(np.prod(shape))).reshape(shape)

    def stream(self, source, target):
        cp = self.xp
        text = f"y = x; for (int i = 0; i < {STEPS}; i++) y = sinf(y) * 0.75f + x;"
        kernel = cp.ElementwiseKernel("float32 x", "float32 y", text, "steps")
        up, work, down = (cp.cuda.Stream(non_blocking=True) for _ in range(3))
        buffers = [[cp.empty(size, f32) for _ in range(2)] for _ in range(2)]
        return streaming(source, target, buffers, (up, work, down), lambda stream: stream,
                         lambda to, part, stream: to.set(part, stream),
                         lambda out, at, stream: at.get(stream, out=out, blocking=False),
                         lambda x, out: kernel(x, out), self.library.wait)


class Torch(Numpy):
    def pinned(self, shape):
        return self.xp.empty(shape, pin_memory=True).numpy() if gpu else super().pinned(shape)

    def stream(self, source, target):
        torch, cuda = self.xp, self.xp.cuda
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
                         lambda x, out: out.copy_(compiled(x)), self.library.wait)


class Jax(Numpy):
    def stream(self, source, target):
        put = self.library.jax.device_put
        compiled = self.library.jax.jit(lambda x: steps(self.xp, x))

        def call():
            made = []
            for part in source:
                made.append(compiled(put(part)))
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


def one(library, row):
    way = globals()[type(library).__name__](library)
    if row == "stream_overlap":
        source, target = way.pinned((options.parts, size)), way.pinned((options.parts, size))
        source[:] = (np.arange(source.size, dtype=f32) % 1000 * f32(0.001)).reshape(source.shape)
        call = way.stream(list(source), list(target))
        call()
        worst = worst_of(target[:, -1000:], steps(np, source[:, -1000:].astype(np.float64)))
        wait, by = (lambda: None), time.perf_counter
    else:
        call, wait, by = way.call(row), library.wait, options.clock
        need = CHECKED if row != "solve_batched" else -(-CHECKED * SIDE * SIDE // COLUMNS)
        worst = worst_of(library.host(call()[:CHECKED]), calls[row](np, *inputs(need, np.float64))[:CHECKED])
    if not worst <= 1e-3:
        raise ValueError(f"not what NumPy computes: {worst}")
    return peers.measure(call, wait, by, options.reps)


def overlapped():
    said = subprocess.run([options.fusor, "--backend", options.backend, "--verify-n", "0", "--overlap", str(options.parts),
                           "--n", str(streamed)], stdout=subprocess.PIPE, text=True, check=True)
    return float(re.search(r"stream_overlap: ([\d.]+) ms.*results equal", said.stdout).group(1))


def fusor(options, rows):
    of_table = [row for row in rows if row != "stream_overlap"]
    times = peers.fusor(options, of_table) if of_table else {}
    return {row: overlapped() if row == "stream_overlap" else times[row] for row in rows}


rng = np.random.default_rng(1)
data = [rng.random((n // COLUMNS, COLUMNS), dtype=f32) for _ in range(2)]
last = rng.random(COLUMNS, dtype=f32)
peers.run(options, one, fusor)
