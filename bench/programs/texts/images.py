# SPDX-License-Identifier: MIT
# Pictures. A part of what numpy_programs.py runs: the names that are free here are its.


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
