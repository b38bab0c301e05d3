# SPDX-License-Identifier: MIT
"""What a mask selects, and what follows from it, as NumPy does it, for tests/diff/test_numpy_lengths.c.

A line "= n mask" names a vector and a mask, which both sides make: x[i] = (7 i^2 + 3 i) % 23 - 9; the mask holds for all, none, every
third, about half (a hash of i), the last one. The lines below it, "what a b c : elements", are of y = x[mask]; a, b and c are
a slice's, "-" for None, or 0. What NumPy refuses (the greatest of nothing) has no line."""
import numpy as np

SLICES = [("1", "-", "1"), ("-", "-1", "1"), ("-3", "-", "1"), ("2", "-2", "1"), ("-", "-", "-1"), ("-4", "-1", "2"), ("-", "5", "3"),
          ("-2", "1", "-2"), ("-100", "100", "1"), ("7", "3", "1")]


def masks(i, n):
    return [i >= 0, i < 0, i % 3 == 0, (i.astype(np.uint64) * np.uint64(2654435761) >> np.uint64(7) & np.uint64(1)) != 0, i == n - 1]


def say(what, value, a=0, b=0, c=0):
    print(what, a, b, c, ":", " ".join(str(int(v)) for v in np.atleast_1d(value)))


def runs(y):
    first = np.flatnonzero(np.concatenate([[True], y[1:] != y[:-1]])) if len(y) else np.zeros(0, int)
    return y[first], np.diff(np.append(first, len(y)))


def about(x, m):
    y, table = x[m], np.array([5 * k % 7 - 3 for k in range(16)])
    say("compress", np.compress(m, x))
    say("flatnonzero", np.flatnonzero(m))
    say("of_it", np.flatnonzero(y))
    say("twice", y[y > 0])
    say("others", x[~m])
    for name in ["sum", "any", "all", "count_nonzero"] + (["max", "min", "ptp", "argmax", "argmin"] if len(y) else []):
        say(name, getattr(np, name)(y))
    say("cumsum", np.cumsum(y))
    say("cumsum_back", np.cumsum(y[::-1])[::-1])
    say("cummax", np.maximum.accumulate(y))
    for n in 1, 2:
        say("diff", np.diff(y, n), n)
    for a, b, c in SLICES:
        part = [None if v == "-" else int(v) for v in (a, b, c)]
        say("slice", y[slice(*part)], a, b, c)
    say("at", table[np.abs(y)])
    for k in {0, -1, len(y) // 2} if len(y) else []:
        say("from", y[k], k)
        say("kth", np.partition(y, k)[k], k)
    added, last = np.zeros(16, int), np.zeros(16, int)
    np.add.at(added, np.abs(y), y)
    last[np.abs(y)] = np.arange(len(y))
    say("add_at", added)
    say("put", last)
    values, lengths = runs(y)
    say("run_values", values)
    say("run_lengths", lengths)
    say("repeat", np.repeat(x, np.abs(x) % 4 * m))
    z = x.copy()
    z[m] = -5
    say("update_one", z)
    z[m] = 3 * y[::-1]
    say("update", z)


for n in 0, 1, 2, 31, 33, 70:
    i = np.arange(n)
    for kind, mask in enumerate(masks(i, n)):
        print("=", n, kind)
        about((7 * i * i + 3 * i) % 23 - 9, mask)
