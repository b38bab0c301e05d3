# SPDX-License-Identifier: MIT
# Functions of points, masses and signals. A part of what numpy_programs.py runs: the names that are free here are its.


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
