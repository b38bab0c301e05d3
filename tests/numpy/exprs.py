# SPDX-License-Identifier: MIT
"""Expressions whose text is Python's as well, with what NumPy makes of them, for tests/diff/test_numpy_exprs.c: indices of every
kind beside each other, axes in each way they can be written, shapes and modes.

A line: the text, the result's dtype, shape and elements; `error` where NumPy raises an error. The names are those below; the
elements of y tell where each came from."""
import itertools
import random

import numpy as np

draw = random.Random(19)
NAMES = {
    "x": np.array([[2.0, -3, 0, 7], [1, 4, -1, 5], [0, 3, 8, -2]]),
    "y": np.arange(48.0).reshape(2, 3, 4, 2),
    "v": np.array([3.0, -1, 2, 0, 5]),
    "n": np.array([3, -2, 7, 1], dtype=np.int32),
    "a": np.array([1, -2]),
    "b": np.array([[0], [-1]]),
    "s": np.array(1),
}
SAYS = {name: getattr(np, name) for name in dir(np) if callable(getattr(np, name))}


def line(text):
    try:
        result = np.asarray(eval(text, {"__builtins__": {}, "newaxis": None, **SAYS, **NAMES}))
    except (IndexError, ValueError, TypeError):
        print(f"{text} | error")
        return
    shape = ",".join(map(str, result.shape)) or "-"
    elements = " ".join(repr(e) for e in result.astype(np.float64).ravel().tolist()) or "-"
    print(f"{text} | {result.dtype} | {shape} | {elements}")


# Indices: every pair and triple of kinds, and fours by lot, into four axes.
ENTRIES = [":", "1:", "::-1", "-1", "a", "b", "s", "None", "...", "2"]
KINDS = [":", "0", "a", "b", "None", "..."]
texts = [t for k in (1, 2, 3) for t in itertools.product(KINDS, repeat=k)]
texts += [tuple(draw.choice(ENTRIES) for _ in range(draw.choice((4, 4, 4, 5)))) for _ in range(120)]
for text in dict.fromkeys(texts):
    line(f"y[{', '.join(text)}]")
for text in ("v[a]", "x[a, a]", "x[a, a][0]", "x[a][:, a]", "x.T[a]", "x[b, a]", "y[a, 0][..., 0]"):
    line(text)

# Axes.
AXES = ["", "axis=None", "None", "0", "-1", "1", "(0,)", "(0, 1)", "axis=(1, 0)", "axis=(-1, 0)", "axis=()", "axis=(1)", "axis=2"]
for name in ("sum", "amax", "mean", "any", "ptp", "count_nonzero", "std", "nansum"):
    for axes, keep in itertools.product(AXES, ("", "keepdims=True", "keepdims=False")):
        line(f"{name}({', '.join(filter(None, ('x', axes, keep)))})")
for name, axes in itertools.product(("argmax", "argmin"), ("", "None", "0", "axis=1", "axis=None", "axis=-3")):
    line(f"{name}({', '.join(filter(None, ('x', axes)))})")
    line(f"{name}({', '.join(filter(None, ('x', axes, 'keepdims=True')))})")
for name, axes in itertools.product(("cumsum", "cumprod"), ("", "None", "0", "axis=1", "axis=None")):
    line(f"{name}({', '.join(filter(None, ('x', axes)))})")

# Modes, dtypes, lists of extents and of operands.
for mode in ("", "mode='raise'", 'mode="clip"', "mode='wrap'"):
    for axis in ("", "0", "axis=1", "axis=None"):
        line(f"take({', '.join(filter(None, ('x', '3*a', axis, mode)))})")
        line(f"take({', '.join(filter(None, ('x', 'b', axis, mode)))})")
for mode in ("edge", "reflect", "symmetric", "wrap", "constant"):
    line(f"pad(v, (1, 2), mode='{mode}')")
    line(f"pad(x, 1, mode='{mode}')")
for text in """convolve(v, v[:2], mode='same') / correlate(v, v[:3], mode="full") / sum(n, dtype='float32') / sum(n, dtype=None)
sum(n, dtype=float32) / reshape(x, -1) / reshape(x, (2, -1)) / reshape(x, [4, 3]) / reshape(x, (12,)) / reshape(v, (1, -1, 1))
transpose(y, (3, 1, 0, 2)) / transpose(x, None) / broadcast_to(n, (2, 4)) / broadcast_to(s, 3) / zeros((2, 3)) / zeros(3)
ones((2,)) / ones(2) / full((2, 2), 7) / full(3, 7.5) / full((), 2.0) / tile(n, (2, 1)) / tile(n, 2) / tile(x, [1, 2])
concatenate((x, x), axis=1) / concatenate([x, x]) / concatenate((v, n)) / stack((n, n)) / stack((n, n), axis=-1)
expand_dims(x, 1) / squeeze(x[:1], 0) / flip(x, 0) / swapaxes(y, 0, 2) / roll(x, 1) / roll(x, 1, None) / repeat(n, 2)
repeat(x, 2, axis=0) / diff(x, 1, 0) / x[None] + n[:, None, None] / zeros(()) / reshape(s, ()) / sum(y, axis=(0, 2), keepdims=True)
x - mean(x, axis=(0, 1), keepdims=True) / argmax(y[a, :, 0], axis=0) / y[argmin(n), ..., a]""".replace("\n", " / ").split(" / "):
    line(text)

# Numbers of every kind with signs and powers, by themselves and beside arrays. Both parts: a line has real numbers.
def number(depth):
    """A text that Python reads as a number: literals, signs, sums, products, whole powers."""
    if not depth or draw.random() < 0.2:
        return draw.choice(("2", "3", "0.5", "1.25", "2j", "0.5j", "1j"))
    inner = number(depth - 1)
    return draw.choice((f"-{inner}", f"({inner})", f"-({inner})", f"+{inner}", f"({inner})**2", f"-({inner})**3", f"({inner} - {number(depth - 1)})",
                        f"({inner} * {number(depth - 1)})", f"({inner} + {number(depth - 1)})"))


for text in ("-2j * v", "v * -1j", "-(2j) + x", "-1j - n", "(-1j)**2 * v", "--2j * v", "-(1 + 2j) * n", "a / -2j", "-1j", "-(0.5j)"):
    line(f"real({text})")
    line(f"imag({text})")
for _ in range(60):
    text = draw.choice(("{} * v", "n - {}", "{} + x", "a * {} - {}", "{}")).replace("{}", number(3))
    line(f"real({text})")
    line(f"imag({text})")
