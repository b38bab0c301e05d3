# SPDX-License-Identifier: MIT
"""What numpy.unique and numpy.isin give, for tests/diff/test_numpy_unique.c.

A line: dtype, equal_nan : the bits of the elements : those of the different ones : where each is first : each element's number
among them : how many there are : the bits of other elements : isin of the first ones among these. The input is that of
sort.py's patterns."""
import contextlib
import io
import itertools
import random

import numpy as np

with contextlib.redirect_stdout(io.StringIO()):
    import sort

sort.draw = random.Random(29)
DTYPES = ["bool", "u64", "f32"]


def whole(x):
    return " ".join(str(int(v)) for v in x)


CASES = list(itertools.product(DTYPES, ("equal", "few", "special", "random"), (0, 1, 2, 41, 60)))
CASES += [("i16", "reversed", 41), ("f16", "special", 60), ("f16", "pipe", 60), ("f64", "special", 60)]
for name, kind, n in CASES:
    dtype = sort.NAMES[name]
    x, others = sort.pattern(kind, dtype, n), sort.pattern(kind, dtype, n // 3)
    for equal in (True, False) if name[0] == "f" and kind == "special" else (True,):
        values, first, inverse, counts = np.unique(x, True, True, True, equal_nan=equal)
        print(name, int(equal), ":", sort.text(x), ":", sort.text(values), ":", whole(first), ":", whole(inverse), ":", whole(counts), ":",
              sort.text(others), ":", whole(np.isin(x, others)))
