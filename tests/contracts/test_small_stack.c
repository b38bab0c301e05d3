/* SPDX-License-Identifier: MIT */
/* Everything on a thread of 128 KiB of stack: recording, expression strings, planning, emitting, compiling, computing,
 * plans of the caller, checking. Programs as deep as they get: chains of operations, of assignments, of reductions, of
 * stored values; brackets, calls and indices as deep as an expression may nest.
 *
 * The stack lies below a page that nobody may touch, so a program that needs more ends. */
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers put guards around every variable: code needs several times the stack. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { STACK = 1 << 20 };
#else
enum { STACK = 128 << 10 };
#endif

typedef struct job {
    void (*run)(fsr_graph *g);
    fsr_graph *g;
} job;

static void *run_job(void *arg) {
    job *j = arg;
    j->run(j->g);
    return NULL;
}

static void on_small_stack(void (*run)(fsr_graph *g)) {
    job j = {run, subject_g};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_job, &j), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}

static fsr_node data(int64_t rows, int64_t columns) {
    return subject_data(FSR_F32, 2, SHAPE(rows, columns), SUBJECT_SMALL, 0);
}

/* Computed, explained, compiled as a plan, and checked. */
static void use(fsr_node x) {
    fsr_plan *plan;
    fsr_plan_info info;
    OK(fsr_query(&x, 1, &info));
    OK(fsr_compile(&x, 1, &plan));
    fsr_plan_free(plan);
    OK(fsr_force(x));
}

/* Long ones of square roots, whose text is short: what a compiler makes of a sine is not on this stack. */
static fsr_node chain_of(fsr_node x, int n) {
    for (int i = 0; i < n; i++)
        x = i % 3 == 0 ? fsr_add(fsr_mul(x, fsr_float(x.graph, 0.5)), fsr_float(x.graph, i))
            : n > 100  ? fsr_sqrt(x)
                       : fsr_sin(x);
    return x;
}

static void operations(fsr_graph *g) {
    (void)g;
    fsr_node x = data(3, 700);
    use(chain_of(x, 60));
    use(fsr_sum(chain_of(x, 60), AXES(1), 1, 0));
    use(chain_of(x, 190));
    fsr_node checked = chain_of(x, 60);
    fsr_verify_report report;
    OK(fsr_verify(&checked, 1, &report));
}

/* Each is stored, as the next one looks at it from elsewhere. */
static void stored_values(fsr_graph *g) {
    (void)g;
    fsr_node x = data(20, 20);
    for (int i = 0; i < 300; i++)
        x = fsr_add(x, fsr_transpose(fsr_mul(x, fsr_float(g, 0.25)), NULL));
    fsr_plan_info info;
    OK(fsr_query(&x, 1, &info));
}

static void assignments(fsr_graph *g) {
    fsr_node x = data(40, 50), y = x;
    for (int i = 0; i < 40; i++)
        y = fsr_update(y, fsr_slice(y, 0, i, i + 1, 1), fsr_mul(fsr_slice(y, 0, 39 - i, 40 - i, 1), fsr_float(g, 2)));
    fsr_node pieces[30];
    for (int i = 0; i < 30; i++)
        pieces[i] = fsr_mul(fsr_slice(x, 0, i, i + 3, 1), fsr_float(g, i));
    use(y);
    use(fsr_concat(pieces, 30, 0));
}

static void reductions(fsr_graph *g) {
    (void)g;
    fsr_node x = data(30, 700), y = x;
    for (int i = 0; i < 12; i++)
        y = fsr_sub(y, fsr_mean(fsr_abs(y), AXES(1), 1, FSR_KEEPDIMS));
    use(y);
    use(fsr_std(fsr_cumsum(fsr_cumsum(x, AXES(1), 1, 0), AXES(1), 1, 0), AXES(1), 1, 0, 1));
    use(fsr_filter(x, fsr_greater(x, fsr_float(g, 0)), fsr_float(g, 0)));
    use(fsr_logsumexp(x, AXES(0), 1, 0));
}

static char *nested(const char *open, const char *inner, const char *close, int n) {
    size_t size = (strlen(open) + strlen(close)) * (size_t)n + strlen(inner) + 1;
    char *text = calloc(1, size);
    for (int i = 0; i < n; i++)
        strcat(text, open);
    strcat(text, inner);
    for (int i = 0; i < n; i++)
        strcat(text, close);
    return text;
}

/* As deep as each may be, read and computed; and deeper, refused. */
static void expressions(fsr_graph *g) {
    static const struct {
        const char *open, *inner, *close;
        int deepest;
        bool computes;
    } cases[] = {{"(", "x", ")", 199, true},           {"-", "x", "", 199, true},
                 {"sqrt(", "x", ")", 99, true},        {"max(x, ", "x", ")", 99, true},
                 {"(x + ", "x", ")", 199, true},       {"(x + x * -", "x", ")", 99, true},
                 {"x > 0 ? x : ", "x", "", 199, true}, {"2 ** ", "x", "", 199, false},
                 {"x[0:", "1", "]", 66, false},        {"sum(x, [", "0", "])", 40, false}};
    fsr_node x = data(4, 5);
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int more = 0; more < 2; more++) {
            char *text = nested(cases[i].open, cases[i].inner, cases[i].close, more ? 2000 : cases[i].deepest);
            fsr_node y = fsr_expr(g, text, (fsr_name[]){{"x", x}}, 1);
            free(text);
            if (more)
                assert_int_equal(fsr_node_status(y), FSR_ERR_FORMAT);
            if (!more && cases[i].computes) {
                OK(fsr_node_status(y));
                OK(fsr_force(y));
            }
        }
}

static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    (void)user;
    out[0] = fsr_mul(state[0], fsr_float(state[0].graph, 0.5));
    out[1] = fsr_add(state[1], state[0]);
}

static void row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_div(chain_of(in[0], 20), fsr_sum(in[0], NULL, 0, FSR_KEEPDIMS));
}

static void callbacks(fsr_graph *g) {
    const fsr_loop loop = {halve, NULL, NULL, 2, 0};
    fsr_node x = data(6, 700), out[3], y = x;
    fsr_iterate(out, &loop, (fsr_node[]){x, fsr_float(g, 0)}, NULL, 5);
    use(fsr_cast(fsr_add(out[0], out[1]), FSR_F32));
    for (int i = 0; i < 20; i++) {
        fsr_iterate(out, &loop, (fsr_node[]){y, y}, NULL, 3);
        y = out[1];
    }
    fsr_plan_info info;
    OK(fsr_query(&y, 1, &info));
    fsr_vectorize(&y, 1, &x, 1, "(n)->(n)", row, NULL);
    use(y);
}

#define TEST_OF(name)                   \
    static void name##_(void **state) { \
        (void)state;                    \
        on_small_stack(name);           \
    }
TEST_OF(operations)
TEST_OF(stored_values)
TEST_OF(assignments)
TEST_OF(reductions)
TEST_OF(expressions)
TEST_OF(callbacks)

static const struct CMUnitTest tests[] = {SUBJECT_TEST(operations_),  SUBJECT_TEST(stored_values_),
                                          SUBJECT_TEST(assignments_), SUBJECT_TEST(reductions_),
                                          SUBJECT_TEST(expressions_), SUBJECT_TEST(callbacks_)};
SUBJECT_MAIN(tests)
