# SPDX-License-Identifier: MIT
"""Equations of sparse triangles as SciPy solves them, for tests/diff/test_numpy_sparse.c.

A line: complex or not, the triangle (l or u), unit diagonal or not, rows, right sides (0: a vector) : offsets : columns : values : right sides :
the result. Numbers are pairs of parts if complex is 1. SciPy is given the triangle alone, the line has elements of the other one too."""
import random
import warnings

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular

draw = random.Random(11)
warnings.simplefilter("ignore")


def number(is_complex):
    return draw.randrange(-8, 9) / 4 + (1j * draw.randrange(-8, 9) / 4 if is_complex else 0)


def text(x):
    flat = np.ascontiguousarray(x).reshape(-1)
    return " ".join("%.17g" % v for v in (flat.view(float) if np.iscomplexobj(x) else flat))


def line(is_complex, lower, unit, n, k):
    a = np.zeros((n, n), complex if is_complex else float)
    for r in range(n):
        for c in range(n):
            a[r, c] = draw.choice((4, 5, -6, 7)) if r == c else number(is_complex) if draw.random() < 0.25 else 0
    b = np.array([[number(is_complex) for _ in range(max(k, 1))] for _ in range(n)])
    b = b if k else b[:, 0]
    whole = sp.csr_array(a)
    triangle = sp.csr_array(np.tril(a) if lower else np.triu(a))
    x = spsolve_triangular(triangle, b, lower=lower, unit_diagonal=unit)
    print(int(is_complex), "l" if lower else "u", int(unit), n, k, ":", text(whole.indptr), ":", text(whole.indices), ":", text(whole.data), ":",
          text(b), ":", text(x))


for is_complex in (False, True):
    for lower in (True, False):
        for unit in (False, True):
            for n, k in ((1, 0), (2, 0), (7, 0), (12, 3), (20, 0)):
                line(is_complex, lower, unit, n, k)
