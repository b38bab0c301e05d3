# SPDX-License-Identifier: MIT
# Products of matrices, networks, statistics. A part of what numpy_programs.py runs: the names that are free here are its.


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
