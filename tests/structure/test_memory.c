/* SPDX-License-Identifier: MIT */
/* Memory of temporaries: the packer by itself on pseudo-random lifetimes, then whole plans: what is alive at one
 * thunk lies apart, what is dead is reused, and fusion never needs more than the unfused plan. */
#include "fusor/expr.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { ALIGN = 256, MAX_TEMPORARIES = 64 };

static const int axis0 = 0, axis1 = 1;

static uint32_t next(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static int64_t rounded(int64_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* ---- the packer ------------------------------------------------------------------------------------------ */

static fsr_temporary temporary(int64_t bytes, int first, int last) {
    return (fsr_temporary){.bytes = bytes, .first = first, .last = last, .offset = -1, .in_place_of = -1};
}

static bool apart(const fsr_temporary *a, const fsr_temporary *b) {
    bool in_time = a->last < b->first || b->last < a->first;
    return in_time || a->offset + a->bytes <= b->offset || b->offset + b->bytes <= a->offset;
}

/* The most bytes alive at one thunk: no packing needs less. */
static int64_t live_maximum(const fsr_temporary *t, int n) {
    int64_t most = 0;
    for (int i = 0; i < n; i++) {
        int64_t live = 0;
        for (int j = 0; j < n; j++)
            live += t[j].first <= t[i].first && t[i].first <= t[j].last ? rounded(t[j].bytes) : 0;
        most = live > most ? live : most;
    }
    return most;
}

/* The arena's size. */
static int64_t packed(fsr_temporary *t, int n) {
    int64_t bytes = -1;
    assert_true(fsr_memory_pack(t, n, &bytes));
    return bytes;
}

static int64_t check_packed(fsr_temporary *t, int n) {
    int64_t size = packed(t, n), end = 0;
    for (int i = 0; i < n; i++) {
        assert_true(t[i].offset >= 0 && t[i].offset % ALIGN == 0);
        assert_true(t[i].offset + t[i].bytes <= size);
        end = t[i].offset + rounded(t[i].bytes) > end ? t[i].offset + rounded(t[i].bytes) : end;
        for (int j = 0; j < i; j++)
            assert_true(apart(&t[i], &t[j]));
    }
    assert_true(size == end);
    return size;
}

static void packs_nothing(void **state) {
    (void)state;
    fsr_temporary none = temporary(0, 0, 0);
    assert_true(packed(&none, 0) == 0);
    assert_true(check_packed(&none, 1) == 0);
}

static void packs_by_hand(void **state) {
    (void)state;
    fsr_temporary chain[4] = {temporary(1000, 0, 1), temporary(1000, 1, 2), temporary(1000, 2, 3), temporary(1, 3, 4)};
    assert_true(check_packed(chain, 4) == 2048);
    assert_true(chain[2].offset == chain[0].offset);
    fsr_temporary gap[3] = {temporary(512, 0, 2), temporary(1024, 0, 0), temporary(1024, 1, 2)};
    assert_true(check_packed(gap, 3) == 1536);
    fsr_temporary all[3] = {temporary(256, 0, 9), temporary(256, 0, 9), temporary(256, 0, 9)};
    assert_true(check_packed(all, 3) == 768);
    fsr_temporary touching[2] = {temporary(256, 0, 3), temporary(256, 3, 4)};
    assert_true(check_packed(touching, 2) == 512);
}

/* An array that takes over another's memory lies where that lies, also along a chain of them. */
static void packs_in_place(void **state) {
    (void)state;
    fsr_temporary t[4] = {temporary(1024, 0, 5), temporary(1024, 1, 3), temporary(1024, 3, 5), temporary(1024, 2, 4)};
    t[1].in_place_of = 0;
    t[2].in_place_of = 1;
    assert_true(packed(t, 4) == 2048);
    assert_true(t[1].offset == t[0].offset && t[2].offset == t[0].offset);
    assert_true(t[3].offset != t[0].offset);
}

/* 2000 programs of up to 64 temporaries: always apart, never far from the live maximum, near it on average. */
static void packs_many(void **state) {
    (void)state;
    uint64_t seed = 42;
    double sum = 0, worst = 0;
    enum { PROGRAMS = 2000 };
    for (int p = 0; p < PROGRAMS; p++) {
        fsr_temporary t[MAX_TEMPORARIES];
        int n = 1 + (int)(next(&seed) % MAX_TEMPORARIES), thunks = 1 + (int)(next(&seed) % 50);
        bool equal = next(&seed) % 2;
        for (int i = 0; i < n; i++) {
            int first = (int)(next(&seed) % (uint32_t)thunks), life = (int)(next(&seed) % 10);
            t[i] = temporary(equal ? 4096 : (int64_t)(next(&seed) % 100000), first, first + life);
        }
        int64_t size = check_packed(t, n), live = live_maximum(t, n);
        assert_true(size >= live);
        double ratio = live ? (double)size / (double)live : 1;
        worst = ratio > worst ? ratio : worst;
        sum += ratio;
    }
    if (worst > 1.6 || sum / PROGRAMS > 1.06)
        fail_msg("the arena is %.3f times the live maximum on average, %.3f at worst", sum / PROGRAMS, worst);
}

/* The order of the list is no matter of luck: the same program packs to the same offsets. */
static void packs_the_same(void **state) {
    (void)state;
    fsr_temporary a[MAX_TEMPORARIES], b[MAX_TEMPORARIES];
    uint64_t seed = 7;
    for (int i = 0; i < MAX_TEMPORARIES; i++)
        a[i] = b[i] = temporary(1 + (int64_t)(next(&seed) % 5) * 1000, i, i + (int)(next(&seed) % 8));
    assert_true(packed(a, MAX_TEMPORARIES) == packed(b, MAX_TEMPORARIES));
    for (int i = 0; i < MAX_TEMPORARIES; i++)
        assert_true(a[i].offset == b[i].offset);
}

/* ---- whole plans ------------------------------------------------------------------------------------------- */

static int block_of(const fsr_program *p, int t) {
    while (p->temporary[t].in_place_of >= 0)
        t = p->temporary[t].in_place_of;
    return t;
}

/* Where what use a of a thunk is of begins and ends in the arena; false if it is no temporary. */
static bool place(const fsr_program *p, int thunk, int a, int64_t *begin, int64_t *end) {
    fsr_slot slot = p->thunk[thunk].use[a].slot;
    if (slot.kind != FSR_SLOT_TEMPORARY)
        return false;
    *begin = p->temporary[slot.ordinal].offset;
    *end = *begin + p->temporary[slot.ordinal].bytes;
    return true;
}

/* Within a thunk two arrays share memory only if the kernel was told. */
static void check_thunk_arrays(const fsr_program *p, int thunk) {
    const fsr_kernel *k = p->thunk[thunk].kernel;
    int64_t begin[2], end[2];
    for (int a = 0; a < p->thunk[thunk].nuses; a++)
        for (int b = 0; b < a; b++) {
            if (!place(p, thunk, a, &begin[0], &end[0]) || !place(p, thunk, b, &begin[1], &end[1]))
                continue;
            bool overlap = begin[0] < end[1] && begin[1] < end[0];
            assert_true(!overlap ||
                        (k && a < k->narrays && k->array[a].aliased && k->array[b].aliased && begin[0] == begin[1]));
        }
}

/* The arena as it is at run time: each byte range remembers which temporary wrote it last. */
static void check_contents(const fsr_program *p) {
    for (int thunk = 0; thunk < p->nthunks; thunk++)
        for (int a = 0; a < p->thunk[thunk].nuses; a++) {
            int64_t begin, end, other_begin, other_end;
            if (p->thunk[thunk].use[a].written || !place(p, thunk, a, &begin, &end))
                continue;
            int mine = p->thunk[thunk].use[a].slot.ordinal, written_at = p->temporary[mine].first;
            for (int s = written_at; s < thunk; s++)
                for (int b = 0; b < p->thunk[s].nuses; b++) {
                    bool other = p->thunk[s].use[b].slot.ordinal != mine && p->thunk[s].use[b].written;
                    if (other && place(p, s, b, &other_begin, &other_end))
                        assert_true(other_end <= begin || end <= other_begin);
                }
        }
}

static fsr_plan_info check_memory(const fsr_node *outs, int n, plan_knobs knobs) {
    fsr_program p = plan_make(&target_gpu, outs, n, knobs);
    for (int i = 0; i < p.nthunks; i++)
        check_thunk_arrays(&p, i);
    check_contents(&p);
    for (int t = 0; t < p.ntemporaries; t++)
        assert_true(p.temporary[t].offset + p.temporary[t].bytes <= p.arena_bytes && block_of(&p, t) <= t);
    fsr_plan_info info = p.info;
    fsr_program_clear(&p);
    return info;
}

/* The rule of the design: at most the unfused plan's peak, and state of tiles. */
static void check_peak(const fsr_node *outs, int n) {
    fsr_plan_info fused = check_memory(outs, n, (plan_knobs){0});
    fsr_plan_info unfused = check_memory(outs, n, (plan_knobs){.unfused = true});
    int64_t tiles = fused.bytes_min / 64 + (4 << 20);
    if (fused.peak_bytes > unfused.peak_bytes + tiles)
        fail_msg("fused %lld bytes, unfused %lld", (long long)fused.peak_bytes, (long long)unfused.peak_bytes);
}

/* Unfused, a chain needs no more than two arrays at once, however long it is. */
static void chain_reuses(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 20);
    for (int i = 0; i < 30; i++)
        x = fsr_exp(x);
    fsr_plan_info info = check_memory(&x, 1, (plan_knobs){.unfused = true});
    assert_int_equal(info.temporaries, 29);
    assert_true(info.peak_bytes <= 3 * (4 << 20));
    check_peak(&x, 1);
}

/* Each thunk of the chain reads its array from both ends: nothing can be written in place. */
static void flipped_chain_keeps_apart(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 20);
    for (int i = 0; i < 30; i++)
        x = fsr_add(x, fsr_flip(x, 0));
    fsr_program p = plan_make(&target_gpu, &x, 1, (plan_knobs){.unfused = true});
    for (int t = 0; t < p.ntemporaries; t++)
        assert_int_equal(p.temporary[t].in_place_of, -1);
    assert_true(p.arena_bytes == 2 * (4 << 20));
    check_contents(&p);
    fsr_program_clear(&p);
}

static void plain_chain_is_in_place(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 20);
    for (int i = 0; i < 30; i++)
        x = fsr_exp(x);
    fsr_program p = plan_make(&target_gpu, &x, 1, (plan_knobs){.unfused = true});
    assert_true(p.arena_bytes == 4 << 20);
    fsr_program_clear(&p);
}

/* z dies in the kernel that also stores 2 * x. The store comes before z + x loads z, so it must not take z's place. */
static void stored_before_loaded(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 4000), z = fsr_hint_set(fsr_cumsum(x, (int[]){0}, 1, 0), FSR_HINT_MATERIALIZE);
    fsr_node twice = fsr_hint_set(fsr_mul(x, fsr_float(g, 2)), FSR_HINT_MATERIALIZE);
    fsr_node out[2] = {fsr_add(twice, fsr_float(g, 1)), fsr_add(z, x)};
    fsr_program p = plan_of(&target_gpu, out, 2);
    bool seen = false;
    for (int s = 0; s < p.nthunks; s++) {
        const fsr_kernel *k = p.thunk[s].kernel;
        bool loaded[FSR_MAX_BUFFERS] = {false};
        for (int i = 0; k && i < k->ninsts; i++) {
            int64_t begin[2], end[2];
            if (k->inst[i].kind != FSR_INST_STORE && k->inst[i].kind != FSR_INST_LOAD)
                continue;
            int own = k->access[k->inst[i].index].buffer;
            loaded[own] |= k->inst[i].kind == FSR_INST_LOAD;
            for (int a = 0; k->inst[i].kind == FSR_INST_STORE && a < k->narrays; a++)
                if (a != own && !k->array[a].written && place(&p, s, a, &begin[0], &end[0]) &&
                    place(&p, s, own, &begin[1], &end[1])) {
                    seen = true;
                    assert_true(loaded[a] || begin[0] >= end[1] || begin[1] >= end[0]);
                }
        }
    }
    fsr_program_clear(&p);
    assert_true(seen);
}

static void peak_of_softmax(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 4096, 4096), e = fsr_exp(fsr_sub(x, fsr_max(x, &axis1, 1, FSR_KEEPDIMS)));
    fsr_node s = fsr_div(e, fsr_sum(e, &axis1, 1, FSR_KEEPDIMS));
    check_peak(&s, 1);
    fsr_node out[2] = {s, fsr_sum(s, &axis0, 1, 0)};
    check_peak(out, 2);
}

static void peak_of_long_softmax(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 24), e = fsr_exp(fsr_sub(x, fsr_max(x, NULL, 0, 0)));
    fsr_node s = fsr_div(e, fsr_sum(e, NULL, 0, 0));
    check_peak(&s, 1);
}

static void peak_of_scans(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 22), c = fsr_cumsum(x, (int[]){0}, 1, 0);
    fsr_node d = fsr_sub(fsr_slice(c, 0, 100, FSR_SLICE_END, 1), fsr_slice(c, 0, 0, -100, 1));
    fsr_node out[2] = {fsr_exp(d), fsr_max(d, NULL, 0, 0)};
    check_peak(out, 2);
}

/* Many scans, whose sum is needed at the end: siblings in one kernel keep all their results alive at once; one after
 * the other each result could be added and forgotten. */
static void peak_of_sibling_scans(void **state) {
    (void)state;
    fsr_node x = plan_vector(g, 1 << 22), sum = x;
    for (int i = 0; i < 12; i++)
        sum = fsr_add(sum, fsr_flip(fsr_cumsum(fsr_mul(x, fsr_float(g, i + 2)), (int[]){0}, 1, 0), 0));
    check_peak(&sum, 1);
}

/* Four means of 3 by 3, the border kept by its edge: what they store to spare time is too much at first, and no cut
 * helps. Fewer stores do. */
static void stencils_stay_fused(void **state) {
    (void)state;
    static const int64_t border[2][2] = {{1, 1}, {1, 1}};
    static const char mean[] = "v = p[:-2] + 2 * p[1:-1] + p[2:]; (v[:, :-2] + 2 * v[:, 1:-1] + v[:, 2:]) / 16";
    fsr_node x = plan_matrix(g, 1536, 2560);
    for (int i = 0; i < 4; i++)
        x = fsr_expr(g, mean, (fsr_name[]){{"p", fsr_pad(x, border, FSR_PAD_EDGE, 0)}}, 1);
    check_peak(&x, 1);
    fsr_plan_info fused = check_memory(&x, 1, (plan_knobs){0});
    assert_true(fused.fusions > 0 && fused.kernels <= 12);
}

/* Pseudo-random programs over vectors and flips, with hints: every plan is checked, fused and not. */
static void random_programs(void **state) {
    (void)state;
    uint64_t seed = 2024;
    for (int p = 0; p < 60; p++) {
        fsr_node value[40], out[3];
        int n = 0;
        value[n++] = plan_vector(g, 4096);
        value[n++] = plan_vector(g, 4096);
        while (n < 40) {
            fsr_node a = value[next(&seed) % (uint32_t)n], b = value[next(&seed) % (uint32_t)n];
            uint32_t kind = next(&seed) % 6;
            value[n] = kind == 0   ? fsr_exp(a)
                       : kind == 1 ? fsr_add(a, fsr_flip(b, 0))
                       : kind == 2 ? fsr_cumsum(a, (int[]){0}, 1, 0)
                       : kind == 3 ? fsr_sub(a, fsr_sum(b, NULL, 0, 0))
                                   : fsr_mul(a, b);
            if (next(&seed) % 4 == 0)
                fsr_hint_set(value[n], FSR_HINT_MATERIALIZE);
            n++;
        }
        for (int i = 0; i < 3; i++)
            out[i] = value[n - 1 - (int)(next(&seed) % 10)];
        check_memory(out, 3, (plan_knobs){0});
        check_memory(out, 3, (plan_knobs){.unfused = true});
        check_memory(out, 3, (plan_knobs){.fueled = true, .fuel = p});
    }
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(packs_nothing),
        T(packs_by_hand),
        T(packs_in_place),
        T(packs_many),
        T(packs_the_same),
        T(chain_reuses),
        T(flipped_chain_keeps_apart),
        T(plain_chain_is_in_place),
        T(stored_before_loaded),
        T(peak_of_softmax),
        T(peak_of_long_softmax),
        T(peak_of_scans),
        T(peak_of_sibling_scans),
        T(stencils_stay_fused),
        T(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
