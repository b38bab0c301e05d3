/* SPDX-License-Identifier: MIT */
/* Nests on a GPU: tiles of computed values (fusion/nest.h), where they lie and when they pay.
 *
 * Of each nest the tile is what its readers need for theirs, from the host's on backwards: where their loads read in
 * its picture (bands_reading.c), and what stands there beyond its edges. All readers must go on by the same steps, and
 * agree about what is beyond edges. A nest whose domain has two dimensions or three computes what is inside of them
 * alone, but for that: nobody may need what is behind the end of a line.
 *
 * Nests join one by one while each spares something, of the kernels' work and of what tiles take beside it: the blocks
 * that begin at once wait between nests, and hide nothing from each other, and each element is asked where it stands
 * (`begins`, `waits` and `placed` of price.def). Whether it pays is asked once more, of all nests together.
 * Counter-example to asking for a margin of each: of the five kernels of Harris corners any two are no faster as one,
 * all five take 0.053 ms of an H200 for 0.085. Counter-example to a price of each nest, however many blocks there are:
 * two turns of two fields lose by tiles on 1000 by 1200, and gain a fifth on 4000 by 4800.
 *
 * The extents are those of a few shapes that compute least twice, where there is room for them. Counter-example to one
 * shape for all: halos of 14 lines are as much again of a tile of 16. */
#include "fusion/bands_parts.h"
#include "fusion/launch_shape.h"
#include "fusion/nest.h"
#include "fusion/partition_parts.h"
#include "fusion/target.h"
#include <math.h>
#include <string.h>

enum {
    ROOM = 24 << 10, /* bytes of a block's tiles, of which a multiprocessor then holds several blocks */
    WAVES = 2        /* blocks for each multiprocessor at least */
};

/* Planes, lines and elements of the host's tile; planes 0: pictures have none. The ninth is for what has one line. */
static const struct {
    int deep, high, broad;
} shapes[] = {{0, 8, 32},   {0, 8, 64},   {0, 16, 32}, {0, 16, 64}, {0, 32, 32}, {0, 32, 64}, {0, 8, 128},
              {0, 16, 128}, {0, 1, 1024}, {4, 4, 32},  {4, 8, 32},  {8, 8, 32},  {4, 8, 64},  {8, 16, 32}};

enum { SHAPES = sizeof shapes / sizeof *shapes, LINE = 8 };

/* ---- where a tile lies -------------------------------------------------------------------------------------- */

/* The tile takes in what one more load needs; `first`: of the first one. */
static bool widen(fsr_band_tile *tile, const fsr_band_tile *own, const fsr_band_reading *r, bool first) {
    tile->inside = (first || tile->inside) && r->inside;
    for (int a = 0; a < FSR_AXES; ++a) {
        const int64_t step = r->step[a] * own->step[a], begin = r->step[a] * own->first[a];
        const int64_t low = begin + r->low[a], high = begin + r->step[a] * (own->size[a] - 1) + r->high[a] + 1;
        const int64_t end = tile->first[a] + tile->size[a];
        const fsr_beyond beyond = own->beyond[a] == FSR_BEYOND_WRAP ? own->beyond[a] : r->beyond[a];
        if ((!first && tile->step[a] != step) || (r->beyond[a] && r->beyond[a] != beyond) ||
            (beyond && tile->beyond[a] && beyond != tile->beyond[a]))
            return false;
        tile->beyond[a] = beyond ? beyond : tile->beyond[a];
        tile->step[a] = step;
        tile->first[a] = first || low < tile->first[a] ? low : tile->first[a];
        tile->size[a] = (first || high > end ? high : end) - tile->first[a];
        if (tile->size[a] > FSR_MOST_NEAR)
            return false;
    }
    return true;
}

/* Of an array without a picture of its own that a plane reads: what that goes on by, where it takes every second line
 * with every second element. False: it goes on by nothing, or backwards. */
static bool picture_of_load(const fsr_group *q, int load, fsr_band_tile *tile) {
    const fsr_form f = fsr_form_of_access(q->kernel, q->kernel->integer, q->kernel->inst[load].index);
    const int last = f.ndim - 1;
    if (f.nterms || last < 1 || f.stride[last] < 1 || f.stride[last - 1] < 1 || f.stride[0] < 1)
        return false;
    const int64_t along = f.stride[last], down = f.stride[last - 1];
    tile->pitch = along > 1 && down % along == 0 ? down / along : down;
    tile->lines = last > 1 ? f.stride[0] / down : 0;
    return true;
}

/* As one of its readers goes on, or has it itself. */
static void picture_of_readers(const fsr_band_chooser *c, int g, fsr_band_tile *tile) {
    for (int i = c->first[g]; i < c->first[g + 1]; ++i) {
        const fsr_group *q = &c->p->group[c->reader[i]];
        const fsr_band_tile *own = &c->bands->tile[c->reader[i]];
        for (int v = 0; v < q->kernel->ninsts; ++v) {
            if (!fsr_band_loads(c->p, q, q->kernel, v, g))
                continue;
            tile->pitch = own->pitch;
            tile->lines = own->lines;
            if (!fsr_band_is_plane(q) || picture_of_load(q, v, tile))
                return;
        }
    }
}

static void picture_of(const fsr_band_chooser *c, int g, fsr_band_tile *tile) {
    const fsr_kernel *k = c->p->group[g].kernel;
    if (!fsr_band_is_plane(&c->p->group[g])) {
        picture_of_readers(c, g, tile);
        return;
    }
    tile->pitch = k->integer[FSR_INT_EXTENT + k->ndim - 1];
    tile->lines = tile->deep ? k->integer[FSR_INT_EXTENT + k->ndim - 2] : 0;
}

/* Loads of one access, under several guards, read at one place of the tile. */
static bool agrees(const fsr_group *q, const fsr_band_tile *own, int load, const fsr_group *g,
                   const fsr_band_tile *tile, const fsr_band_reading *r) {
    const fsr_kernel *k = q->kernel;
    for (int v = 0; v < load; ++v) {
        fsr_band_reading other;
        if (k->inst[v].kind == FSR_INST_LOAD && k->inst[v].index == k->inst[load].index &&
            (!fsr_band_reading_of(q, own, v, g, tile, &other) || memcmp(other.at, r->at, sizeof r->at) != 0))
            return false;
    }
    return true;
}

/* The tile of nest g for those of its readers. False: they need no such tile. */
static bool tile_of(const fsr_band_chooser *c, int host, int g) {
    const fsr_group *group = &c->p->group[g];
    fsr_band_tile *tile = &c->bands->tile[g];
    int64_t extent[FSR_AXES];
    bool any = false;
    *tile = (fsr_band_tile){.deep = c->bands->tile[host].deep};
    if (fsr_band_is_plane(group) && group->kernel->ndim != (tile->deep ? FSR_AXES : FSR_AXES - 1))
        return false;
    picture_of(c, g, tile);
    if (tile->pitch < 1 || (tile->deep && tile->lines < 1))
        return false;
    for (int i = c->first[g]; i < c->first[g + 1]; ++i) {
        const fsr_group *q = &c->p->group[c->reader[i]];
        const fsr_band_tile *own = &c->bands->tile[c->reader[i]];
        for (int v = 0; v < q->kernel->ninsts; ++v) {
            fsr_band_reading r;
            if (!fsr_band_loads(c->p, q, q->kernel, v, g))
                continue;
            if (!fsr_band_reading_of(q, own, v, group, tile, &r) || !agrees(q, own, v, group, tile, &r) ||
                !widen(tile, own, &r, !any))
                return false;
            any = true;
        }
    }
    if (tile->beyond[FSR_AXIS_PLANE] || tile->beyond[FSR_AXIS_LINE] || tile->beyond[FSR_AXIS_ELEMENT])
        return any && tile->inside && fsr_band_is_whole(group, tile, extent);
    return any && (tile->inside || !fsr_band_is_plane(group));
}

/* The pitch of a host in flat order: that of a nest of planes, or the least distance of what it loads; else it is one
 * line. */
static int64_t flat_pitch(const fsr_band_chooser *c, int host, int g) {
    const fsr_group *group = &c->p->group[host];
    const fsr_kernel *nest = c->p->group[g].kernel;
    const int64_t rows = group->kernel->integer[FSR_INT_ROWS];
    int64_t least = 0, before = -1;
    if (fsr_band_is_plane(&c->p->group[g]))
        return nest->integer[FSR_INT_EXTENT + nest->ndim - 1];
    for (int v = 0; v < group->kernel->ninsts; ++v) {
        if (!fsr_band_loads(c->p, group, group->kernel, v, g))
            continue;
        const int64_t at =
            fsr_form_of_access(group->kernel, group->kernel->integer, group->kernel->inst[v].index).offset;
        const int64_t apart = before < 0 ? 0 : at > before ? at - before : before - at;
        least = apart && (!least || apart < least) ? apart : least;
        before = at;
    }
    return least >= shapes[LINE].broad ? least : rows;
}

/* The picture of a host, for its first nest; it has planes where one of the two has. */
static void host_picture(const fsr_band_chooser *c, int host, int g) {
    const fsr_kernel *k = c->p->group[host].kernel, *nest = c->p->group[g].kernel;
    fsr_band_tile *own = &c->bands->tile[host];
    *own = (fsr_band_tile){.step = {1, 1, 1}, .inside = true};
    own->deep = k->ndim == FSR_AXES || nest->ndim == FSR_AXES;
    own->pitch = k->ndim > 1 ? k->integer[FSR_INT_EXTENT + k->ndim - 1] : flat_pitch(c, host, g);
    if (own->deep)
        own->lines = (k->ndim > 1 ? k : nest)->integer[FSR_INT_EXTENT + FSR_AXIS_LINE];
}

/* ---- what it costs ------------------------------------------------------------------------------------------ */

static void take_shape(fsr_band_tile *own, int deep, int high, int broad) {
    own->size[FSR_AXIS_PLANE] = deep ? deep : 1;
    own->size[FSR_AXIS_LINE] = high;
    own->size[FSR_AXIS_ELEMENT] = broad;
}

static int64_t elements_of(const fsr_band_tile *tile) {
    return tile->size[FSR_AXIS_PLANE] * tile->size[FSR_AXIS_LINE] * tile->size[FSR_AXIS_ELEMENT];
}

/* Places the nests of a host, with group g, around its tile. Returns the bytes of shared memory; -1: it cannot be. */
static int64_t place_all(const fsr_band_chooser *c, int host, int g) {
    int nest[FSR_MAX_NESTS], n = 0;
    int64_t bytes = 0;
    for (int i = fsr_band_first(c->bands, host, g); i >= 0 && n < FSR_MAX_NESTS;
         i = fsr_band_next(c->bands, host, i, g))
        nest[n++] = i;
    while (n-- > 0) {
        const fsr_kernel *k = c->p->group[nest[n]].kernel;
        if (!tile_of(c, host, nest[n]))
            return -1;
        for (int b = 0; b < k->narrays; ++b)
            bytes += k->array[b].written ? fsr_tile_bytes(k->array[b].dtype, elements_of(&c->bands->tile[nest[n]])) : 0;
    }
    return bytes;
}

/* Evaluations of a nest for each that it takes without a halo. */
static double times(const fsr_band_tile *tile, const fsr_band_tile *host) {
    double times = (double)elements_of(tile) / (double)elements_of(host);
    for (int a = 0; a < FSR_AXES; ++a)
        times /= (double)tile->step[a];
    return times;
}

/* Bytes and operations of the group, whose results and whose arguments that are results of nests are near. */
static double bytes_of(const fsr_band_chooser *c, int host, int more, int g, double *issue) {
    const fsr_group *group = &c->p->group[g];
    bool near[FSR_MAX_BUFFERS];
    for (int b = 0; b < group->kernel->narrays; ++b) {
        const fsr_operand *operand = &group->operand[b];
        near[b] = g != host && group->kernel->array[b].written;
        for (int i = fsr_band_first(c->bands, host, more); i >= 0 && !near[b] && !operand->leaf && !operand->report;
             i = fsr_band_next(c->bands, host, i, more))
            near[b] = fsr_group_stores(&c->p->group[i], operand->link);
    }
    return fsr_price_touched(c->p, group, near, issue);
}

static int64_t blocks_of(const fsr_group *host, const fsr_band_tile *own) {
    const int64_t lines = fsr_ceil_div(host->kernel->integer[FSR_INT_ROWS], own->pitch);
    const int64_t planes = own->deep ? fsr_ceil_div(lines, own->lines) : 1;
    const int64_t rows = fsr_ceil_div(own->deep ? own->lines : lines, own->size[FSR_AXIS_LINE]);
    const int64_t blocks = fsr_size_mul(rows, fsr_ceil_div(own->pitch, own->size[FSR_AXIS_ELEMENT]));
    return fsr_size_mul(blocks, fsr_ceil_div(planes, own->size[FSR_AXIS_PLANE]));
}

static double spread_of(const fsr_group *host, const fsr_band_tile *own) {
    return fsr_price_spread(blocks_of(host, own), elements_of(own), host->kernel->integer[FSR_INT_ROWS]);
}

/* The price of the host's kernel with its nests and group `more` (-1: without), placed as they are; waits: with what
 * tiles take beside their work. */
static double price_of(const fsr_band_chooser *c, int host, int more, bool waits) {
    const fsr_band_tile *tile = &c->bands->tile[host];
    int nests = 0;
    double sum, evaluated = 1, bytes = bytes_of(c, host, more, host, &sum);
    for (int i = fsr_band_first(c->bands, host, more); i >= 0; i = fsr_band_next(c->bands, host, i, more)) {
        double issue;
        bytes += bytes_of(c, host, more, i, &issue);
        sum += issue * times(&c->bands->tile[i], tile);
        evaluated += times(&c->bands->tile[i], tile);
        ++nests;
    }
    const double spread = spread_of(&c->p->group[host], tile);
    const double elements = evaluated * spread * (double)c->p->group[host].kernel->integer[FSR_INT_ROWS];
    sum *= spread;
    const double moved = fsr_price_moved(c->prices, bytes, c->p->footprint);
    if (!waits)
        return c->prices->launch + fmax(moved, sum);
    const double takes = fmax(moved, sum + fsr_price_placed(c->prices, elements, tile->deep));
    return c->prices->launch + takes + fsr_price_waits(c->prices, nests, blocks_of(&c->p->group[host], tile));
}

/* The shape that computes least twice and leaves fewest places empty, taken; false: there is no room for any. */
static bool take_best_shape(const fsr_band_chooser *c, int host, int g) {
    const fsr_group *group = &c->p->group[host];
    fsr_band_tile *own = &c->bands->tile[host];
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < SHAPES; ++i) {
        take_shape(own, shapes[i].deep, shapes[i].high, shapes[i].broad);
        if (own->deep != (shapes[i].deep > 0) ||
            (own->pitch == group->kernel->integer[FSR_INT_ROWS]) != (shapes[i].high == 1) ||
            blocks_of(group, own) < WAVES * fsr_nominal_gpu.processors)
            continue;
        const int64_t bytes = place_all(c, host, g);
        double sum = 0;
        for (int n = fsr_band_first(c->bands, host, g); n >= 0 && bytes >= 0; n = fsr_band_next(c->bands, host, n, g))
            sum += times(&c->bands->tile[n], own) * spread_of(group, own);
        if (bytes < 0 || bytes > ROOM || sum >= least)
            continue;
        least = sum;
        best = i;
    }
    if (best < 0)
        return false;
    take_shape(own, shapes[best].deep, shapes[best].high, shapes[best].broad);
    return place_all(c, host, g) >= 0;
}

static bool has_elements(const fsr_kernel *k) {
    return k->integer[FSR_INT_ROWS] > 0;
}

/* Counter-example to domains of four dimensions: their pictures would have volumes. */
static bool are_pictures(const fsr_kernel *host, const fsr_kernel *nest) {
    return has_elements(host) && has_elements(nest) && host->ndim <= FSR_AXES && nest->ndim <= FSR_AXES &&
           (host->ndim == 1 || nest->ndim == 1 || host->ndim == nest->ndim);
}

/* The price of the host with its nests so far, and of group g. */
static double price_before(const fsr_band_chooser *c, int host, int g, bool waits) {
    double issue, before = fsr_price_group(c->p, &c->p->group[g], &issue);
    if (c->bands->first[host] >= 0)
        return before + price_of(c, host, -1, waits);
    return before + fsr_price_group(c->p, &c->p->group[host], &issue);
}

static void say_refused(const fsr_band_chooser *c, int host, int g, double apart, double joined) {
    fsr_partition_note(c->p, (fsr_note){fsr_group_first(&c->p->group[g]), fsr_group_first(&c->p->group[host]),
                                        "tiles of its values spare too little", joined, apart});
}

static bool loads_at_several(const fsr_band_chooser *c, int q, int g) {
    const fsr_group *group = &c->p->group[q];
    int places = 0;
    for (int i = 0; i < group->kernel->ninsts && places < 2; ++i)
        places += fsr_band_loads(c->p, group, group->kernel, i, g);
    return places > 1;
}

/* A nest of the tile reads g's values at several places; what is read once alone needs no tile, and no price of one. */
static bool is_read_around(const fsr_band_chooser *c, int host, int g) {
    bool around = loads_at_several(c, host, g);
    for (int q = c->bands->first[host]; q >= 0 && !around; q = c->bands->next[q])
        around = loads_at_several(c, q, g);
    return around;
}

bool fsr_band_in_tiles(const fsr_band_chooser *c, int host, int g) {
    fsr_band_tile *own = &c->bands->tile[host];
    const bool any = c->bands->first[host] >= 0;
    if (!are_pictures(c->p->group[host].kernel, c->p->group[g].kernel) || !is_read_around(c, host, g))
        return false;
    if (!any)
        host_picture(c, host, g);
    const fsr_band_tile was = *own;
    const double before = price_before(c, host, g, false), all = price_before(c, host, g, true);
    if (own->pitch >= 1 && take_best_shape(c, host, g)) {
        const double work = price_of(c, host, g, false);
        const bool spares = work < (1 - c->prices->gain) * before;
        const double whole = spares && c->p->fuel < 0 ? price_of(c, host, g, true) : work;
        if (spares && (c->p->fuel >= 0 || whole < all))
            return true;
        say_refused(c, host, g, spares ? all : before, whole);
    }
    *own = was;
    if (any)
        place_all(c, host, -1);
    return false;
}

bool fsr_band_tiles_pay(const fsr_band_chooser *c, int host) {
    double issue, before = fsr_price_group(c->p, &c->p->group[host], &issue);
    const double after = price_of(c, host, -1, true);
    for (int g = c->bands->first[host]; g >= 0; g = c->bands->next[g])
        before += fsr_price_group(c->p, &c->p->group[g], &issue);
    if (after < before)
        return true;
    for (int g = c->bands->first[host]; g >= 0; g = c->bands->next[g])
        say_refused(c, host, g, before, after);
    return false;
}

/* ---- what the kernels say ----------------------------------------------------------------------------------- */

/* Where group q, whose tile is `own`, reads in nest g's. */
static void say_near(const fsr_bands *bands, fsr_partition *p, int q, int g) {
    fsr_group *group = &p->group[q];
    const fsr_band_tile *own = &bands->tile[q], *tile = &bands->tile[g];
    for (int v = 0; v < group->kernel->ninsts; ++v) {
        fsr_band_reading r;
        if (!fsr_band_loads(p, group, group->kernel, v, g) ||
            !fsr_band_reading_of(group, own, v, &p->group[g], tile, &r))
            continue;
        fsr_beside *near = &group->kernel->access[group->kernel->inst[v].index].near;
        for (int a = tile->deep ? FSR_AXIS_PLANE : FSR_AXIS_LINE; a < FSR_AXES; ++a) {
            near->at[a] = (int)(r.step[a] * own->first[a] + r.at[a] - tile->first[a]);
            near->step[a] = (int)r.step[a];
        }
    }
}

static void say_extents(const fsr_bands *bands, fsr_partition *p, int g) {
    const fsr_band_tile *tile = &bands->tile[g];
    fsr_schedule *s = &p->group[g].kernel->schedule;
    s->deep = tile->deep ? (int)tile->size[FSR_AXIS_PLANE] : 0;
    s->high = (int)tile->size[FSR_AXIS_LINE];
    s->broad = (int)tile->size[FSR_AXIS_ELEMENT];
    memcpy(s->beyond, tile->beyond, sizeof s->beyond);
}

void fsr_band_say_tiles(const fsr_bands *bands, fsr_partition *p, int host) {
    say_extents(bands, p, host);
    for (int g = bands->first[host]; g >= 0; g = bands->next[g]) {
        say_extents(bands, p, g);
        say_near(bands, p, host, g);
        for (int q = bands->next[g]; q >= 0; q = bands->next[q])
            say_near(bands, p, q, g);
    }
}
