# SPDX-License-Identifier: MIT
"""Places by several keys, values by a key, ranks and modes as NumPy gives them, for tests/diff/test_numpy_order.c.

A line: function, dtype, axis (99: flattened), shape : the bits of the elements : those of a second operand of this dtype : the
result's, i64 in decimal or of that dtype : of mode how many there are. The input is that of sort.py's patterns.

lexsort: of the elements by (second operand, elements), the elements first. sort_by_key: the second operand by the elements, a
stable argsort. rank: the inverse of a stable argsort. mode: of unique's elements with most counts the first, NaN equal to NaN."""
import contextlib
import io
import itertools
import random

import numpy as np

with contextlib.redirect_stdout(io.StringIO()):
    import sort

sort.draw = random.Random(31)
KINDS = ("equal", "sorted", "reversed", "pipe", "few", "special", "random")


def whole(x):
    return " ".join(str(int(v)) for v in np.asarray(x).ravel())


def mode(row):
    """Of a stable sort, as of equal elements, 0 and -0 or two NaN, which one np.unique gives depends on the processor."""
    ordered = np.sort(row, kind="stable")
    after, before = ordered[1:], ordered[:-1]
    first = np.flatnonzero(np.concatenate([[True], (after != before) & ((after == after) | (before == before))]))
    values, counts = ordered[first], np.diff(np.append(first, row.size))
    best = np.argmax(counts)
    return values[best], counts[best]


def modes(x, axis):
    rows = x.reshape(1, -1) if axis is None else np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    found = [mode(row) for row in rows]
    return np.array([v for v, _ in found], dtype=x.dtype), [c for _, c in found]


for (shape, axes), name, kind, function in itertools.product(sort.SHAPES, sort.DTYPES, KINDS, ("lexsort", "sort_by_key", "rank", "mode")):
    if sort.draw.random() < 0.83:
        continue
    dtype, n = sort.NAMES[name], int(np.prod(shape))
    x, y = sort.pattern(kind, dtype, n).reshape(shape), sort.pattern(sort.draw.choice(KINDS), dtype, n).reshape(shape)
    axis = sort.draw.choice(axes)
    at = None if axis == 99 else axis
    a, b, along = (x.ravel(), y.ravel(), 0) if at is None else (x, y, at)
    places, counts = np.argsort(a, axis=along, kind="stable"), []
    if function == "mode":
        values, counts = modes(x, at)
        result = sort.text(values)
    elif function == "sort_by_key":
        result = sort.text(np.take_along_axis(b, places, along))
    else:
        result = whole(np.argsort(places, axis=along, kind="stable") if function == "rank" else np.lexsort((b, a), axis=along))
    print(function, name, axis, ",".join(map(str, shape)), ":", sort.text(x), ":", sort.text(y), ":", result, ":", whole(counts))
