/* SPDX-License-Identifier: MIT */
/* Soundness of the bounds of folds by sums of products: random rows, folded by random trees, by an arithmetic that is
 * as wrong as it may be (every result off by half a unit in the last place, upwards, downwards, outwards or at random;
 * products that underflow off by half the smallest subnormal; elements off by their radii), must stay within the
 * reference's bounds. And the bounds must be small. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend_cpu/reference/fold.h"
#include "backend_cpu/reference/majorant.h"
#include "fusor/fusor.h"
#include "tests/support/random.h"
#include "tests/support/recurrence.h"

enum { MOST = 40, ROWS = 1500, KINDS = 7 };

/* ---- operators ------------------------------------------------------------------------------------------------- */

static void matrices(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_mul(l[0], r[0]), fsr_mul(l[1], r[2]));
    out[1] = fsr_add(fsr_mul(l[0], r[1]), fsr_mul(l[1], r[3]));
    out[2] = fsr_add(fsr_mul(l[2], r[0]), fsr_mul(l[3], r[2]));
    out[3] = fsr_fma(l[2], r[1], fsr_mul(l[3], r[3]));
}

static void rotations(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_sub(fsr_mul(l[0], r[0]), fsr_mul(l[1], r[1]));
    out[1] = fsr_add(fsr_mul(l[0], r[1]), fsr_mul(l[1], r[0]));
}

static void moments(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
    out[1] = fsr_add(fsr_add(l[1], r[1]), fsr_mul(l[0], r[0]));
}

static void fused(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_neg(fsr_mul(fsr_neg(l[0]), r[0]));
    out[1] = fsr_fma(l[1], r[0], r[1]);
}

/* Two recurrences of one coefficient, one of them over half the numbers. */
static void halved(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_mul(l[0], r[0]);
    out[1] = fsr_add(fsr_mul(fsr_div(l[1], fsr_float(l[1].graph, 2)), fsr_mul(r[0], fsr_float(l[1].graph, 2))), r[1]);
}

static void compounded(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_add(l[0], r[0]), fsr_mul(l[0], r[0]));
}

static void crossed(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_mul(l[0], r[0]);
    out[1] = fsr_add(l[1], fsr_mul(r[1], l[0]));
    out[2] = fsr_sub(l[2], r[2]);
}

static void tilted(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_mul(l[0], r[0]);
    out[1] = fsr_add(l[1], fsr_mul(r[1], l[0]));
    out[1] = fsr_add(out[1], fsr_mul(l[1], r[1]));
}

static const fsr_operator fitting[] = {
    {NULL, NULL, 2, {1, 0}, false, {NULL}}, /* the linear recurrence */
    {matrices, NULL, 4, {1, 0, 0, 1}, false, {NULL}}, {rotations, NULL, 2, {1, 0}, true, {NULL}},
    {moments, NULL, 2, {0, 0}, true, {NULL}},         {fused, NULL, 2, {1, 0}, false, {NULL}},
    {halved, NULL, 2, {1, 0}, false, {NULL}},
};
enum { FITTING = sizeof fitting / sizeof *fitting };

/* An operator's program, and the graph that it lives in. */
typedef struct subject {
    fsr_graph_owner *owner;
    const fsr_combine *combine;
    fsr_ref_form form;
} subject;

static subject subject_of(fsr_operator op, fsr_dtype dtype) {
    subject s = {.owner = fsr_graph_owner_new(NULL, NULL)};
    fsr_graph *g = fsr_graph_create(s.owner);
    fsr_node in[FSR_MAX_TUPLE], out[FSR_MAX_TUPLE];
    op.body = op.body ? op.body : linear_recurrence.body;
    for (int i = 0; i < op.arity; i++)
        in[i] = fsr_input(g, (const char *[]){"a", "b", "c", "d"}[i], dtype, 1, (int64_t[]){9});
    fsr_scan_with(out, in, &op, (int[]){0}, 1, 0);
    assert_string_equal(fsr_node_error(out[0]), "");
    s.combine = fsr_graph_rec(g, out[0].id)->combine;
    fsr_ref_form_make(&s.form, s.combine);
    return s;
}

/* ---- an arithmetic as wrong as may be ------------------------------------------------------------------------- */

typedef enum manner { EXACT, UPWARDS, DOWNWARDS, OUTWARDS, RANDOM, MANNERS } manner;

typedef struct machine {
    const fsr_combine *combine;
    manner manner;
    uint64_t *state;
    long double unit, least, limit;
} machine;

static int pick(uint64_t *state, int n) {
    return (int)(random_bits(state) >> 33) % n;
}

static long double wrong(const machine *m, long double x, bool product) {
    int sign = m->manner == UPWARDS ? 1 : m->manner == DOWNWARDS ? -1 : m->manner == OUTWARDS ? (x < 0 ? -1 : 1) : 0;
    if (m->manner == RANDOM)
        sign = pick(m->state, 3) - 1;
    if (x == 0 || !isfinite(x))
        return x;
    x += sign * m->unit * fabsl(x) + (product ? sign * m->least / 2 : 0);
    return fabsl(x) >= m->limit ? copysignl(INFINITY, x) : x;
}

static void step_wrong(const machine *m, const long double *l, const long double *r, long double *out) {
    const fsr_combine *c = m->combine;
    long double v[FSR_MAX_BODY_INSTS];
    for (int i = 0; i < c->body.ninsts; i++) {
        const fsr_inst *s = &c->body.inst[i];
        const long double *x = v;
        const int *k = s->arg;
        if (s->kind == FSR_INST_PARAM)
            v[i] = s->index < c->arity ? l[s->index] : r[s->index - c->arity];
        else if (s->kind == FSR_INST_CONST)
            v[i] = (long double)fsr_value_to_double(s->dtype, s->value);
        else if (s->op == FSR_OP_NEG)
            v[i] = -x[k[0]];
        else if (s->op == FSR_OP_ADD || s->op == FSR_OP_SUB)
            v[i] = wrong(m, s->op == FSR_OP_ADD ? x[k[0]] + x[k[1]] : x[k[0]] - x[k[1]], false);
        else if (s->op == FSR_OP_MUL)
            v[i] = wrong(m, x[k[0]] * x[k[1]], true);
        else if (s->op == FSR_OP_DIV)
            v[i] = wrong(m, x[k[0]] / x[k[1]], true);
        else if (s->op == FSR_OP_FMA)
            v[i] = wrong(m, x[k[0]] * x[k[1]] + x[k[2]], true);
        else
            fail_msg("an operation that this machine does not have");
    }
    for (int p = 0; p < c->arity; p++)
        out[p] = v[c->body.result[p]];
}

/* The fold of x[0..n) by a tree of the shape: 0 from the left, 1 from the right, 2 balanced, 3 any. */
static void fold_wrong(const machine *m, int shape, long double (*x)[FSR_MAX_TUPLE], int n, long double *out) {
    long double left[FSR_MAX_TUPLE], right[FSR_MAX_TUPLE];
    if (n == 1) {
        memcpy(out, x[0], sizeof x[0]);
        return;
    }
    const int cut = shape == 0 ? n - 1 : shape == 1 ? 1 : shape == 2 ? n / 2 : 1 + pick(m->state, n - 1);
    fold_wrong(m, shape, x, cut, left);
    fold_wrong(m, shape, x + cut, n - cut, right);
    step_wrong(m, left, right, out);
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

/* An element: the ball that the reference has of it. */
static fsr_ball element_of(int kind, int p, fsr_dtype dtype, uint64_t *state) {
    const double even = (double)(random_bits(state) >> 11) * 0x1p-52 - 1, tiny = dtype == FSR_F32 ? 1e-19 : 1e-160;
    double x = 0;
    switch (kind) {
    case 0: x = pick(state, 3) - 1; break;
    case 1: x = even; break;
    case 2: x = p == 0 ? 1 + 0.01 * even : 10 * even; break;
    case 3: x = pick(state, 2) ? tiny * even : even; break;
    case 4: x = pick(state, 4) ? even : 30 * even; break;
    case 5:
        x = even * pow(tiny, (double)(pick(state, 3) - 1));
        break; /* what overflows in one tree and not in another */
    default: x = pick(state, 6) ? even : (double)pick(state, 9) - 4; break;
    }
    fsr_ball ball = fsr_ball_from_value(dtype, fsr_value_from_double(dtype, x));
    if (kind == 6 && pick(state, 3) == 0)
        ball.radius = fabs(x) * (double[]){0x1p-20, 0x1p-4, 1}[pick(state, 3)];
    return ball;
}

typedef struct tally {
    int64_t known, bounded, unknown;
    double worst; /* error over bound, the largest */
} tally;

static void check_row(const subject *s, const fsr_ball (*row)[FSR_MAX_TUPLE], int n, uint64_t *state, tally *t) {
    const fsr_combine *c = s->combine;
    const fsr_dtype dtype = fsr_combine_dtype(c, 0);
    machine m = {c, EXACT, state, fsr_ball_unit(dtype), fsr_ball_ulp(dtype, 0), fsr_ball_limit(dtype)};
    fsr_ref_majorant fold;
    fsr_ball want[FSR_MAX_TUPLE];
    fsr_ref_majorant_start(&fold, &s->form);
    for (int i = 0; i < n; i++)
        fsr_ref_majorant_push(&fold, row[i]);
    fsr_ref_majorant_get(&fold, n - 1, c->commutative ? n - 1 : fsr_ref_right_depth(n), want);
    for (int trial = 0; trial < 4 * MANNERS; trial++) {
        long double x[MOST][FSR_MAX_TUPLE], got[FSR_MAX_TUPLE];
        m.manner = (manner)(trial / 4);
        for (int i = 0; i < n; i++)
            for (int p = 0; p < c->arity; p++)
                x[i][p] = row[i][p].center + (pick(state, 3) - 1) * (long double)row[i][p].radius;
        fold_wrong(&m, trial % 4, x, n, got);
        for (int p = 0; p < c->arity; p++) {
            if (isinf(want[p].radius))
                continue;
            double error = (double)fabsl(got[p] - want[p].center);
            bool exact = want[p].radius == 0 && m.manner == EXACT;
            if (want[p].radius == 0 ? exact && error != 0 : !(error <= want[p].radius))
                fail_msg("component %d of %d elements: %.20Lg, outside %.20Lg +- %g", p, n, got[p], want[p].center,
                         want[p].radius);
            if (want[p].radius > 0)
                t->worst = fmax(t->worst, error / want[p].radius);
        }
    }
    for (int p = 0; p < c->arity; p++) {
        t->unknown += isinf(want[p].radius);
        t->known += want[p].radius == 0;
        t->bounded += want[p].radius > 0 && !isinf(want[p].radius);
    }
}

static void test_any_tree(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_F32, FSR_F64, FSR_F16, FSR_BF16};
    uint64_t seed = 1234567;
    for (int o = 0; o < FITTING; o++)
        for (int d = 0; d < 4; d++) {
            subject s = subject_of(fitting[o], dtypes[d]);
            if (!s.form.fits)
                fail_msg("operator %d of %s is refused", o, fsr_dtype_name(dtypes[d]));
            for (int kind = 0; kind < KINDS; kind++) {
                tally t = {0};
                for (int r = 0; r < ROWS / (FITTING * 4); r++) {
                    fsr_ball row[MOST][FSR_MAX_TUPLE];
                    const int n = 2 + pick(&seed, MOST - 2);
                    for (int i = 0; i < n; i++)
                        for (int p = 0; p < s.combine->arity; p++)
                            row[i][p] = element_of(kind, p, dtypes[d], &seed);
                    check_row(&s, row, n, &seed, &t);
                }
                if (kind == 0 && d < 2 && fitting[o].body != halved)
                    assert_true(t.bounded == 0 && t.unknown == 0); /* small integers: nothing is rounded */
                if (kind == 1 && d < 2)
                    assert_true(t.unknown == 0 && t.worst > 0.2);
            }
            fsr_graph_owner_free(s.owner);
        }
}

/* What is no sum of products, or not associative, or has no bound for every tree, is left to the estimates. */
static void test_what_does_not_fit(void **state) {
    (void)state;
    static const fsr_operator others[] = {{compounded, NULL, 1, {0}, true, {NULL}},
                                          {crossed, NULL, 3, {1, 0, 0}, false, {NULL}},
                                          {tilted, NULL, 2, {1, 0}, false, {NULL}}};
    for (int i = 0; i < 3; i++) {
        subject s = subject_of(others[i], FSR_F64);
        assert_false(s.form.fits);
        fsr_graph_owner_free(s.owner);
    }
    fsr_operator odd = fitting[0];
    odd.identity[0] = 2;
    subject s = subject_of(odd, FSR_F32);
    assert_false(s.form.fits);
    fsr_graph_owner_free(s.owner);
}

/* A long recurrence that forgets has a bound of a few units. */
static void test_long_rows(void **state) {
    (void)state;
    subject s = subject_of(fitting[0], FSR_F32);
    fsr_ref_majorant fold;
    fsr_ball x[FSR_MAX_TUPLE] = {{0.9f, 0, 0}, {1, 0, 0}}, out[FSR_MAX_TUPLE];
    fsr_ref_majorant_start(&fold, &s.form);
    for (int i = 0; i < 1000000; i++)
        fsr_ref_majorant_push(&fold, x);
    fsr_ref_majorant_get(&fold, 8000, fsr_ref_right_depth(1000000), out);
    assert_true(fabsl(out[1].center - 10) < 1e-5 && out[1].radius < 10 * 100 * 0x1p-24);
    assert_true(fabsl(out[0].center) < 1e-30L && out[0].radius < 1e-30);
    fsr_graph_owner_free(s.owner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_tree),
        cmocka_unit_test(test_what_does_not_fit),
        cmocka_unit_test(test_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
