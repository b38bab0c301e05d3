# SPDX-License-Identifier: MIT
# Flows, systems of equations, heat, clusters. A part of what numpy_programs.py runs: the names that are free here are its.


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
