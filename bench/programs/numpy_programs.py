#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs of fusor-bench --programs as array code of NumPy, and a comparison with what Fusor made of them.

    fusor-bench --programs small --npy DIR && python3 bench/programs/numpy_programs.py DIR [NAME ...]

For every NAME.in0.npy, NAME.in1.npy, ... of DIR the function NAME is called, and its results are compared with NAME.out0.npy,
...: integers must be equal, floats within 1e-4 of the largest magnitude of that result (both compute in f32, in different
orders; a term that is missing is far more). Each function is written against the names np, put, recur, fori, until, totals, counts and pi alone, so
peers.py runs the same text with other libraries in their place."""
import glob, os, re, sys

SOURCE = r'''
def rolled(x, shift, axis):
    return np.roll(x, shift, axis)


def jacobi_1d(A, B):
    for turn in range(2):
        B = put(B, np.s_[1:-1], 0.33333 * (A[:-2] + A[1:-1] + A[2:]))
        A = put(A, np.s_[1:-1], 0.33333 * (B[:-2] + B[1:-1] + B[2:]))
    return A, B


def five(A):
    return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


def jacobi_2d(A, B):
    B = put(B, np.s_[1:-1, 1:-1], five(A))
    A = put(A, np.s_[1:-1, 1:-1], five(B))
    return A, B


def heat(A):
    m = A[1:-1, 1:-1, 1:-1]
    return (0.125 * (A[2:, 1:-1, 1:-1] - 2 * m + A[:-2, 1:-1, 1:-1]) +
            0.125 * (A[1:-1, 2:, 1:-1] - 2 * m + A[1:-1, :-2, 1:-1]) +
            0.125 * (A[1:-1, 1:-1, 2:] - 2 * m + A[1:-1, 1:-1, :-2]) + m)


def heat_3d(A, B):
    B = put(B, np.s_[1:-1, 1:-1, 1:-1], heat(A))
    A = put(A, np.s_[1:-1, 1:-1, 1:-1], heat(B))
    return A, B


def fdtd_2d(ex, ey, hz):
    for turn in range(2):
        ey = put(ey, np.s_[0, :], 0.5)
        ey = put(ey, np.s_[1:, :], ey[1:, :] - 0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = put(ex, np.s_[:, 1:], ex[:, 1:] - 0.5 * (hz[:, 1:] - hz[:, :-1]))
        hz = put(hz, np.s_[:-1, :-1], hz[:-1, :-1] - 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
    return ex, ey, hz


def stencil_7(A):
    for turn in range(2):
        A = put(A, np.s_[1:-1, 1:-1, 1:-1], 0.1 * (
            A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2] + A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1] + A[2:, 1:-1, 1:-1] +
            A[:-2, 1:-1, 1:-1]) - 0.25 * A[1:-1, 1:-1, 1:-1])
    return A


def hdiff(f, coeff):
    lap = 4 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2])
    dx = lap[1:, 1:-1] - lap[:-1, 1:-1]
    dy = lap[1:-1, 1:] - lap[1:-1, :-1]
    fx = np.where(dx * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0, dx)
    fy = np.where(dy * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0, dy)
    return f[2:-2, 2:-2] - coeff * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])


def lbm_d2q9(F):
    cx, cy = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
    f = F + 1
    rho = f.sum(0)
    ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho
    uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho
    planes = []
    for k in range(9):
        along = cx[k] * ux + cy[k] * uy
        weight = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)[k]
        rest = weight * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy))
        planes.append(rolled(rolled(f[k] - 0.6 * (f[k] - rest), cy[k], 0), cx[k], 1))
    return np.stack(planes)


def gemm(A, B, C):
    return 1.5 * (A @ B) + 1.2 * C


def k2mm(A, B, C, D):
    return 1.5 * (A @ B) @ C + 1.2 * D


def k3mm(A, B, C, D):
    return (A @ B) @ (C @ D)


def atax(A, x):
    return (A @ x) @ A


def bicg(A, p, r):
    return r @ A, A @ p


def mvt(A, x, y, z, w):
    return x + A @ y, z + w @ A


def gemver(A, p, q, r, s, y, z):
    M = A + np.outer(p, q) + np.outer(r, s)
    x = 1.2 * (y @ M) / A.shape[0] + z
    return M, x, 1.5 * (M @ x) / A.shape[0]


def gesummv(A, B, x):
    return 1.5 * (A @ x) + 1.2 * (B @ x)


def doitgen(A, C):
    return A @ C


def syrk(A, C):
    return np.tril(1.5 * (A @ A.T) + 1.2 * C) + np.triu(C, 1)


def syr2k(A, B, C):
    return np.tril(1.5 * (A @ B.T + B @ A.T) + 1.2 * C) + np.triu(C, 1)


def trmm(A, B):
    return 1.5 * (B + np.tril(A, -1).T @ B)


def covariance(D):
    d = D - D.mean(0)
    return (d.T @ d) / (D.shape[0] - 1)


def correlation(D):
    s = D.std(0)
    d = (D - D.mean(0)) / np.where(s <= 0.1, 1, s)
    return (d.T @ d) / D.shape[0]


def floyd_warshall(P):
    for k in range(4):
        P = np.minimum(P, P[:, k][:, None] + P[k, :])
    return P


def softmax_rows(x):
    e = np.exp(x - np.amax(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def softmax_4d(x):
    return softmax_rows(x)


def mlp(x, u, a, v, b, w, c):
    y = np.maximum(x @ u + a, 0)
    z = np.maximum(y @ v / v.shape[0] + b, 0)
    return softmax_rows(z @ w / w.shape[0] + c)


def convolve(x, w):
    k, rows, cols = w.shape[0], x.shape[1] - w.shape[0] + 1, x.shape[2] - w.shape[0] + 1
    total = 0
    for r in range(k):
        for c in range(k):
            total = total + x[:, r:r + rows, c:c + cols, :] @ w[r, c]
    return total


def conv2d(x, w, b):
    return convolve(x, w) + b


def batch_norm(x):
    return (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5)


def resnet(x, u, v, w):
    y = np.maximum(batch_norm(convolve(x, u)), 0)
    y = np.maximum(batch_norm(convolve(np.pad(y, ((0, 0), (1, 1), (1, 1), (0, 0))), v)), 0)
    return np.maximum(batch_norm(convolve(y, w)) + x, 0)


def go_fast(a):
    return a + np.tanh(np.diagonal(a)).sum()


def compute(x, y):
    return np.clip(x, 2, 10) * 4 + y * 3 + 9


def arc_distance(t, p, u, q):
    m = np.sin((u - t) / 2)**2 + np.cos(t) * np.cos(u) * np.sin((q - p) / 2)**2
    return 2 * np.arctan2(np.sqrt(m), np.sqrt(1 - m))


def azimint_naive(data, radius):
    step = radius.max() / 100
    means = []
    for i in range(100):
        low = np.float32(i) * step
        inside = (radius >= low) & (radius < low + step)
        means.append(np.where(inside, data, 0).sum() / np.maximum(inside.sum(), 1))
    return np.stack(means)


def nbody(x, v, m):
    d = x[None, :, :] - x[:, None, :]
    f = m * ((d * d).sum(2) + 0.01)**-1.5
    a = (d * f[:, :, None]).sum(1)
    w = v + 0.005 * a
    return x + 0.01 * w, w + 0.005 * a


def turns(n, most):
    t = np.arange(n, dtype=np.float32) * np.float32(2.5 / n)
    x, y = t[None, :] - 2, t[:, None] - np.float32(1.25)
    p = q = np.zeros((n, n), np.float32)
    count = np.zeros((n, n), np.int32)
    for turn in range(most):
        inside = p * p + q * q < 4
        p, q = np.where(inside, p * p - q * q + x, p), np.where(inside, p * q * 2 + y, q)
        count = np.where(inside, count + 1, count)
    return count


def mandelbrot1(n):
    return turns(n.shape[0], 12)


def mandelbrot2(n):
    return turns(n.shape[0], 60)


def stockham_fft(x):
    return np.fft.fft(x)


def linear(x, r):
    """y[i] = r y[i - 1] + x[i] along the first axis."""
    return recur(lambda y, a: r * y + a, x[0] * 0, x)


def smooth(x, r):
    return linear(linear(x, r), r)


def deriche_rows(x):
    r, a = 0.77880078307140488, (0.041275537, -0.024109332, 0.040182219, -0.025034812)
    zero = x[:1] * 0
    past = np.concatenate((zero, x[:-1]))
    later = np.concatenate((x[1:], zero))
    second = np.concatenate((x[2:], zero, zero))
    back = a[2] * later + a[3] * second
    return smooth(a[0] * x + a[1] * past, r) + smooth(back[::-1], r)[::-1]


def deriche(x):
    return deriche_rows(deriche_rows(x.T).T)


def mri_q(x, k, phi):
    t = 2 * pi * (x[:, 0][:, None] * k[:, 0] + x[:, 1][:, None] * k[:, 1] + x[:, 2][:, None] * k[:, 2])
    return np.cos(t) @ phi, np.sin(t) @ phi


def cutcp(at, atom):
    d = at[:, None, :] - atom[:, :3]
    r = (d * d).sum(2) + 1e-6
    s = 1 - r / 0.04
    return np.where(r < 0.04, atom[:, 3] / np.sqrt(r) * s * s, 0).sum(1)


def blur(p):
    x = (p[:, :-2] + p[:, 1:-1] + p[:, 2:]) // 3
    return (x[:-2] + x[1:-1] + x[2:]) // 3


def grey(p):
    return 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]


def unsharp(p):
    g = grey(p)
    e = np.pad(g, 3, mode="edge")
    x = 0.27 * e[3:-3] + 0.214 * (e[2:-4] + e[4:-2]) + 0.106 * (e[1:-5] + e[5:-1]) + 0.045 * (e[:-6] + e[6:])
    y = (0.27 * x[:, 3:-3] + 0.214 * (x[:, 2:-4] + x[:, 4:-2]) + 0.106 * (x[:, 1:-5] + x[:, 5:-1]) +
         0.045 * (x[:, :-6] + x[:, 6:]))
    return p * ((2 * g - y) / (g + 0.01))


def box(x):
    y = x[:-2] + x[1:-1] + x[2:]
    return y[:, :-2] + y[:, 1:-1] + y[:, 2:]


def harris(p):
    g = grey(p)
    v, w = g[:-2] + 2 * g[1:-1] + g[2:], g[2:] - g[:-2]
    dx, dy = (v[:, 2:] - v[:, :-2]) / 12, (w[:, :-2] + 2 * w[:, 1:-1] + w[:, 2:]) / 12
    a, b, c = box(dx * dx), box(dy * dy), box(dx * dy)
    return a * b - c * c - 0.04 * (a + b) * (a + b)


def woven(a, b, c, d):
    """Four planes as the elements of blocks of 2 by 2."""
    return np.stack((np.stack((a, b), 2), np.stack((c, d), 2)), 1).reshape(2 * a.shape[0], 2 * a.shape[1])


def camera_pipe(raw, m):
    around = np.stack((raw[:-4, 2:-2], raw[4:, 2:-2], raw[2:-2, :-4], raw[2:-2, 4:]))
    d = np.minimum(np.maximum(raw[2:-2, 2:-2], np.amin(around, 0)), np.amax(around, 0))
    a, r, b, c = d[::2, ::2], d[::2, 1::2], d[1::2, ::2], d[1::2, 1::2]
    west, east, north, south = (lambda x: rolled(x, 1, 1)), (lambda x: rolled(x, -1, 1)), (lambda x: rolled(x, 1, 0)), (
        lambda x: rolled(x, -1, 0))
    red = woven(0.5 * (r + west(r)), r, 0.25 * (r + west(r) + south(r) + south(west(r))), 0.5 * (r + south(r)))
    green = woven(a, 0.25 * (a + east(a) + c + north(c)), 0.25 * (c + west(c) + a + south(a)), c)
    blue = woven(0.5 * (b + north(b)), 0.25 * (b + east(b) + north(b) + east(north(b))), b, 0.5 * (b + east(b)))
    s = np.stack([m[i, 0] * red + m[i, 1] * green + m[i, 2] * blue + m[i, 3] for i in range(3)])
    return (255 * np.clip(s / 4, 0, 1)**0.45).reshape(3, a.shape[0], 2, a.shape[1], 2)


def max_filter(p):
    for axis in range(2):
        n = p.shape[axis] - 14
        p = np.swapaxes(p, 0, axis)
        best = p[:n]
        for k in range(1, 15):
            best = np.maximum(best, p[k:k + n])
        p = np.swapaxes(best, 0, axis)
    return p


def nl_means(p):
    e = np.pad(p, 3, mode="edge")
    rows, cols = p.shape
    total = weight = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            d = e[2 + dy:4 + dy + rows, 2 + dx:4 + dx + cols] - e[2:4 + rows, 2:4 + cols]
            s = np.exp(-2 * box(d * d))
            total = total + s * e[3 + dy:3 + dy + rows, 3 + dx:3 + dx + cols]
            weight = weight + s
    return total / weight


def stencil_chain(p):
    for turn in range(4):
        e = np.pad(p, 1, mode="edge")
        r = e[:-2] + 2 * e[1:-1] + e[2:]
        p = (r[:, :-2] + 2 * r[:, 1:-1] + r[:, 2:]) / 16
    return p


def interpolate(p):
    level = [p * p[3:]]
    for i in range(3):
        r = level[-1][:, ::2] + level[-1][:, 1::2]
        level.append(0.25 * (r[:, :, ::2] + r[:, :, 1::2]))
    x = level[-1]
    for y in level[-2::-1]:
        x = y + (1 - y[3:]) * np.repeat(np.repeat(x, 2, 1), 2, 2)
    return x[:3] / x[3:]


def daubechies(p):
    e = np.pad(p, ((0, 0), (0, 2)), mode="edge")
    a, b, c, d = e[:, :-2:2], e[:, 1:-2:2], e[:, 2::2], e[:, 3::2]
    return np.stack((0.4829629 * a + 0.8365163 * b + 0.22414387 * c - 0.12940952 * d,
                     0.12940952 * a + 0.22414387 * b - 0.8365163 * c + 0.4829629 * d))


def separable_conv(x, w, m, b):
    rows, cols = x.shape[0] - 2, x.shape[1] - 2
    y = 0
    for r in range(3):
        for c in range(3):
            y = y + x[r:r + rows, c:c + cols] * w[r, c]
    return np.maximum(y @ m + b, 0)


def sad(x, y):
    rows, cols = x.shape
    sums = []
    for dy in range(5):
        for dx in range(5):
            d = np.abs(x.astype(np.int32) - y[dy:dy + rows, dx:dx + cols].astype(np.int32))
            sums.append(d.reshape(rows // 4, 4, cols // 4, 4).sum((1, 3), dtype=np.int32))
    return np.amin(np.stack(sums), 0)


def right_side(h, dt, eu, wu, nu, su, ev, wv, nv, sv):
    ux, uy, vx, vy = (eu - wu) / (2 * h), (nu - su) / (2 * h), (ev - wv) / (2 * h), (nv - sv) / (2 * h)
    return (ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy


def carried(h, dt, u, v, own, w, e, s, n, slope):
    k = dt / h
    return own - u * k * (own - w) - v * k * (own - s) - k / 2 * slope + 0.1 * k / h * (e + w + n + s - 4 * own)


def cavity_flow(u, v, p):
    h = 2 / (u.shape[0] - 1)
    dt = 0.1 * h * h
    mid, west, east, south, north = (np.s_[1:-1, 1:-1], np.s_[1:-1, :-2], np.s_[1:-1, 2:], np.s_[:-2, 1:-1],
                                     np.s_[2:, 1:-1])
    b = right_side(h, dt, u[east], u[west], u[north], u[south], v[east], v[west], v[north], v[south])
    for turn in range(4):
        p = put(p, mid, (p[east] + p[west] + p[north] + p[south]) / 4 - h * h / 4 * b)
        p = put(p, np.s_[:, -1], p[:, -2])
        p = put(p, np.s_[0, :], p[1, :])
        p = put(p, np.s_[:, 0], p[:, 1])
        p = put(p, np.s_[-1, :], 0)
    x = carried(h, dt, u[mid], v[mid], u[mid], u[west], u[east], u[south], u[north], p[east] - p[west])
    y = carried(h, dt, u[mid], v[mid], v[mid], v[west], v[east], v[south], v[north], p[north] - p[south])
    x = put(np.pad(x, 1), np.s_[-1, :], 1)
    return x, np.pad(y, 1), p


def channel_flow(u, v, p):
    h = 2 / (u.shape[0] - 1)
    dt = 0.1 * h * h
    west, east = (lambda x: rolled(x, 1, 1)[1:-1]), (lambda x: rolled(x, -1, 1)[1:-1])
    b = right_side(h, dt, east(u), west(u), u[2:], u[:-2], east(v), west(v), v[2:], v[:-2])
    for turn in range(4):
        q = (east(p) + west(p) + p[2:] + p[:-2]) / 4 - h * h / 4 * b
        p = np.concatenate((q[:1], q, q[-1:]))
    m, n = u[1:-1], v[1:-1]
    x = carried(h, dt, m, n, m, west(u), east(u), u[:-2], u[2:], east(p) - west(p)) + dt
    y = carried(h, dt, m, n, n, west(v), east(v), v[:-2], v[2:], p[2:] - p[:-2])
    around = ((1, 1), (0, 0))
    return np.pad(x, around), np.pad(y, around), p


def solve(a, b, c, d):
    """Thomas's algorithm along the first axis; a, b, c of d's shape."""
    def forth(state, row):
        s = row[0] * state[0] + row[1]
        return np.stack((-row[2] / s, (row[3] - row[0] * state[1]) / s))

    both = recur(forth, np.stack((d[0] * 0, d[0] * 0)), np.stack((a, b, c, d), 1))[::-1]
    return recur(lambda x, row: row[0] * x + row[1], d[0] * 0, both)[::-1]


def adi(u):
    for axis in range(2):
        u = np.swapaxes(u, 0, axis)
        d = 0.5 * u[1:-1, :-2] + 0.5 * u[1:-1, 2:]
        one = np.ones_like(d)
        u = np.swapaxes(np.pad(solve(-0.5 * one, 2 * one, -0.5 * one, d), 1), 0, axis)
    return u


def vadv(w, u, t):
    a, c = -0.25 * (w[:-1, :-1] + w[:-1, 1:]), 0.25 * (w[1:, :-1] + w[1:, 1:])
    zero = u[:1] * 0
    d = 3 * u + t - a * (np.concatenate((zero, u[:-1])) - u) - c * (np.concatenate((u[1:], zero)) - u)
    return 3 * (solve(a, 3 - a - c, c, d) - u)


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


def clipped(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def srad(p):
    j = np.exp(p)
    z = j.var() / j.mean()**2
    t = np.pad(j, 1, mode="edge")
    n, s, w, e = t[:-2, 1:-1] - j, t[2:, 1:-1] - j, t[1:-1, :-2] - j, t[1:-1, 2:] - j
    g = (n * n + s * s + w * w + e * e) / (j * j)
    m = (n + s + w + e) / j
    q = (0.5 * g - 0.0625 * m * m) / (1 + 0.25 * m)**2
    c = clipped(1 / (1 + (q - z) / (z * (1 + z))), 0, 1)
    south, east = np.concatenate((c[1:], c[-1:])), np.concatenate((c[:, 1:], c[:, -1:]), axis=1)
    return np.log(j + 0.125 * (c * n + south * s + c * w + east * e))


def hotspot_3d(t, p):
    for turn in range(2):
        x = np.pad(t, 1, mode="edge")
        t = (0.34 * t + 0.12 * (x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]) + 0.08 *
             (x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:]) + 0.12 * (x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1]) + 0.015 * p + 0.02 * 80)
    return t


def kmeans(x, c):
    m = np.argmin(((x[:, None, :] - c)**2).sum(2), 1)
    return totals(m, x, len(c)) / np.maximum(counts(m, len(c)), 1)[:, None]


def pathfinder(w):
    w = w.astype(np.int32)
    return recur(lambda p, row: np.minimum(p, np.minimum(np.concatenate((p[:1], p[:-1])), np.concatenate((p[1:], p[-1:])))) + row,
                 w[0] * 0, w)[-1]


def euler_3d(d, m, e, i, w):
    d, e = d + 1, e + 3
    v = m / d
    q = (v * v).sum(0)
    p = np.float32(0.4) * (e - np.float32(0.5) * d * q)
    c, f = np.sqrt(np.float32(1.4) * p / d) + np.sqrt(q), v * (e + p)
    rd, re, rm = 0, 0, 0
    for k in range(4):
        j = clipped(np.arange(d.shape[0]) + i[k] - 512, 0, d.shape[0] - 1)
        s, n = w[k], m[:, j]
        l = np.float32(-0.1) * np.sqrt((s * s).sum(0)) * (c + c[j])
        rd = rd + l * (d - d[j]) + np.float32(0.5) * (s * (m + n)).sum(0)
        re = re + l * (e - e[j]) + np.float32(0.5) * (s * (f + f[:, j])).sum(0)
        rm = rm + l * (m - n) + np.float32(0.5) * ((s * v).sum(0) * m + s * p + (s * v[:, j]).sum(0) * n + s * p[j])
    return rd, re, rm


def lavamd(r, q):
    n = r.shape[1]
    wide, charge = np.pad(r, ((0, 0), (1, 1), (1, 1), (1, 1), (0, 0))), np.pad(q, ((1, 1), (1, 1), (1, 1), (0, 0)))
    a = r[..., None]
    v = x = y = z = 0
    for i in range(3):
        for j in range(3):
            for k in range(3):
                b = wide[:, i:i + n, j:j + n, k:k + n, None, :]
                s = a[0] + b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3])
                p = charge[i:i + n, j:j + n, k:k + n, None, :] * np.exp(-0.5 * s)
                f = 2 * p
                v, x = v + p.sum(-1), x + (f * (a[1] - b[1])).sum(-1)
                y, z = y + (f * (a[2] - b[2])).sum(-1), z + (f * (a[3] - b[3])).sum(-1)
    return v, x, y, z


def halved(x):
    e = np.pad(x, ((0, 0), (1, 1), (1, 1)), mode="edge")
    r = (e[:, :-2:2] + 3 * (e[:, 1:-1:2] + e[:, 2::2]) + e[:, 3::2]) / 8
    return (r[:, :, :-2:2] + 3 * (r[:, :, 1:-1:2] + r[:, :, 2::2]) + r[:, :, 3::2]) / 8


def doubled(x):
    e = np.pad(x, ((0, 0), (1, 1), (0, 0)), mode="edge")
    x = np.stack((0.25 * e[:, :-2] + 0.75 * x, 0.25 * e[:, 2:] + 0.75 * x), 2).reshape(x.shape[0], 2 * x.shape[1], x.shape[2])
    e = np.pad(x, ((0, 0), (0, 0), (1, 1)), mode="edge")
    return np.stack((0.25 * e[:, :, :-2] + 0.75 * x, 0.25 * e[:, :, 2:] + 0.75 * x), 3).reshape(x.shape[0], x.shape[1],
                                                                                        2 * x.shape[2])


def local_laplacian(p):
    grays = [grey(p)[None]]
    d = grays[0] - (np.arange(4).astype(np.float32) / 3)[:, None, None]
    near = [grays[0] + d * np.exp(-8 * d * d)]
    for i in range(3):
        grays.append(halved(grays[-1]))
        near.append(halved(near[-1]))
    out = None
    for i in (3, 2, 1, 0):
        a = near[i] if i == 3 else near[i] - doubled(near[i + 1])
        t = clipped(grays[i] * 3, 0, 3)
        k = np.minimum(t.astype(np.int32), 2)
        f = t - k.astype(np.float32)
        level = (1 - f) * np.take_along_axis(a, k, 0) + f * np.take_along_axis(a, k + 1, 0)
        out = level if i == 3 else level + doubled(out)
    return p * (out / (grays[0] + 0.01))


def cubic(n):
    s = (np.arange(n // 2 * 3).astype(np.float32) + np.float32(0.5)) / np.float32(1.5) - np.float32(0.5)
    b = np.floor(s).astype(np.int32)
    t = s - b.astype(np.float32)
    u = 1 - t
    return [(w, clipped(b + k, 0, n - 1)) for w, k in
            ((((-0.5 * t + 1) * t - 0.5) * t, -1), ((1.5 * t - 2.5) * t * t + 1, 0), ((1.5 * u - 2.5) * u * u + 1, 1),
             (((-0.5 * u + 1) * u - 0.5) * u, 2))]


def resize(p):
    y = sum(w[:, None] * p[i] for w, i in cubic(p.shape[0]))
    return sum(w * y[:, i] for w, i in cubic(p.shape[1]))


def five_of(x, axis):
    n = x.shape[axis]
    e = np.pad(x, [(2, 2) if a == axis else (0, 0) for a in range(x.ndim)])
    at = lambda k: e[tuple(slice(k, k + n) if a == axis else slice(None) for a in range(x.ndim))]
    return at(0) + 4 * at(1) + 6 * at(2) + 4 * at(3) + at(4)


def bilateral_grid(p):
    rows, cols = p.shape
    y, x = np.arange(rows, dtype=np.int32)[:, None], np.arange(cols, dtype=np.int32)
    h, w = rows // 8 + 1, cols // 8 + 1
    cell = (((y + 4) // 8 * w + (x + 4) // 8) * 11 + (p * 10 + np.float32(0.5)).astype(np.int32)).reshape(-1)
    grid = np.stack((totals(cell, p.reshape(-1), h * w * 11), counts(cell, h * w * 11)), 1).reshape(h, w, 11, 2)
    for axis in (2, 1, 0):
        grid = five_of(grid, axis)
    t = p * 10
    z = np.minimum(t.astype(np.int32), 9)
    c, i, j = t - z.astype(np.float32), y // 8, x // 8
    a, b = (y % 8).astype(np.float32) / 8, (x % 8).astype(np.float32) / 8
    both = []
    for k in range(2):
        g = grid[..., k]
        at = lambda dy, dx: (1 - c) * g[i + dy, j + dx, z] + c * g[i + dy, j + dx, z + 1]
        both.append((1 - a) * ((1 - b) * at(0, 0) + b * at(0, 1)) + a * ((1 - b) * at(1, 0) + b * at(1, 1)))
    return both[0] / both[1]


def hist(p):
    r, g, b = p[0].astype(np.int32), p[1].astype(np.int32), p[2].astype(np.int32)
    y = (77 * r + 150 * g + 29 * b) >> 8
    u, v = np.float32(0.713) * (r - y).astype(np.float32), np.float32(0.564) * (b - y).astype(np.float32)
    h = np.cumsum(counts(y.reshape(-1), 256).astype(np.int32), dtype=np.int32)
    e = h[y].astype(np.float32) * np.float32(255 / (p.shape[1] * p.shape[2]))
    return clipped(np.stack((e + np.float32(1.4) * u, e - np.float32(0.711) * u - np.float32(0.343) * v,
                             e + np.float32(1.765) * v)), np.float32(0), np.float32(255))


def linear_blur(p):
    l = np.where(p <= 0.04045, p / 12.92, ((p + 0.055) / 1.055)**2.4)
    r = (l[:, :-2] + l[:, 1:-1] + l[:, 2:]) / 3
    s = (r[:, :, :-2] + r[:, :, 1:-1] + r[:, :, 2:]) / 3
    return np.where(s <= 0.0031308, s * 12.92, 1.055 * s**(1 / 2.4) - 0.055)


def azimint_hist(data, radius):
    i = np.minimum((radius / radius.max() * 1000).astype(np.int32), 999)
    return totals(i, data, 1000) / np.maximum(counts(i, 1000), 1)


def tpacf(x, y):
    x, y = x / np.sqrt((x * x).sum(1)[:, None]), y / np.sqrt((y * y).sum(1)[:, None])
    d = (x[:, None, :] * y).sum(2)
    edges = np.arange(1, 20).astype(np.float32) / np.float32(10) - 1
    return counts(np.searchsorted(edges, d.reshape(-1)), 20)


def lenet(x, u, a, v, b, p, q, r):
    for w, c in ((u, a), (v, b)):
        x = np.maximum(convolve(x, w) + c, 0)
        n, size, last = x.shape[0], x.shape[1] // 2, x.shape[3]
        x = np.amax(np.amax(x.reshape(n, size, 2, size, 2, last), 4), 2)
    x = x.reshape(x.shape[0], 256)
    return np.maximum(np.maximum(x @ p / 256, 0) @ q / 120, 0) @ r / 84


def durbin(r):
    n = r.shape[0]
    r, i = r / n, np.arange(n)

    def turn(k, state):
        y, a, b = state
        b = (1 - a * a) * b
        back = np.where(i <= k, r[np.maximum(k - i, 0)] * y, 0)
        a = -(r[k + 1] + back.sum()) / b
        return np.where(i <= k, y + a * y[np.maximum(k - i, 0)], np.where(i == k + 1, a, 0)), a, b
    return fori(n - 1, turn, (np.where(i == 0, -r[0], 0 * r), -r[0], 1 + 0 * r[0]))[0]
'''

HELPERS = ("rolled", "five", "heat", "softmax_rows", "convolve", "batch_norm", "turns", "linear", "smooth", "deriche_rows",
           "grey", "box", "woven", "right_side", "carried", "solve", "dominant", "clipped", "halved", "doubled", "cubic", "five_of")


def fori(n, turn, state):
    for k in range(n):
        state = turn(k, state)
    return state


def until(most, goes_on, turn, state):
    for k in range(most):
        if not goes_on(state):
            break
        state = turn(k, state)
    return state


def programs_of(np, put, recur, totals, fori=fori, until=until):
    """The functions by name, computing with these; totals(i, x, n): sums of the x that go to each of n places."""
    space = {"np": np, "put": put, "recur": recur, "fori": fori, "until": until, "pi": 3.141592653589793, "totals": totals,
             "counts": lambda i, n: totals(i, np.ones(len(i), np.float32), n)}
    exec(compile(SOURCE, "programs", "exec"), space)
    return {name: f for name, f in space.items()
            if callable(f) and name not in HELPERS + ("put", "recur", "fori", "until", "totals", "counts")}


def numpy_programs():
    import numpy as np

    def put(x, at, value):
        x = x.copy()
        x[at] = value
        return x

    def recur(step, state, rows):
        out = []
        for row in rows:
            state = step(state, row)
            out.append(state)
        return np.stack(out)

    def totals(i, x, n):
        if x.ndim == 1:
            return np.bincount(i, x, n).astype(x.dtype)
        return np.stack([totals(i, x[:, k], n) for k in range(x.shape[1])], 1)
    return programs_of(np, put, recur, totals)


def inputs_of(directory, name, what="in"):
    import numpy as np
    files = glob.glob(os.path.join(directory, f"{name}.{what}*.npy"))
    return [np.load(file) for file in sorted(files, key=lambda file: int(re.search(r"(\d+)\.npy$", file).group(1)))]


def worst_of(got, want):
    """The largest difference, relative to the largest magnitude; what is not the same array at all is inf."""
    import numpy as np
    if got.shape != want.shape or got.dtype.kind != want.dtype.kind:
        return np.inf
    if got.size and got.dtype.kind in "iub":
        return 0.0 if (got == want).all() else np.inf
    if not (np.isfinite(got).all() and np.isfinite(want).all()):
        return np.inf
    return float(np.max(np.abs(got - want)) / np.maximum(np.max(np.abs(want)), 1e-30)) if got.size else np.inf


def main(directory, names):
    functions, status, compared = numpy_programs(), 0, 0
    there = sorted(os.path.basename(file)[:-len(".in0.npy")] for file in glob.glob(os.path.join(directory, "*.in0.npy")))
    for name in names or there:
        if name not in functions:
            print(f"{name}: no function of this name")
            status = 1
            continue
        want = functions[name](*inputs_of(directory, name))
        got, want = inputs_of(directory, name, "out"), want if isinstance(want, tuple) else (want,)
        worst = [worst_of(g, w) for g, w in zip(got, want)] if len(got) == len(want) else [float("inf")]
        compared += len(got)
        if max(worst) > 1e-4:
            print(f"{name}: Fusor is not what NumPy computes, worst {worst}, shapes {[g.shape for g in got]} and "
                  f"{[w.shape for w in want]}")
            status = 1
    missing = sorted(set(functions) - set(there)) if not names else []
    if missing:
        print("no files of", *missing)
        status = 1
    print(f"{compared} results of {len(names or there)} programs compared with NumPy")
    return status


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:]))
