# SPDX-License-Identifier: MIT
# Elements that wait for one another: triangular systems, sweeps in place, pairs of bases, a check sum. A part of what numpy_programs.py runs: the names that are free here are its.


def trisolv(L, b):
    i, L = np.arange(len(b)), dominant(L)
    return fori(len(b), lambda k, x: np.where(i == k, (b[k] - np.sum(L[k] * x)) / L[k, k], x), 0 * b)


def ludcmp(A, b):
    i, n, LU = np.arange(len(b)), len(b), lu(A)
    y = fori(n, lambda k, x: np.where(i == k, b[k] - np.sum(LU[k] * x), x), 0 * b)

    def turn(k, x):
        r = n - 1 - k
        return np.where(i == r, (y[r] - np.sum(LU[r] * x)) / LU[r, r], x)
    return fori(n, turn, 0 * b)


def seidel_2d(A):
    def along(y, c):
        return (c + y) / 9

    def one(p, rows):
        x, n = rows[0], rows[1]
        known = p[:-2] + p[1:-1] + p[2:] + x[1:-1] + x[2:] + n[:-2] + n[1:-1] + n[2:]
        return np.concatenate((x[:1], recur(along, x[0], known), x[-1:]))

    def sweep(k, A):
        return np.concatenate((A[:1], recur(one, A[0], np.stack((A[1:-1], A[2:]), 1)), A[-1:]))
    return fori(8, sweep, A)


def nussinov(x):
    b, n, i = x.astype(np.int32) % 4, len(x), np.arange(len(x))
    r = i[:, None]

    def turn(k, s):
        d = k + 1
        cut = np.max(np.where(r < d, s + s[np.maximum(d - 1 - r, 0), np.minimum(r + i + 1, n - 1)], 0), 0)
        j = np.minimum(i + d, n - 1)
        pair = np.where(d > 1, s[np.maximum(d - 2, 0), np.minimum(i + 1, n - 1)] + (b + b[j] == 3), 0)
        return np.where(r == d, np.where(i + d < n, np.maximum(cut, pair), 0), s).astype(np.int32)
    return fori(n - 1, turn, np.zeros((n, n), np.int32))


def crc16(data):
    data = data.astype(np.int32)

    def turn(k, c):
        c = c ^ data[k]
        for bit in range(8):
            c = np.where(c & 1, c >> 1 ^ 0x8408, c >> 1).astype(np.int32)
        return c
    c = fori(len(data), turn, data[0] * 0 + 0xffff) ^ 0xffff
    return c << 8 & 0xff00 | c >> 8


def contour_integral(h, y, z):
    z = z / np.abs(z)
    w = z[:, None, None]
    t = h[0] * w + h[1] + h[2] / w + 3 * len(y) * np.eye(len(y), dtype=h.dtype)
    x = np.linalg.solve(t, y + 0 * t[:, :, :1])
    return x.sum(0), (x * w).sum(0)
