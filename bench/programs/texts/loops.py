# SPDX-License-Identifier: MIT
# Loops over arrays: factorizations, shortest paths, waves. A part of what numpy_programs.py runs: the names that are free here are its.


def dominant(A):
    return A + len(A) * np.eye(len(A), dtype=A.dtype)


def lu(A):
    i = np.arange(len(A))
    later = lambda k: (i > k)[:, None]

    def turn(k, A):
        c = A[:, k][:, None] / A[k, k]
        return np.where(later(k), np.where(i > k, A - c * A[k], np.where(i == k, c, A)), A)
    return fori(len(A), turn, dominant(A))


def cholesky(A):
    i = np.arange(len(A))

    def turn(k, A):
        c, p = A[:, k][:, None], A[k, k]
        return np.where((i >= k)[:, None], np.where(i > k, A - c * A[k] / p, np.where(i == k, c / np.sqrt(p), A)), A)
    return np.tril(fori(len(A), turn, dominant((A + A.T) / 2)))


def gramschmidt(A):
    i = np.arange(A.shape[1])

    def turn(k, both):
        A, R = both
        c = A[:, k]
        n = np.sqrt(np.sum(c * c))
        q = (c / n)[:, None]
        r = np.where(i > k, np.sum(q * A, 0), np.where(i == k, n, 0 * n))
        return np.where(i > k, A - q * r, np.where(i == k, q, A)), put(R, np.s_[k], r)
    return fori(A.shape[1], turn, (A, np.zeros((A.shape[1], A.shape[1]), A.dtype)))


def shortest_paths(A):
    return fori(len(A), lambda k, A: np.minimum(A, A[:, k][:, None] + A[k]), A)


def jacobi_solve(A, b):
    d, R = np.diag(A) + len(A), A * (1 - np.eye(len(A), dtype=A.dtype))

    def turn(k, both):
        x = (b - np.sum(R * both[0], 1)) / d
        return x, np.max(np.abs(x - both[0]))
    return until(1000, lambda both: both[1] > 1e-6, turn, (b * 0, 1 + 0 * b[0]))[0]


def wave_2d(u):
    def turn(k, both):
        u, v = both
        m = u[1:-1, 1:-1]
        return np.pad(2 * m - v[1:-1, 1:-1] + 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * m), 1), u
    return fori(100, turn, (u, u))


def adi_steps(u):
    return fori(20, lambda k, u: adi(u), u)


def tridiagonal(a, b, c, d):
    return solve(a, b + 3, c, d)
