# SPDX-License-Identifier: MIT
# Programs over neighbours: stencils, a lattice. A part of what numpy_programs.py runs: the names that are free here are its.


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
