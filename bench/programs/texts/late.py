# SPDX-License-Identifier: MIT
# What was written late. A part of what numpy_programs.py runs: the names that are free here are its.


def compositing(x):
    b, f, m = (x[k].astype(np.uint16) for k in range(3))
    half, whole = np.uint16(127), np.uint16(255)
    r = (np.minimum(f + (b * (whole - f[:, :, 3:4]) + half) // whole, whole) * m + half) // whole
    return (whole - ((whole - r) * (whole - b) + half) // whole).astype(np.uint8)


def filtered(x):
    def step(y, row):
        return 0.7 * y + 0.3 * row
    return recur(step, 0 * x[0], x)


def iir_blur(x):
    x = filtered(filtered(x)[::-1])[::-1].T
    return filtered(filtered(x)[::-1])[::-1].T


def s3d(t, y):
    t = 800 + 1500 * t
    l, i, c, e = np.log(t), 1000 / t, y * 0.01, np.exp
    p = e(12 - 8 * i + 0.1 * l) * c[0] * c[1] - e(3 - 2 * i) * c[2] * c[3]
    q = e(10 - 3.1 * i + 0.2 * l) * c[4] * c[3] - e(4 - 5 * i) * c[2] * c[5]
    r = e(11 - 1.7 * i) * c[4] * c[5] - e(6 - 9 * i + 0.3 * l) * c[2] * c[6]
    s = e(13 - 0.5 * l) * c[2] * c[1] - e(2 - 7 * i) * c[7]
    u = e(9 - 0.2 * i) * c[7] * c[2] - e(5 - 4 * i) * c[5] * c[5]
    v = e(8 - 0.9 * i) * c[7] * c[5] - e(1 - 6 * i) * c[6] * c[1]
    return np.stack([-p, v - p - s, p + q + r - s - u, p - q, -q - r, q - r + 2 * u - v, r + v, s - u - v])


def nw(x, y, t):
    # A row from the left: an element after the other by the greatest of what ends before it.
    j = 10 * np.arange(len(y) + 1)
    scores = t[(x % 20).astype(np.int64)][:, (y % 20).astype(np.int64)] % 16 - 4
    rows = np.concatenate([-10 * (np.arange(len(x)) + 1)[:, None], scores], 1)

    def step(h, row):
        m = np.concatenate([row[:1], np.maximum(h[1:] - 10, h[:-1] + row[1:])]) + j
        k = 1
        while k < len(m):
            m = np.concatenate([m[:k], np.maximum(m[k:], m[:-k])])
            k = 2 * k
        return m - j
    return recur(step, -j, rows).astype(np.int32)
