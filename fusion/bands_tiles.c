/* SPDX-License-Identifier: MIT */
/* Nests on a GPU: tiles of computed values (fusion/nest.h), where they lie and when they pay.
 *
 * Of each nest the tile is what its readers need for theirs, from the host's on backwards. A load at address offset + a *
 * pitch * line + b * element reads offset's lines and elements behind: the line is the offset's nearest multiple of the
 * pitch. All readers must go on by the same steps. In flat indices that is always right; a nest whose domain has two
 * dimensions computes what is inside of them alone, so nobody may need what is beyond the end of a line.
 *
 * Nests join one by one while each spares something. Blocks wait between tiles, which makes the kernel longer by a factor
 * (`waits` of price.def); whether it pays all the same is asked once, of all nests together. Counter-example to asking of
 * each: of the five kernels of Harris corners any two are no faster as one, all five take 0.053 ms of an H200 for 0.085.
 *
 * The extents are those of a few shapes that compute least twice, where there is room for them. Counter-example to one
 * shape for all: halos of 14 lines are as much again of a tile of 16. */
#include "fusion/bands_parts.h"
#include "fusion/launch_shape.h"
#include "fusion/nest.h"
#include "fusion/target.h"
#include <math.h>

enum {
    ROOM = 24 << 10, /* bytes of a block's tiles, of which a multiprocessor then holds several blocks */
    WAVES = 2        /* blocks for each multiprocessor at least */
};

/* Lines and elements of the host's tile. The last one is for what has one line. */
static const struct {
    int high, broad;
} shapes[] = {{8, 32}, {8, 64}, {16, 32}, {16, 64}, {32, 32}, {32, 64}, {8, 128}, {16, 128}, {1, 1024}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- where a tile lies -------------------------------------------------------------------------------------- */

/* A load of a nest's result: in lines and elements, what it is beside, and how it goes on. */
typedef struct reading {
    int64_t line, element, down, along;
    bool inside; /* it stays inside of lines */
} reading;

static bool is_plane(const fsr_group *group) {
    return group->kernel->ndim == 2;
}

static int64_t near_multiple(int64_t offset, int64_t pitch) {
    const int64_t line = offset / pitch, rest = offset % pitch;
    return line + (2 * rest > pitch) - (2 * rest < -pitch);
}

static bool reading_of(const fsr_group *q, const fsr_band_tile *own, int number, int64_t pitch, reading *out) {
    const fsr_inst *load = &q->kernel->inst[number];
    const fsr_form f = fsr_form_of_access(q->kernel, q->kernel->integer, load->index);
    const int last = q->kernel->ndim - 1;
    int64_t low, high;
    if (q->kernel->stand[number].level != FSR_ROW || fsr_inst_is_late(q->kernel, number) || f.nterms ||
        f.divisor != 1 || f.whole || f.stride[last] < 1)
        return false;
    out->line = near_multiple(f.offset, pitch);
    out->element = f.offset - out->line * pitch;
    out->down = is_plane(q) ? f.stride[0] / pitch : 1;
    out->along = f.stride[last];
    fsr_band_range(q, load, last, &low, &high);
    out->inside = is_plane(q) ? out->element + out->along * low >= 0 && out->element + out->along * (high - 1) < pitch
                              : out->element == 0 && own->inside;
    return is_plane(q) ? f.stride[0] == out->down * pitch && out->down >= 1 : out->along == 1 && own->pitch == pitch;
}

/* The tile takes in what one more load needs; `first`: of the first one. */
static bool widen(fsr_band_tile *tile, const fsr_band_tile *own, const reading *r, bool first) {
    const int64_t top = r->down * own->top + r->line, left = r->along * own->left + r->element;
    const int64_t down = r->down * own->down, along = r->along * own->along;
    const int64_t bottom = top + r->down * (own->high - 1) + 1, right = left + r->along * (own->broad - 1) + 1;
    if (!first && (tile->down != down || tile->along != along))
        return false;
    const fsr_band_tile was = *tile;
    tile->down = down;
    tile->along = along;
    tile->top = first || top < was.top ? top : was.top;
    tile->left = first || left < was.left ? left : was.left;
    const int64_t end = first || bottom > was.top + was.high ? bottom : was.top + was.high;
    const int64_t side = first || right > was.left + was.broad ? right : was.left + was.broad;
    tile->high = end - tile->top;
    tile->broad = side - tile->left;
    tile->inside = (first || was.inside) && r->inside;
    return tile->high <= FSR_MOST_NEAR && tile->broad <= FSR_MOST_NEAR;
}

/* Of an array without lines of its own that a plane reads: what that goes on by, where it takes every second line with
 * every second element. */
static int64_t pitch_of_reader(const fsr_group *q, int access) {
    const fsr_form f = fsr_form_of_access(q->kernel, q->kernel->integer, access);
    return f.stride[1] > 1 && f.stride[0] % f.stride[1] == 0 ? f.stride[0] / f.stride[1] : f.stride[0];
}

/* The pitch of a group that others read: its own lines, or as its first reader goes on. */
static int64_t pitch_of(const fsr_band_chooser *c, int g) {
    const fsr_group *group = &c->p->group[g];
    if (is_plane(group))
        return group->kernel->integer[FSR_INT_EXTENT + 1];
    for (int i = c->first[g]; i < c->first[g + 1]; ++i) {
        const fsr_group *q = &c->p->group[c->reader[i]];
        for (int v = 0; v < q->kernel->ninsts; ++v)
            if (fsr_band_loads(c->p, q, q->kernel, v, g))
                return is_plane(q) ? pitch_of_reader(q, q->kernel->inst[v].index) : c->bands->tile[c->reader[i]].pitch;
    }
    return 0;
}

/* The tile of nest g for those of its readers. False: they need no such tile. */
static bool tile_of(const fsr_band_chooser *c, int g) {
    fsr_band_tile *tile = &c->bands->tile[g];
    bool any = false;
    *tile = (fsr_band_tile){.pitch = pitch_of(c, g)};
    if (tile->pitch < 1)
        return false;
    for (int i = c->first[g]; i < c->first[g + 1]; ++i) {
        const fsr_group *q = &c->p->group[c->reader[i]];
        const fsr_band_tile *own = &c->bands->tile[c->reader[i]];
        for (int v = 0; v < q->kernel->ninsts; ++v) {
            reading r;
            if (!fsr_band_loads(c->p, q, q->kernel, v, g))
                continue;
            if (!reading_of(q, own, v, tile->pitch, &r) || !widen(tile, own, &r, !any))
                return false;
            any = true;
        }
    }
    return any && (tile->inside || !is_plane(&c->p->group[g]));
}

/* The pitch of a host: its lines, or those of a nest of two dimensions, or the least distance of what it loads; else it
 * is one line. */
static int64_t host_pitch(const fsr_band_chooser *c, int host, int g) {
    const fsr_group *group = &c->p->group[host];
    const int64_t rows = group->kernel->integer[FSR_INT_ROWS];
    int64_t least = 0, before = -1;
    if (is_plane(group))
        return group->kernel->integer[FSR_INT_EXTENT + 1];
    if (is_plane(&c->p->group[g]))
        return c->p->group[g].kernel->integer[FSR_INT_EXTENT + 1];
    for (int v = 0; v < group->kernel->ninsts; ++v) {
        if (!fsr_band_loads(c->p, group, group->kernel, v, g))
            continue;
        const int64_t at =
            fsr_form_of_access(group->kernel, group->kernel->integer, group->kernel->inst[v].index).offset;
        const int64_t apart = before < 0 ? 0 : at > before ? at - before : before - at;
        least = apart && (!least || apart < least) ? apart : least;
        before = at;
    }
    return least >= shapes[SHAPES - 1].broad ? least : rows;
}

/* ---- what it costs ------------------------------------------------------------------------------------------ */

/* Places the nests of a host, with group g, around a tile of this shape. Returns the bytes of shared memory; -1: it
 * cannot be. */
static int64_t place_all(const fsr_band_chooser *c, int host, int g, int high, int broad) {
    fsr_band_tile *own = &c->bands->tile[host];
    int nest[FSR_MAX_NESTS], n = 0;
    int64_t bytes = 0;
    own->high = high;
    own->broad = broad;
    for (int i = fsr_band_first(c->bands, host, g); i >= 0 && n < FSR_MAX_NESTS;
         i = fsr_band_next(c->bands, host, i, g))
        nest[n++] = i;
    while (n-- > 0) {
        const fsr_band_tile *tile = &c->bands->tile[nest[n]];
        const fsr_kernel *k = c->p->group[nest[n]].kernel;
        if (!tile_of(c, nest[n]))
            return -1;
        for (int b = 0; b < k->narrays; ++b)
            bytes += k->array[b].written ? fsr_tile_bytes(k->array[b].dtype, tile->high * tile->broad) : 0;
    }
    return bytes;
}

/* Evaluations of a nest for each that it takes without a halo. */
static double times(const fsr_band_tile *tile, const fsr_band_tile *host) {
    return (double)tile->high * (double)tile->broad /
           ((double)tile->down * (double)host->high * (double)tile->along * (double)host->broad);
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

/* The price of the host's kernel with its nests and group `more` (-1: without), placed as they are. */
static double price_of(const fsr_band_chooser *c, int host, int more) {
    const fsr_band_tile *tile = &c->bands->tile[host];
    double sum, bytes = bytes_of(c, host, more, host, &sum);
    for (int i = fsr_band_first(c->bands, host, more); i >= 0; i = fsr_band_next(c->bands, host, i, more)) {
        double issue;
        bytes += bytes_of(c, host, more, i, &issue);
        sum += issue * times(&c->bands->tile[i], tile);
    }
    return c->prices->launch + fmax(fsr_price_moved(c->prices, bytes, c->p->footprint), sum);
}

static bool has_blocks(const fsr_group *host, int64_t pitch, int high, int broad) {
    const int64_t lines = fsr_ceil_div(host->kernel->integer[FSR_INT_ROWS], pitch);
    return fsr_size_mul(fsr_ceil_div(lines, high), fsr_ceil_div(pitch, broad)) >= WAVES * fsr_nominal_gpu.processors;
}

/* The shape that computes least twice; -1: there is no room for any. */
static int best_shape(const fsr_band_chooser *c, int host, int g) {
    const fsr_group *group = &c->p->group[host];
    const int64_t pitch = c->bands->tile[host].pitch;
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < SHAPES; ++i) {
        if ((pitch == group->kernel->integer[FSR_INT_ROWS]) != (shapes[i].high == 1) ||
            !has_blocks(group, pitch, shapes[i].high, shapes[i].broad))
            continue;
        const int64_t bytes = place_all(c, host, g, shapes[i].high, shapes[i].broad);
        double sum = 0;
        for (int n = fsr_band_first(c->bands, host, g); n >= 0 && bytes >= 0; n = fsr_band_next(c->bands, host, n, g))
            sum += times(&c->bands->tile[n], &c->bands->tile[host]);
        if (bytes < 0 || bytes > ROOM || sum >= least)
            continue;
        least = sum;
        best = i;
    }
    return best;
}

bool fsr_band_in_tiles(const fsr_band_chooser *c, int host, int g) {
    fsr_band_tile *own = &c->bands->tile[host];
    const bool any = c->bands->first[host] >= 0;
    const int high = (int)own->high, broad = (int)own->broad;
    double issue;
    if (c->p->group[host].kernel->ndim > 2 || c->p->group[g].kernel->ndim > 2)
        return false;
    if (!any)
        *own = (fsr_band_tile){.pitch = host_pitch(c, host, g), .down = 1, .along = 1, .inside = true};
    const double before = (any ? price_of(c, host, -1) : fsr_price_group(c->p, &c->p->group[host], &issue)) +
                          fsr_price_group(c->p, &c->p->group[g], &issue);
    const int shape = own->pitch >= 1 ? best_shape(c, host, g) : -1;
    if (shape >= 0) {
        place_all(c, host, g, shapes[shape].high, shapes[shape].broad);
        if (price_of(c, host, g) < (1 - c->prices->gain) * before)
            return true;
    }
    if (any)
        place_all(c, host, -1, high, broad);
    return false;
}

bool fsr_band_tiles_pay(const fsr_band_chooser *c, int host) {
    double issue, before = fsr_price_group(c->p, &c->p->group[host], &issue);
    const double launch = c->prices->launch, after = launch + c->prices->waits * (price_of(c, host, -1) - launch);
    for (int g = c->bands->first[host]; g >= 0; g = c->bands->next[g])
        before += fsr_price_group(c->p, &c->p->group[g], &issue);
    return after < (1 - c->prices->margin) * before;
}

/* ---- what the kernels say ----------------------------------------------------------------------------------- */

/* Where group q, whose tile is `own`, reads in nest g's. */
static void say_near(const fsr_bands *bands, fsr_partition *p, int q, int g) {
    fsr_group *group = &p->group[q];
    const fsr_band_tile *own = &bands->tile[q], *tile = &bands->tile[g];
    for (int v = 0; v < group->kernel->ninsts; ++v) {
        reading r;
        if (!fsr_band_loads(p, group, group->kernel, v, g) || !reading_of(group, own, v, tile->pitch, &r))
            continue;
        group->kernel->access[group->kernel->inst[v].index].near =
            (fsr_beside){.row = (int)(r.down * own->top + r.line - tile->top),
                         .column = (int)(r.along * own->left + r.element - tile->left),
                         .down = (int)r.down,
                         .along = (int)r.along};
    }
}

static void say_extents(const fsr_bands *bands, fsr_partition *p, int g) {
    p->group[g].kernel->schedule.high = (int)bands->tile[g].high;
    p->group[g].kernel->schedule.broad = (int)bands->tile[g].broad;
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
