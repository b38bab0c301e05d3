/* SPDX-License-Identifier: MIT */
/* Where a load reads in the picture of a nest (fusion/nest.h), and what it takes from beyond its edges.
 *
 * A pad is there as lowering leaves it: a place that is clipped or wrapped, or sections of a paste, each with a guard
 * that says for which indices it is taken. Of a section at the low edge that goes backwards it is known that it
 * reflects, of one that stands still that it repeats the edge, of one that is nearly a picture away that it wraps: all
 * of them are then at + i, beyond the edge. A pad of constants reads inside, under its guard.
 *
 * Counter-example to reading sections where they are: the first two lines of a picture that wraps need its last two,
 * which no tile of a few lines contains. */
#include "fusion/address.h"
#include "fusion/bands_parts.h"
#include "fusion/nest.h"

bool fsr_band_is_plane(const fsr_group *group) {
    return group->kernel->ndim > 1;
}

/* ---- one axis ------------------------------------------------------------------------------------------------- */

/* Along one axis of n: for indices [from, end) the load is at `place`, and by `step` further for each next one; clips
 * and wraps: at + i of a computed place. */
typedef struct run {
    int64_t from, end, place, step, n;
    bool computed;
    fsr_beyond beyond;
} run;

static int64_t nearer(int64_t at, int64_t n) {
    return at > 0 ? at - n : at + n;
}

/* A section that goes backwards, at the edge that it is nearer to. */
static bool reflected(const run *r, int64_t *at) {
    const bool low = 2 * r->place < r->n;
    *at = (low ? 0 : 2 * (r->n - 1)) - r->place - r->from;
    return low ? r->end - 1 + *at <= 0 : r->from + *at >= r->n - 1;
}

static bool repeated(const run *r, int64_t *at) {
    *at = r->place == 0 ? 1 - r->end : r->n - 1 - r->from;
    return r->place == 0 || r->place == r->n - 1;
}

/* at + step * i, beyond what. */
static bool unbend(run *r, int64_t *at) {
    *at = r->place - r->step * r->from;
    if (r->computed)
        return true;
    if (r->end - r->from == 1 && r->step < 1) {
        r->step = 1;
        *at = r->place - r->from;
    }
    if (r->step >= 1) {
        r->beyond = r->step == 1 && 2 * *at > r->n    ? FSR_BEYOND_WRAP
                    : r->step == 1 && 2 * *at < -r->n ? FSR_BEYOND_WRAP
                                                      : FSR_BEYOND_NOTHING;
        *at = r->beyond ? nearer(*at, r->n) : *at;
        return true;
    }
    const bool back = r->step == -1;
    r->beyond = back ? FSR_BEYOND_REFLECT : FSR_BEYOND_EDGE;
    r->step = 1;
    return back ? reflected(r, at) : repeated(r, at);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t behind(const run *r, int64_t at, int64_t i) {
    return fsr_beyond_index(r->beyond, at + i, r->n) - i;
}

/* Counter-example to what wraps: it is beside what it is a picture away from, in a tile that wraps. */
static bool read_axis(run *r, int axis, fsr_band_reading *out) {
    int64_t at;
    if (r->end <= r->from || !unbend(r, &at))
        return false;
    const bool bent = r->beyond == FSR_BEYOND_EDGE || r->beyond == FSR_BEYOND_REFLECT;
    const int64_t a = bent ? behind(r, at, r->from) : at, b = bent ? behind(r, at, r->end - 1) : at;
    out->at[axis] = at;
    out->step[axis] = r->step;
    out->low[axis] = least(at, least(a, b));
    out->high[axis] = -least(-at, least(-a, -b));
    out->beyond[axis] = r->beyond;
    return true;
}

/* ---- computed places ------------------------------------------------------------------------------------------ */

/* Symbol t of the form, along the axis whose elements are `unit` apart. */
static bool is_along(const fsr_kernel *k, const fsr_form *f, int t, int64_t unit, int d, run *r) {
    enum { MOST = 1 << 30 };
    const fsr_inst *inside = &k->inst[f->value[t]];
    int dimension;
    int64_t by;
    if (f->coefficient[t] != unit || inside->kind != FSR_INST_INSIDE || f->most[t] != r->n - 1 ||
        (inside->mode != FSR_INDEX_CLIP && inside->mode != FSR_INDEX_WRAP) ||
        !fsr_value_is_moved(k, inside->arg[0], &dimension, &by) || dimension != d || r->n > MOST || r->end > MOST ||
        by > FSR_MOST_NEAR || by < -FSR_MOST_NEAR)
        return false;
    r->computed = true;
    r->step = 1;
    r->place = r->from + by;
    r->beyond = inside->mode == FSR_INDEX_CLIP ? FSR_BEYOND_EDGE : FSR_BEYOND_WRAP;
    return true;
}

/* ---- pictures ------------------------------------------------------------------------------------------------- */

static int64_t near_multiple(int64_t offset, int64_t pitch) {
    const int64_t line = offset / pitch, rest = offset % pitch;
    return line + (2 * rest > pitch) - (2 * rest < -pitch);
}

/* Of results, or by a reader, in flat order that is no picture of its own: the line is the offset's nearest multiple of
 * the pitch, also behind the end of a line. */
static bool read_flat(const fsr_group *q, const fsr_band_tile *own, int number, const fsr_form *f,
                      const fsr_band_tile *tile, fsr_band_reading *out) {
    const int last = q->kernel->ndim - 1;
    const bool plane = fsr_band_is_plane(q);
    const int64_t pitch = tile->pitch, line = near_multiple(f->offset, pitch), element = f->offset - line * pitch;
    const int64_t down = plane ? f->stride[0] / pitch : 1, along = f->stride[last];
    int64_t low, high;
    if (f->nterms || along < 1 || (tile->deep && (f->offset || own->lines != tile->lines)))
        return false;
    fsr_band_range(q, &q->kernel->inst[number], last, &low, &high);
    *out = (fsr_band_reading){
        .at = {0, line, element}, .step = {1, down, along}, .low = {0, line, element}, .high = {0, line, element}};
    out->inside =
        plane ? element + along * low >= 0 && element + along * (high - 1) < pitch : element == 0 && own->inside;
    return plane ? f->stride[0] == down * pitch && down >= 1 : along == 1 && own->pitch == pitch;
}

bool fsr_band_is_whole(const fsr_group *g, const fsr_band_tile *tile, int64_t extent[FSR_AXES]) {
    const int64_t rows = g->kernel->integer[FSR_INT_ROWS], lines = rows / tile->pitch;
    extent[FSR_AXIS_ELEMENT] = tile->pitch;
    extent[FSR_AXIS_LINE] = tile->deep ? tile->lines : lines;
    extent[FSR_AXIS_PLANE] = tile->deep ? lines / tile->lines : 1;
    return rows == extent[FSR_AXIS_PLANE] * extent[FSR_AXIS_LINE] * tile->pitch;
}

/* The run of each axis: where the load is at the first index that it takes place for. False: other dimensions lead
 * along an axis, or the axis is left. */
static bool runs_of(const fsr_group *q, const fsr_form *f, int number, const int64_t unit[FSR_AXES], run r[FSR_AXES]) {
    const fsr_kernel *k = q->kernel;
    const int skipped = FSR_AXES - k->ndim;
    int64_t place = f->offset;
    int terms = 0;
    for (int d = 0; d < k->ndim; ++d) {
        run *own = &r[skipped + d];
        fsr_band_range(q, &k->inst[number], d, &own->from, &own->end);
        own->step = f->stride[d] / unit[skipped + d];
        for (int t = 0; t < f->nterms && !f->stride[d] && !own->computed; ++t)
            terms += is_along(k, f, t, unit[skipped + d], d, own);
        if (f->stride[d] % unit[skipped + d])
            return false;
        place += f->stride[d] * own->from;
    }
    bool inside = terms == f->nterms && place >= 0;
    for (int a = 0; a < FSR_AXES; ++a) {
        const int64_t at = place / unit[a];
        place %= unit[a];
        inside = inside && (!r[a].computed || at == 0);
        r[a].place = r[a].computed ? r[a].place : at;
        const int64_t last = at + r[a].step * (r[a].end - 1 - r[a].from);
        inside = inside && at < r[a].n && (r[a].computed || (last >= 0 && last < r[a].n));
    }
    return inside;
}

/* By the axes of g's picture. */
static bool read_axes(const fsr_group *q, int number, const fsr_form *f, const fsr_band_tile *tile,
                      const int64_t extent[FSR_AXES], fsr_band_reading *out) {
    const int64_t unit[FSR_AXES] = {tile->pitch * extent[FSR_AXIS_LINE], tile->pitch, 1};
    run r[FSR_AXES];
    for (int a = 0; a < FSR_AXES; ++a)
        r[a] = (run){.end = 1, .step = 1, .n = extent[a]};
    *out = (fsr_band_reading){.inside = true};
    bool good = runs_of(q, f, number, unit, r);
    for (int a = 0; a < FSR_AXES && good; ++a)
        good = read_axis(&r[a], a, out);
    return good;
}

/* Of what is no picture of its own, under no guard, flat readings come first: what is behind the end of a line is on
 * the next one. */
bool fsr_band_reading_of(const fsr_group *q, const fsr_band_tile *own, int number, const fsr_group *g,
                         const fsr_band_tile *tile, fsr_band_reading *out) {
    const fsr_kernel *k = q->kernel;
    const fsr_form f = fsr_form_of_access(k, k->integer, k->inst[number].index);
    const bool line = k->ndim == 1 && own->pitch == k->integer[FSR_INT_ROWS];
    int64_t extent[FSR_AXES];
    if (k->stand[number].level != FSR_ROW || f.divisor != 1 || f.whole || (fsr_inst_is_late(k, number) && !f.nterms))
        return false;
    const bool whole = fsr_band_is_whole(g, tile, extent), shown = whole && (fsr_band_is_plane(q) || line);
    const bool flat = !fsr_band_is_plane(g) && !tile->deep && !line && !k->inst[number].guard;
    if (flat && read_flat(q, own, number, &f, tile, out))
        return true;
    if (shown && read_axes(q, number, &f, tile, extent, out))
        return true;
    return (!fsr_band_is_plane(g) || !fsr_band_is_plane(q)) && read_flat(q, own, number, &f, tile, out);
}
