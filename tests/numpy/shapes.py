# SPDX-License-Identifier: MIT
"""Cases of indexing and shape functions with NumPy's answers, for tests/fuzz/test_numpy_shapes.c.

    python3 tests/numpy/shapes.py > tests/numpy/shapes.txt      (NumPy 2)

A line is a program: a shape, whose array holds 0, 1, 2, ..., and steps that each make a new array of the last one, then
the result's digest: "3,4 slice 0 N N -1 ; roll 5 -99 = 1f00...". Numbers are the steps' arguments; N is an omitted bound.
The array is i32; of another dtype ("3,4:f16") it holds numbers that every dtype has, see counted.
The digest (FNV-1a, 64 bits) is of the shape and the elements as 64-bit words, so that a few thousand cases are a small
file. Programs that NumPy refuses are drawn again.
"""
import random
import sys

import numpy as np

assert np.__version__.startswith("2."), np.__version__
NONE = -99


DTYPES = {"bool": np.bool_, "i8": np.int8, "i16": np.int16, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
          "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
          "c64": np.complex64, "c128": np.complex128}


def counted(shape, dtype, first):
    """first, first + 1, ...; beside i32 modulo 100, of bool modulo 3, complex with an imaginary part."""
    n = first + np.arange(int(np.prod(shape)), dtype=np.int64)
    if dtype == np.bool_:
        n = n % 3
    elif dtype != np.int32:
        n = n % 100 + (n * 7 % 50 * 1j if np.issubdtype(dtype, np.complexfloating) else 0)
    return n.astype(dtype).reshape(shape)


def words_of(a):
    """Elements as words: as numbers, but f64 (linspace's) bit by bit."""
    if np.iscomplexobj(a):
        return np.stack([a.real, a.imag], -1).ravel().astype(np.int64)
    if a.dtype == np.float64:
        return np.ascontiguousarray(a).ravel().view(np.int64)
    return a.ravel().astype(np.int64)


def digest(a):
    h = 0xCBF29CE484222325
    words = np.concatenate([np.array(a.shape, np.int64), words_of(a)])
    for byte in words.astype("<i8").tobytes():
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return "%016x" % h


def axis_of(a):
    return None if a == NONE else a


def section(args):
    index = {}
    for i in range(0, len(args), 4):
        axis, start, stop, step = args[i:i + 4]
        index[axis] = slice(start, stop, step)
    return index


def sliced(x, args):
    index = section(args)
    return x[tuple(index.get(d, slice(None)) for d in range(x.ndim))]


def updated(x, args):
    y, out = args[0], x.copy()
    view = sliced(out, args[1:])
    if y == 0:
        view[...] = 7
    elif y == 1:
        view[...] = counted(view.shape, x.dtype, 1000)
    else:
        view[...] = counted(view.shape[-1:], x.dtype, 1000)
    return out


def parts(x, axis, extents):
    out = [x]
    for i, n in enumerate(extents):
        shape = list(x.shape)
        shape[axis] = n
        out.append(counted(shape, x.dtype, 1000 * (i + 1)))
    return out


def chosen(x, args):
    mask = counted(x.shape[-args[0]:] if args[0] else x.shape, np.bool_, 1)
    return np.where(mask, x, counted(x.shape, x.dtype, 1000))


MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]


def padded(x, args):
    width = [(args[1 + 2 * d], args[2 + 2 * d]) for d in range(x.ndim)]
    if args[0] == 0:
        return np.pad(x, width, "constant", constant_values=9)
    return np.pad(x, width, MODES[args[0]])


STEPS = {
    "slice": sliced,
    "update": updated,
    "roll": lambda x, a: np.roll(x, a[0::2], None if a[1] == NONE else a[1::2]) if a[1] != NONE else np.roll(x, a[0]),
    "concat": lambda x, a: np.concat(parts(x, a[0], a[1:]), axis=a[0]),
    "stack": lambda x, a: np.stack([x] + [counted(x.shape, x.dtype, 1000 * i) for i in range(1, a[1])], axis=a[0]),
    "split": lambda x, a: np.split(x, a[0], axis=a[1])[a[2]],
    "splitat": lambda x, a: np.split(x, a[2:], axis=a[0])[a[1]],
    "pad": padded,
    "tile": lambda x, a: np.tile(x, a),
    "repeat": lambda x, a: np.repeat(x, a[0], axis_of(a[1])),
    "diff": lambda x, a: np.diff(x * x if x.dtype == np.int32 else x, a[0], a[1]),
    "where": chosen,
    "triu": lambda x, a: np.triu(x, a[0]),
    "tril": lambda x, a: np.tril(x, a[0]),
    "swapaxes": lambda x, a: np.swapaxes(x, a[0], a[1]),
    "moveaxis": lambda x, a: np.moveaxis(x, a[0::2], a[1::2]),
    "ravel": lambda x, a: np.ravel(x),
    "transpose": lambda x, a: np.transpose(x, a),
    "flip": lambda x, a: np.flip(x, a[0]),
    "expand": lambda x, a: np.expand_dims(x, a[0]),
    "squeeze": lambda x, a: np.squeeze(x, a[0]),
    "broadcast": lambda x, a: np.broadcast_to(x, a),
    "reshape": lambda x, a: np.reshape(x, a),
    "eye": lambda x, a: np.eye(a[0], a[1], a[2], dtype=x.dtype),
    "full": lambda x, a: np.full(a[1:], a[0], dtype=x.dtype),
    "arange": lambda x, a: np.arange(a[0], dtype=x.dtype),
    "linspace": lambda x, a: np.linspace(a[0] / 8, a[1] / 7, a[2], endpoint=bool(a[3])),
    "meshgrid": lambda x, a: np.meshgrid(*[np.arange(n) + 10 * i for i, n in enumerate(a[2:])],
                                         indexing="xy" if a[0] else "ij")[a[1]],
    "sum": lambda x, a: np.sum(x, a[0]),
    "plus": lambda x, a: x + counted(x.shape, x.dtype, 0),
}
LEAVES = ("eye", "linspace", "meshgrid", "full", "arange")
OF_ONE_DTYPE = ("linspace", "meshgrid", "sum")


def bound(r, n):
    return None if r.random() < 0.35 else r.randint(-n - 2, n + 2)


def slices(r, shape):
    out = []
    for axis in r.sample(range(len(shape)), r.randint(1, len(shape))):
        out += [axis, bound(r, shape[axis]), bound(r, shape[axis]), r.choice([1, 1, 2, 3, -1, -2, -5])]
    return out


def draw(r, name, x):
    n, s = x.ndim, x.shape
    axis = r.randint(-n, n - 1)
    if name == "slice":
        return slices(r, s)
    if name == "update":
        return [r.randint(0, 2)] + slices(r, s)
    if name == "roll":
        if r.random() < 0.3:
            return [r.randint(-40, 40), NONE]
        return [v for _ in range(r.randint(1, 3)) for v in (r.randint(-9, 9), r.randint(-n, n - 1))]
    if name == "concat":
        return [axis] + [r.randint(0, 5) for _ in range(r.randint(1, 3))]
    if name == "stack":
        return [r.randint(-n - 1, n), r.randint(1, 4)]
    if name == "split":
        k = r.choice([d for d in range(1, s[axis] + 1) if s[axis] % d == 0])
        return [k, axis, r.randint(0, k - 1)]
    if name == "splitat":
        at = sorted(r.randint(-s[axis], s[axis] + 1) for _ in range(r.randint(1, 3)))
        return [axis, r.randint(0, len(at))] + at
    if name == "pad":
        return [r.randint(0, 4)] + [r.choice([0, 0, 1, 2, 3, 7]) for _ in range(2 * n)]
    if name == "tile":
        return [r.choice([1, 1, 2, 3, 0] if r.random() < 0.1 else [1, 2, 3]) for _ in range(r.randint(1, min(n + 1, 4)))]
    if name == "repeat":
        return [r.randint(0, 4), r.choice([NONE, axis])]
    if name == "diff":
        return [r.randint(0, 3), axis]
    if name in ("triu", "tril"):
        return [r.randint(-5, 5)]
    if name == "swapaxes":
        return [axis, r.randint(-n, n - 1)]
    if name == "moveaxis":
        k = r.randint(1, n)
        return [v for pair in zip(r.sample(range(n), k), r.sample(range(n), k)) for v in pair]
    if name == "transpose":
        return r.sample(range(n), n)
    if name in ("flip", "sum"):
        return [axis]
    if name == "expand":
        return [r.randint(-n - 1, n)]
    if name == "squeeze":
        return [s.index(1)]
    if name == "broadcast":
        return [r.randint(1, 3)] * r.randint(0, 1) + [d if d != 1 else r.randint(1, 4) for d in s]
    if name == "reshape":
        f = r.choice([d for d in range(1, 9) if x.size % d == 0])
        return r.choice([[x.size], [f, x.size // f], [-1, f], [x.size // f, f]])
    if name == "where":
        return [r.choice([0, 1])]
    if name == "full":
        return [r.randint(0, 9)] + [r.randint(0, 5) for _ in range(r.randint(1, 3))]
    if name == "arange":
        return [r.randint(0, 3 if x.dtype == np.bool_ else 40)]
    if name == "eye":
        return [r.randint(0, 6), r.randint(0, 6), r.randint(-4, 4)]
    if name == "linspace":
        return [r.randint(-50, 50), r.choice([0, 3, r.randint(-70, 70)]), r.randint(0, 40), r.randint(0, 1)]
    if name == "meshgrid":
        k = r.randint(1, 4)
        return [r.randint(0, 1), r.randint(0, k - 1)] + [r.randint(0, 4) for _ in range(k)]
    return []


def program(r, names, length, dtype="i32", empty=0.05):
    shape = tuple(r.choice([1, 2, 3, 4, 5, 6, 8, 0] if r.random() < empty else [1, 2, 3, 4, 5, 6, 8])
                  for _ in range(r.choice([1, 2, 2, 3, 3, 4])))
    if empty == 1:
        shape = shape[:-1] + (0,) if r.random() < 0.5 else (0,) + shape[1:]
    x = counted(shape, DTYPES.get(dtype, np.int32), 0)
    text = []
    for i in range(length):
        name = r.choice(names)
        if name in LEAVES and i:
            name = "plus"
        args = draw(r, name, x)
        x = STEPS[name](x, args)
        if x.ndim > 6 or x.size > 4000:
            raise ValueError("too large")
        text.append(" ".join([name] + ["N" if a is None else str(a) for a in args]))
        if name == "linspace":
            break
    kind = "" if dtype == "i32" else ":" + dtype
    return "%s%s %s = %s" % (",".join(map(str, shape)), kind, " ; ".join(text), digest(np.asarray(x)))


def draw_lines(seen, want, make):
    tries = 0
    while want and tries < 3000:
        tries += 1
        try:
            line = make()
        except (ValueError, IndexError, np.exceptions.AxisError):
            continue
        if line not in seen:
            seen.add(line)
            print(line)
            want -= 1


# More copies of an array than one kernel has guards for.
PADS_OF_PADS = [((1, 1, 1, 1), [2, 0, 3, 1, 2, 0, 2, 0]), ((1, 2, 1, 1), [2, 2, 7, 6, 1, 3, 2, 2]),
                ((2, 1, 1, 1, 1, 1), [2, 3] + 5 * [1, 1]), ((1, 1, 1, 1, 1, 1), 6 * [2, 1]),
                ((2, 3, 2, 2), [5, 4, 3, 7, 5, 3, 4, 2])]


def many_pads():
    for shape, width in PADS_OF_PADS:
        for mode in range(1, len(MODES)):
            text = " ".join(["pad", str(mode)] + [str(w) for w in width])
            x = padded(counted(shape, np.int32, 0), [mode] + width)
            print("%s %s = %s" % (",".join(map(str, shape)), text, digest(x)))


def main():
    r = random.Random(20240611)
    seen = set()
    for name in sorted(STEPS):
        want = 200 if name in ("slice", "update", "pad", "roll", "concat", "linspace") else 60
        draw_lines(seen, want, lambda: program(r, [name], 1))
        if name not in OF_ONE_DTYPE:
            for dtype in DTYPES:
                draw_lines(seen, 3, lambda: program(r, [name], 1, dtype))
        if name not in LEAVES:
            draw_lines(seen, 12, lambda: program(r, [name], 1, empty=1))
    chains = [n for n in sorted(STEPS) if n not in LEAVES]
    draw_lines(seen, 1000, lambda: program(r, chains, r.randint(2, 4)))
    chains = [n for n in chains if n not in OF_ONE_DTYPE]
    draw_lines(seen, 200, lambda: program(r, chains, r.randint(2, 4), r.choice(list(DTYPES))))
    many_pads()


if __name__ == "__main__":
    sys.exit(main())
