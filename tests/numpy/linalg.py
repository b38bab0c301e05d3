# SPDX-License-Identifier: MIT
"""Linear algebra as NumPy does it, for tests/diff/test_numpy_linalg.c.

A line: what, complex or not, rows, columns : the matrix : the right side of solve : the result. Numbers are pairs of parts if complex is 1.
Matrices are of small whole numbers; those of cholesky, eigh and eigvalsh are such a matrix times its conjugate transpose plus
three times the identity. u, vt and v, which have any sign, are their magnitudes; q and r have LAPACK's signs."""
import random

import numpy as np

draw = random.Random(7)


def matrix(m, n, is_complex):
    real = [[draw.randrange(-6, 7) for _ in range(n)] for _ in range(m)]
    imag = [[draw.randrange(-6, 7) if is_complex else 0 for _ in range(n)] for _ in range(m)]
    return np.array(real, float) + (1j * np.array(imag, float) if is_complex else 0)


def text(x):
    x = np.asarray(x)
    flat = np.ascontiguousarray(x).reshape(-1)
    return " ".join("%.17g" % v for v in (flat.view(float) if np.iscomplexobj(x) else flat))


def line(what, a, b, result):
    print(what, int(np.iscomplexobj(a)), *a.shape, ":", text(a), ":", text(b), ":", text(result))


for is_complex in (False, True):
    for n in (1, 2, 3, 5, 9):
        a, b = matrix(n, n, is_complex), matrix(n, 2, is_complex)
        while np.linalg.cond(a) > 1e3:
            a = matrix(n, n, is_complex)
        none = np.zeros(0)
        line("solve", a, b, np.linalg.solve(a, b))
        line("inv", a, none, np.linalg.inv(a))
        line("det", a, none, np.linalg.det(a))
        line("slogdet", a, none, np.array(np.linalg.slogdet(a)))
        p = a @ a.conj().T + 3 * np.eye(n)
        line("cholesky", p, none, np.linalg.cholesky(p))
        line("eigvalsh", p, none, np.linalg.eigvalsh(p))
        line("w", p, none, np.linalg.eigh(p)[0])
        line("v", p, none, abs(np.linalg.eigh(p)[1]))
    for m, n in ((1, 1), (1, 3), (4, 4), (5, 3), (3, 5), (9, 4)):
        a = matrix(m, n, is_complex)
        while np.linalg.cond(a) > 1e2:
            a = matrix(m, n, is_complex)
        line("q", a, none, np.linalg.qr(a)[0])
        line("r", a, none, np.linalg.qr(a)[1])
        line("complete", a, none, np.linalg.qr(a, mode="complete")[1])
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        line("u", a, none, abs(u))
        line("s", a, none, s)
        line("vt", a, none, abs(vt))
        line("svdvals", a, none, np.linalg.svdvals(a))
