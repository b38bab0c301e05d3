/* SPDX-License-Identifier: MIT */
/* Programs planned for a GPU on which values are computed for tiles: one kernel of several nests, whose generated CUDA
 * is run on the host. */
#include "fusor/expr.h"
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

/* The work of a value that is read at neighbours, so that who reads it does not compute it anew: exact, and for each
 * element another number. */
enum { STEPS = 48, LESS = 24, ROOM = 8192 };

/* Puts the text into out, each `#e` as such work on e. */
static void expand(const char *text, int steps, char out[ROOM]) {
    size_t n = 0;
    for (const char *at = text; *at; at++) {
        if (*at != '#') {
            n += (size_t)snprintf(out + n, ROOM - n, "%c", *at);
            continue;
        }
        at++;
        for (int i = 0; i < steps; i++)
            n += (size_t)snprintf(out + n, ROOM - n, "%c = sqrt(%c * %c + 1.5);", *at, *at, *at);
    }
    assert_true(n < ROOM);
}

/* One kernel, of so many nests, that gives what the interpreter gives. */
static void check_of(const char *text, int steps, fsr_node a, int nests) {
    fsr_name name = {"a", a};
    char all[ROOM];
    expand(text, steps, all);
    const host_plan p = host_plan_check_tiles(g, fsr_expr(g, all, &name, 1));
    if (p.nests != nests)
        fail_msg("%s of %lld rows: %d nests", text, (long long)fsr_node_dim(a, 0), p.nests);
}

static void check_steps(const char *text, int steps, int64_t rows, int64_t cols, int nests) {
    fsr_node a = rows ? fsr_input(g, "a", FSR_F32, 2, SHAPE(rows, cols)) : fsr_input(g, "a", FSR_F32, 1, SHAPE(cols));
    check_of(text, steps, a, nests);
}

static void check(const char *text, int64_t rows, int64_t cols, int nests) {
    check_steps(text, STEPS, rows, cols, nests);
}

/* What is read in both directions: whoever stores goes along one flat dimension or along two, as who reads does. */
static void neighbours(void **state) {
    (void)state;
    check("e = a[:-2,:] + a[2:,:]; #e e[:,:-2] + e[:,1:-1] * e[:,2:]", 289, 258, 2);
    check("e = a[:,:-2] + a[:,2:]; #e e[:-2,:] + e[1:-1,:] * e[2:,:]", 259, 321, 2);
    check("e = a * a; #e e[:-4,1:-1] + e[2:-2,:-2] * e[4:,2:]", 321, 290, 2);
}

/* A chain, whose first value the last nest reads as well; and every other element, along both. */
static void chains(void **state) {
    (void)state;
    check("e = a[:-2,1:-1] + a[2:,:-2]; #e f = e[:-2,1:-1] * 0.01 + e[1:-1,:-2] + e[2:,2:]; #f"
          "f[:-2,1:-1] + f[1:-1,:-2] * f[2:,2:] + e[2:-2,2:-2]",
          300, 290, 3);
    check_steps("e = a * a; #e t = e[:-2:2,:-2:2] * e[:-2:2,1:-1:2] + e[:-2:2,2::2];"
                "u = e[1:-1:2,:-2:2] * e[1:-1:2,1:-1:2] + e[1:-1:2,2::2];"
                "v = e[2::2,:-2:2] * e[2::2,1:-1:2] + e[2::2,2::2]; t + u * v",
                28, 603, 601, 2);
}

/* Where there is one line alone, tiles are of one line. */
static void lines(void **state) {
    (void)state;
    check("e = a * a; #e e[:-7] + e[3:-4] * e[7:]", 0, 271361, 2);
}

/* A border of zeros: loads of the tile under guards. */
static void borders(void **state) {
    (void)state;
    check("e = a * a; #e p = pad(e, [2, 1, 1, 3]); p[:-3,1:-3] + p[1:-2,:-4] * p[3:,4:]", 300, 310, 2);
}

/* Borders that repeat the edge, wrap or reflect: tiles that hold what is beyond edges. A chain of two, whose first tile
 * is computed beyond edges as well; borders of several widths, wider than a block is high at the last block's end. */
static void pads(void **state) {
    (void)state;
    static const char *const mode[] = {"edge", "wrap", "reflect", "symmetric"};
    char text[600];
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
        snprintf(text, sizeof text,
                 "e = a * a; #e p = pad(e, [2, 1, 1, 3], mode=%s); p[:-3,1:-3] + p[1:-2,:-4] * p[3:,4:]", mode[i]);
        check(text, 289, 257, 2);
        snprintf(text, sizeof text,
                 "e = a * a; #e p = pad(e, [1, 1, 2, 2], mode=%s); f = p[:-2,2:-2] * 0.01 + p[2:,:-4] + p[1:-1,4:]; #f"
                 "q = pad(f, [2, 2, 1, 1], mode=%s); q[:-4,1:-1] + q[4:,:-2] * q[2:-2,2:]",
                 mode[i], mode[i]);
        check(text, 290, 259, 3);
    }
}

/* Three dimensions: pictures of planes; inside, behind borders, and of what is stored in flat order. */
static void volumes(void **state) {
    (void)state;
    static const char *const mode[] = {"constant", "edge", "wrap", "reflect"};
    fsr_node a = fsr_input(g, "a", FSR_F32, 3, SHAPE(33, 42, 67)), b = fsr_input(g, "b", FSR_F32, 3, SHAPE(38, 42, 99));
    char text[700];
    check_of("e = a[:-2,1:-1,1:-1] + a[2:,:-2,2:]; #e e[:-2,1:-1,:-2] + e[2:,:-2,1:-1] * e[1:-1,2:,2:] + e[2:,1:-1,2:]"
             "+ e[1:-1,1:-1,1:-1] * e[:-2,2:,2:] + e[2:,2:,:-2]",
             LESS, b, 2);
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
        snprintf(
            text, sizeof text,
            "e = a * a; #e p = pad(e, [2, 2, 1, 1, 1, 2], mode=%s); p[:-4,1:-1,2:-1] + p[2:-2,:-2,1:-2] * p[4:,2:,3:]"
            "+ p[3:-1,1:-1,:-3] * p[4:,2:,1:-2] + p[:-4,:-2,1:-2] * p[2:-2,1:-1,3:]",
            mode[i]);
        check_of(text, LESS, a, 2);
    }
}

/* Elements of two bytes, and of eight. */
static void types(void **state) {
    (void)state;
    check("e = a * a; #e e = f16(e); f32(e[:-2,1:-1]) + f32(e[1:-1,:-2]) * f32(e[2:,2:])", 300, 310, 2);
    check("e = f64(a); #e f32(e[:-2,1:-1] + e[1:-1,:-2] * e[2:,2:])", 300, 310, 2);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(neighbours), TEST(chains),  TEST(lines), TEST(borders),
                                       TEST(pads),       TEST(volumes), TEST(types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
