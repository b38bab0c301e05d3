/* SPDX-License-Identifier: MIT */
/* The verifier's rules about several nests in one kernel (fusion/nest.h). What integers say, where a band begins and
 * how far a nest reaches, is the launch's, as every address is. */
#include "fusion/loop_ir_verify.h"
#include "fusion/nest.h"
#include "fusion/outputs.h"

/* A map that may be gone along in bands, or on a GPU in tiles. */
static bool is_plain(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    if (s->kind != FSR_SCHEDULE_MAP || !fsr_kernel_may_band(k))
        return false;
    const bool shown = s->deep ? k->ndim == 1 || k->ndim == FSR_AXES : k->ndim < FSR_AXES;
    return s->target == FSR_TARGET_CPU || (s->target == FSR_TARGET_GPU && shown && s->high);
}

static bool in_tiles(const fsr_kernel *k) {
    return k->schedule.target == FSR_TARGET_GPU;
}

static int stores_of(const fsr_kernel *k, int array) {
    int n = 0;
    for (int i = 0; i < k->ninsts; i++)
        n += k->inst[i].kind == FSR_INST_STORE && k->access[k->inst[i].index].buffer == array;
    return n;
}

/* Every access is the flat one. */
static bool is_flat(const fsr_kernel *k, int array) {
    for (int a = 0; a < k->naccesses; a++)
        if (k->access[a].buffer == array && !k->access[a].linear)
            return false;
    return true;
}

/* Number `n` comes after what it reads; what it stores is stored by it alone. */
static bool check_nest_arrays(const fsr_check *v, int n) {
    const fsr_kernel *k = v->k, *own = k->nests->nest[n].kernel;
    for (int b = 0; b < own->narrays; b++) {
        const int array = k->nests->nest[n].array[b];
        if (!fsr_check_range(array, k->narrays) || k->array[array].dtype != own->array[b].dtype)
            return fsr_check_bad(v, "nest %d: b%d is no array of the kernel", n, b);
        const int producer = k->array[array].banded ? fsr_nests_producer(k, array) : -1;
        const bool stored = own->array[b].written;
        if (own->array[b].aliased || own->array[b].banded != stored || (stored && producer != n))
            return fsr_check_bad(v, "nest %d: b%d is stored, but not by this nest alone for later ones", n, b);
        if (stored && (stores_of(own, b) != 1 || !is_flat(own, b)))
            return fsr_check_bad(v, "nest %d: b%d is not stored once, in flat order", n, b);
        if (!stored && (k->array[array].written || (k->array[array].banded && (producer < 0 || producer >= n))))
            return fsr_check_bad(v, "nest %d: b%d is not there yet", n, b);
    }
    return true;
}

static bool check_nest(const fsr_check *v, int n) {
    const fsr_kernel *k = v->k;
    const fsr_nest *nest = &k->nests->nest[n];
    const fsr_kernel *own = nest->kernel;
    if (own->nests || !is_plain(own) || own->nroutines || own->schedule.target != k->schedule.target)
        return fsr_check_bad(v, "nest %d is no plain map of the kernel's target", n);
    if (!fsr_check_range(nest->integer, k->nints - own->nints + 1) ||
        !fsr_check_range(nest->reach, k->nints - fsr_nest_reach(k) + 1) ||
        !fsr_check_range(nest->scalar, k->nscalars - own->nscalars + 1))
        return fsr_check_bad(v, "nest %d: its arguments are not the kernel's", n);
    for (int s = 0; s < own->nscalars; s++)
        if (own->scalar[s] != k->scalar[nest->scalar + s])
            return fsr_check_bad(v, "nest %d: s%d has another dtype", n, s);
    return check_nest_arrays(v, n);
}

static bool check_last(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_nests *nests = k->nests;
    if (!is_plain(k))
        return fsr_check_bad(v, "the last nest is no plain map");
    if (!fsr_check_range(nests->n - 1, FSR_MAX_NESTS) || !fsr_check_range(nests->band, k->nints) ||
        !fsr_check_range(nests->bytes, k->nints))
        return fsr_check_bad(v, "%d nests in bands of i%d", nests->n, nests->band);
    for (int b = 0; b < k->narrays; b++) {
        const fsr_array *array = &k->array[b];
        if (array->aliased ||
            (array->banded && (array->written || (!in_tiles(k) && !fsr_check_range(nests->place[b], k->nints)) ||
                               fsr_nests_producer(k, b) < 0)))
            return fsr_check_bad(v, "b%d %s", b, array->aliased ? "shares memory" : "is stored by no earlier nest");
    }
    return true;
}

/* ---- tiles ---- */

/* Of a tile that wraps an element beyond the edge needs what is beside it of earlier tiles: those wrap as well. */
static bool may_read(const fsr_schedule *s, const fsr_schedule *tile) {
    bool may = true;
    for (int d = 0; d < FSR_AXES; d++)
        may = may && (s->beyond[d] != FSR_BEYOND_WRAP || tile->beyond[d] == FSR_BEYOND_WRAP);
    return may;
}

/* The load reads inside of the tile of what it reads, and memory only where that is none. */
static bool check_near(const fsr_check *v, const fsr_kernel *own, int inst, const fsr_schedule *tile) {
    const fsr_schedule *s = &own->schedule;
    const fsr_beside *near = &own->access[own->inst[inst].index].near;
    if (!tile)
        return !near->step[FSR_AXIS_LINE] || fsr_check_bad(v, "v%d of %s reads no tile", inst, own->name);
    bool said = (near->step[FSR_AXIS_PLANE] > 0) == (s->deep > 0) && may_read(s, tile), inside = true;
    for (int d = s->deep ? FSR_AXIS_PLANE : FSR_AXIS_LINE; d < FSR_AXES; d++) {
        said = said && near->step[d] >= 1 && near->at[d] >= 0;
        inside =
            inside && near->at[d] + (int64_t)near->step[d] * (fsr_tile_extent(s, d) - 1) < fsr_tile_extent(tile, d);
    }
    if (!said || fsr_access_form(own, own->inst[inst].index)->divisor)
        return fsr_check_bad(v, "v%d of %s is not said to read a tile", inst, own->name);
    return inside || fsr_check_bad(v, "v%d of %s reads outside of its tile", inst, own->name);
}

static bool is_tile(const fsr_schedule *s, const fsr_schedule *last) {
    for (int d = 0; d < FSR_AXES; d++)
        if (!fsr_check_range(fsr_tile_extent(s, d) - 1, FSR_MOST_NEAR) || !fsr_beyond_name(s->beyond[d]))
            return false;
    return s->vector == 1 && !s->tile && !s->nversions && s->threads == last->threads && s->wide == last->wide &&
           (s->deep > 0) == (last->deep > 0) && (s->deep || !s->beyond[FSR_AXIS_PLANE]);
}

/* Of the last nest (n: how many there are before it), or of one before it. */
static bool check_tile(const fsr_check *v, int n) {
    const fsr_kernel *k = v->k;
    const fsr_nest *nest = n < k->nests->n ? &k->nests->nest[n] : NULL;
    const fsr_kernel *own = nest ? nest->kernel : k;
    const fsr_schedule *s = &own->schedule;
    if (!is_tile(s, &k->schedule) || (!nest && fsr_tile_goes_beyond(s)))
        return fsr_check_bad(v, "schedule: no tile of %d by %d", s->high, s->broad);
    for (int i = 0; i < own->ninsts; i++) {
        if (own->inst[i].kind != FSR_INST_LOAD)
            continue;
        const int buffer = own->access[own->inst[i].index].buffer, array = nest ? nest->array[buffer] : buffer;
        const int producer = k->array[array].banded ? fsr_nests_producer(k, array) : -1;
        if (!check_near(v, own, i, producer < 0 ? NULL : &k->nests->nest[producer].kernel->schedule))
            return false;
    }
    return true;
}

static bool check_tiles(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    for (int n = 0; n <= k->nests->n; n++)
        if (!check_tile(v, n))
            return false;
    return fsr_tiles_bytes(k) <= FSR_SHARED_BYTES || fsr_check_bad(v, "schedule: tiles do not lie in shared memory");
}

/* ---- integers ---- */

typedef struct claims {
    const fsr_check *v;
    bool taken[FSR_MAX_INTS];
} claims;

static void take(claims *c, int slot) {
    if (slot >= 0)
        c->taken[slot] = true;
}

/* What the last nest has of its own: the first ones, and what its addresses and conditions name. */
static void take_own(claims *c) {
    const fsr_kernel *k = c->v->k;
    for (int i = 0; i < FSR_INT_EXTENT + k->ndim; i++)
        take(c, i);
    for (int f = 0; f < k->nforms; f++) {
        for (int d = 0; d < k->ndim; d++)
            take(c, k->form[f].stride[d] == FSR_STRIDE_VAR ? k->form[f].slot[d] : -1);
        for (int t = 0; t < k->form[f].nterms; t++)
            take(c, k->form[f].term[t].slot);
        take(c, k->form[f].offset);
        take(c, k->form[f].divisor);
    }
    for (int i = 0; i < k->nconditions; i++) {
        take(c, k->condition[i].extent);
        take(c, k->condition[i].step);
    }
}

/* Nobody else has these n from `first` on. */
static bool claim(claims *c, int first, int n, const char *what) {
    for (int i = first; i < first + n; i++) {
        if (c->taken[i])
            return fsr_check_bad(c->v, "%s i%d, which is something else", what, i);
        c->taken[i] = true;
    }
    return true;
}

/* Counter-example to ranges that may overlap: bands of as many indices as there are rows of a nest, once a launch of
 * other shapes fills them in. */
static bool check_integers(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_nests *nests = k->nests;
    claims c = {.v = v};
    take_own(&c);
    for (int b = 0; b < k->narrays; b++)
        if (k->array[b].banded && !in_tiles(k) && !claim(&c, nests->place[b], 1, "a band lies at"))
            return false;
    for (int i = 0; i < nests->n; i++)
        if (!claim(&c, nests->nest[i].integer, nests->nest[i].kernel->nints, "a nest's integers have") ||
            !claim(&c, nests->nest[i].reach, fsr_nest_reach(k), "a nest's reach has"))
            return false;
    return claim(&c, nests->band, 1, "bands are of") &&
           (in_tiles(k) ? !k->schedule.deep || claim(&c, nests->bytes, 1, "planes have the lines of")
                        : claim(&c, nests->bytes, 1, "bands take the bytes of"));
}

bool fsr_check_nests(const fsr_check *v) {
    const fsr_kernel *k = v->k;
    const fsr_nests *nests = k->nests;
    if (!nests)
        return true;
    if (!fsr_check_range(nests->n, FSR_MAX_NESTS + 1))
        return fsr_check_bad(v, "%d nests", nests->n);
    for (int i = 0; i < nests->n; i++)
        if (fsr_kernel_verify(nests->nest[i].kernel, v->why, v->size))
            return false;
    if (!check_last(v))
        return false;
    for (int i = 0; i < nests->n; i++)
        if (!check_nest(v, i))
            return false;
    return check_integers(v) && (!in_tiles(k) || check_tiles(v));
}
