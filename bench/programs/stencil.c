/* SPDX-License-Identifier: MIT */
/* Sweeps over grids, of NPBench, PolyBench and Parboil: each element from its neighbours. One plan holds a few turns of
 * the time loop; the suites call it hundreds of times, which changes nothing per turn. */
#include "bench/bench.h"

static const bench_workload work[] = {
    {.name = "jacobi_1d",
     .what = "NPBench, PolyBench: means of three neighbours, two turns of two sweeps",
     .ninputs = 2,
     .nouts = 2,
     .kernels = -1,
     .program = &(bench_program){.extent = {{400}, {32000}, {4000000}},
                                 .in = {{"A", BENCH_UNIFORM, "a"}, {"B", BENCH_UNIFORM_1, "a"}},
                                 .turns = 2,
                                 .text = "b = update(B, B[1:-1], 0.33333 * (A[:-2] + A[1:-1] + A[2:]));"
                                         "a = update(A, A[1:-1], 0.33333 * (b[:-2] + b[1:-1] + b[2:])); a, b"}},
    {.name = "jacobi_2d",
     .what = "NPBench, PolyBench: means of five neighbours, two sweeps",
     .ninputs = 2,
     .nouts = 2,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{60}, {2800}, {8000}},
             .in = {{"A", BENCH_UNIFORM, "aa"}, {"B", BENCH_UNIFORM_1, "aa"}},
             .text = "b = update(B, B[1:-1, 1:-1], 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] +"
                     "    A[:-2, 1:-1]));"
                     "a = update(A, A[1:-1, 1:-1], 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] +"
                     "    b[:-2, 1:-1])); a, b"}},
    {.name = "heat_3d",
     .what = "NPBench, PolyBench: diffusion in a cube, two sweeps",
     .ninputs = 2,
     .nouts = 2,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{20}, {120}, {400}},
             .in = {{"A", BENCH_UNIFORM, "aaa"}, {"B", BENCH_UNIFORM_1, "aaa"}},
             .text = "m = A[1:-1, 1:-1, 1:-1];"
                     "b = update(B, B[1:-1, 1:-1, 1:-1], 0.125 * (A[2:, 1:-1, 1:-1] - 2 * m + A[:-2, 1:-1, 1:-1]) +"
                     "    0.125 * (A[1:-1, 2:, 1:-1] - 2 * m + A[1:-1, :-2, 1:-1]) +"
                     "    0.125 * (A[1:-1, 1:-1, 2:] - 2 * m + A[1:-1, 1:-1, :-2]) + m);"
                     "n = b[1:-1, 1:-1, 1:-1];"
                     "a = update(A, A[1:-1, 1:-1, 1:-1], 0.125 * (b[2:, 1:-1, 1:-1] - 2 * n + b[:-2, 1:-1, 1:-1]) +"
                     "    0.125 * (b[1:-1, 2:, 1:-1] - 2 * n + b[1:-1, :-2, 1:-1]) +"
                     "    0.125 * (b[1:-1, 1:-1, 2:] - 2 * n + b[1:-1, 1:-1, :-2]) + n); a, b"}},
    {.name = "fdtd_2d",
     .what = "NPBench, PolyBench: an electric and a magnetic field in turn, two turns",
     .ninputs = 3,
     .nouts = 3,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{40, 50}, {1000, 1200}, {4000, 4800}},
             .in = {{"ex", BENCH_UNIFORM, "ab"}, {"ey", BENCH_UNIFORM_1, "ab"}, {"hz", BENCH_UNIFORM_2, "ab"}},
             .turns = 2,
             .text = "y = update(ey, ey[0, :], 0.5); y = update(y, y[1:, :], y[1:, :] - 0.5 * (hz[1:, :] - hz[:-1, "
                     ":]));"
                     "x = update(ex, ex[:, 1:], ex[:, 1:] - 0.5 * (hz[:, 1:] - hz[:, :-1]));"
                     "z = update(hz, hz[:-1, :-1], hz[:-1, :-1] - 0.7 * (x[:-1, 1:] - x[:-1, :-1] + y[1:, :-1] -"
                     "    y[:-1, :-1])); x, y, z"}},
    {.name = "stencil_7",
     .what = "Parboil stencil: seven points in three dimensions, two turns",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{16, 20, 24}, {64, 512, 512}, {128, 1024, 1024}},
                          .in = {{"A", BENCH_UNIFORM, "abc"}},
                          .turns = 2,
                          .text = "update(A, A[1:-1, 1:-1, 1:-1], 0.1 * (A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2] +"
                                  "    A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1] + A[2:, 1:-1, 1:-1] +"
                                  "    A[:-2, 1:-1, 1:-1]) - 0.25 * A[1:-1, 1:-1, 1:-1])"}},
    {.name = "hdiff",
     .what = "NPBench: horizontal diffusion with a limiter, of an atmosphere's model",
     .ninputs = 2,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{20, 24, 16, 16, 20}, {260, 260, 160, 256, 256}, {516, 516, 160, 512, 512}},
                          .in = {{"f", BENCH_UNIFORM, "abc"}, {"coeff", BENCH_UNIFORM_1, "dec"}},
                          .text = "lap = 4 * f[1:-1, 1:-1] - (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2]);"
                                  "dx = lap[1:, 1:-1] - lap[:-1, 1:-1]; dy = lap[1:-1, 1:] - lap[1:-1, :-1];"
                                  "fx = where(dx * (f[2:-1, 2:-2] - f[1:-2, 2:-2]) > 0, 0, dx);"
                                  "fy = where(dy * (f[2:-2, 2:-1] - f[2:-2, 1:-2]) > 0, 0, dy);"
                                  "f[2:-2, 2:-2] - coeff * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])"}},
    {.name = "lbm_d2q9",
     .what = "Parboil lbm, in two dimensions with nine velocities: collision, then streaming, one turn",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{24, 32}, {512, 512}, {2048, 2048}},
             .in = {{"F", BENCH_UNIFORM, "9ab"}},
             .text = "f = F + 1; rho = sum(f, 0); ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho;"
                     "uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho; q = 1 - 1.5 * (ux * ux + uy * uy);"
                     "a = ux + uy; b = uy - ux; s = rho / 9; d = rho / 36;"
                     "f0 = f[0] - 0.6 * (f[0] - 4 * s * q);"
                     "f1 = f[1] - 0.6 * (f[1] - s * (q + 3 * ux + 4.5 * ux * ux));"
                     "f2 = f[2] - 0.6 * (f[2] - s * (q + 3 * uy + 4.5 * uy * uy));"
                     "f3 = f[3] - 0.6 * (f[3] - s * (q - 3 * ux + 4.5 * ux * ux));"
                     "f4 = f[4] - 0.6 * (f[4] - s * (q - 3 * uy + 4.5 * uy * uy));"
                     "f5 = f[5] - 0.6 * (f[5] - d * (q + 3 * a + 4.5 * a * a));"
                     "f6 = f[6] - 0.6 * (f[6] - d * (q + 3 * b + 4.5 * b * b));"
                     "f7 = f[7] - 0.6 * (f[7] - d * (q - 3 * a + 4.5 * a * a));"
                     "f8 = f[8] - 0.6 * (f[8] - d * (q - 3 * b + 4.5 * b * b));"
                     "stack(f0, roll(f1, 1, 1), roll(f2, 1, 0), roll(f3, -1, 1), roll(f4, -1, 0), roll(roll(f5, 1, 0), "
                     "1, 1),"
                     "    roll(roll(f6, 1, 0), -1, 1), roll(roll(f7, -1, 0), -1, 1), roll(roll(f8, -1, 0), 1, 1))"}},
};

const bench_family bench_programs_stencil = {work, sizeof work / sizeof *work};
