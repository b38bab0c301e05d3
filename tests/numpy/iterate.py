# SPDX-License-Identifier: MIT
"""Loops for each element, as NumPy programs with masks, as tests/numpy/iterate.txt.

All operations are exact in Fusor's sense, one rounding each, so the bits are Fusor's too.
A line: the loop, its dtype, the element, its state at the end (floats as the hexadecimal of their bits) and its count.
Run with NumPy 2.2: python3 tests/numpy/iterate.py > tests/numpy/iterate.txt"""
import numpy as np

assert np.__version__.startswith("2.")


def bits(x):
    return f"{x.view(np.uint32 if x.dtype == np.float32 else np.uint64):x}" if x.dtype.kind == "f" else str(int(x))


def run(state, arguments, condition, body, max_n):
    """The state and the count after the loop, lane by lane with masks."""
    state = [np.array(s) for s in np.broadcast_arrays(*state, *arguments)[: len(state)]]
    n = np.zeros(state[0].shape, np.int32)
    go = np.ones(state[0].shape, bool)
    for _ in range(max_n):
        go = go & condition(*state, *arguments)
        if not go.any():
            break
        new = body(*state, *arguments)
        state = [np.where(go, b, a) for a, b in zip(state, new)]
        n = n + go
    return [*state, n]


def show(name, results):
    for i in range(results[0].size):
        print(name, results[0].dtype.name, i, *(bits(r.reshape(-1)[i]) for r in results))


def mandelbrot(t):
    re = (np.arange(37, dtype=t) * t(0.0625) - t(1.75))[None, :]
    im = (np.arange(9, dtype=t) * t(0.125) - t(0.3))[:, None]
    re, im = np.broadcast_arrays(re, im)
    zero = np.zeros(re.shape, t)
    return run([zero, zero], [re, im], lambda x, y, a, b: x * x + y * y <= t(4),
               lambda x, y, a, b: [x * x - y * y + a, x * y * t(2) + b], 60)


def newton(t):
    a = np.arange(1, 41, dtype=t) * t(0.37)
    return run([a + t(1), a + t(2)], [a], lambda x, last, v: x < last, lambda x, last, v: [(x + v / x) * t(0.5), x], 50)


def collatz():
    n = np.arange(1, 60, dtype=np.int64)
    return run([n], [], lambda x: x != 1, lambda x: [np.where(x % 2 == 0, x // 2, x * 3 + 1)], 200)


def pendulum(t):
    """Explicit steps of a stiff oscillator, always the same number."""
    x = np.arange(33, dtype=t) * t(0.1)
    return run([x, np.zeros_like(x)], [t(0.01)], lambda x, v, h: np.ones(x.shape, bool),
               lambda x, v, h: [x + v * h, v - x * h], 100)


np.seterr(all="ignore")
for dtype in (np.float32, np.float64):
    show("mandelbrot", mandelbrot(dtype))
    show("newton", newton(dtype))
    show("pendulum", pendulum(dtype))
show("collatz", collatz())
