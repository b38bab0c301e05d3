/* SPDX-License-Identifier: MIT */
/* The edges of a picture: Sobel's two filters as sums of shifted views, their magnitude, a threshold. Views cost
 * nothing, so nine reads of neighbours are one pass over the picture.
 *
 * The picture is made here, a disc, a square and a triangle; the result is compared with plain loops, pixel by pixel.
 *
 * usage: images [picture.svg [input.pgm edges.pgm]] */
#include "examples/field.h"
#include <math.h>

enum { WIDE = 2048, HIGH = 1536, EDGE = 200, SHOWN = 16 /* pixels of the picture for one of the drawing */ };

static void make(unsigned char *p) {
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            const int dx = x - 560, dy = y - 600, disc = dx * dx + dy * dy < 380 * 380;
            const int square = x > 1100 && x < 1800 && y > 200 && y < 760;
            const int triangle = y > 900 && y < 1400 && abs(x - 1300) < (y - 900) * 3 / 4;
            p[y * WIDE + x] = (unsigned char)(disc ? 210 : square ? 150 : triangle ? 90 : 30);
        }
}

/* The picture's pixels at (row + dy, column + dx), of all that have eight neighbours. */
static fsr_node shifted(fsr_node p, int dy, int dx) {
    return fsr_slice(fsr_slice(p, 0, 1 + dy, HIGH - 1 + dy, 1), 1, 1 + dx, WIDE - 1 + dx, 1);
}

static fsr_node twice(fsr_node x) {
    return fsr_add(x, x);
}

static int record(fsr_graph *g, const void *data, fsr_node *out) {
    fsr_node p = fsr_cast(fsr_from_host(g, FSR_U8, 2, (int64_t[]){HIGH, WIDE}, data), FSR_F32);
    fsr_node right = fsr_add(fsr_add(shifted(p, -1, 1), twice(shifted(p, 0, 1))), shifted(p, 1, 1));
    fsr_node left = fsr_add(fsr_add(shifted(p, -1, -1), twice(shifted(p, 0, -1))), shifted(p, 1, -1));
    fsr_node below = fsr_add(fsr_add(shifted(p, 1, -1), twice(shifted(p, 1, 0))), shifted(p, 1, 1));
    fsr_node above = fsr_add(fsr_add(shifted(p, -1, -1), twice(shifted(p, -1, 0))), shifted(p, -1, 1));
    fsr_node gx = fsr_sub(right, left), gy = fsr_sub(below, above);
    fsr_node edge = fsr_greater(fsr_sqrt(fsr_add(fsr_mul(gx, gx), fsr_mul(gy, gy))), fsr_float(g, EDGE));
    out[0] = fsr_where(edge, fsr_cast(fsr_float(g, 255), FSR_U8), fsr_cast(fsr_float(g, 0), FSR_U8));
    out[1] = fsr_sum(edge, NULL, 0, 0); /* true counts 1 */
    return 2;
}

enum { INNER = (WIDE - 2) * (HIGH - 2) };
typedef struct result {
    unsigned char edges[INNER];
    int64_t count;
} result;

static void loops(const unsigned char *p, result *r) {
    static const int kernel[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    r->count = 0;
    for (int y = 1; y < HIGH - 1; y++)
        for (int x = 1; x < WIDE - 1; x++) {
            int gx = 0, gy = 0;
            for (int i = 0; i < 9; i++) {
                const int pixel = p[(y + i / 3 - 1) * WIDE + x + i % 3 - 1];
                gx += pixel * kernel[i / 3][i % 3];
                gy += pixel * kernel[i % 3][i / 3];
            }
            const int edge = gx * gx + gy * gy > EDGE * EDGE;
            r->edges[(y - 1) * (WIDE - 2) + x - 1] = edge ? 255 : 0;
            r->count += edge;
        }
}

static int check(const result *got, const result *expected) {
    int apart = 0;
    for (int i = 0; i < INNER; i++)
        apart += got->edges[i] != expected->edges[i];
    return field_check("pixels on an edge", (double)got->count, (double)expected->count, 0) +
           field_check("pixels that differ", apart, 0, 0);
}

/* A block's value: its first pixel's; of edges the first that is on one. */
static int block(const unsigned char *p, int wide, int x, int y, int edges) {
    int value = p[y * wide + x];
    for (int i = 0; edges && !value && i < SHOWN * SHOWN; i++)
        value = p[(y + i / SHOWN) * wide + x + i % SHOWN];
    return value;
}

/* Every block as a square of 3 by 3, equal neighbours as one bar; the ground is left out. */
static void draw_half(FILE *to, const unsigned char *p, int wide, int high, int at, int edges) {
    const int ground = edges ? 0 : 30;
    for (int y = 0; y + SHOWN <= high; y += SHOWN)
        for (int x = 0, end; x + SHOWN <= wide; x = end) {
            const int value = block(p, wide, x, y, edges), blue = edges ? 0xb2 : value;
            for (end = x + SHOWN; end + SHOWN <= wide && block(p, wide, end, y, edges) == value;)
                end += SHOWN;
            if (value != ground)
                fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"3\" fill=\"#%02x%02x%02x\"/>\n",
                        at + x / SHOWN * 3, 24 + y / SHOWN * 3, (end - x) / SHOWN * 3, edges ? 0 : value,
                        edges ? 0x72 : value, blue);
        }
}

static int draw(const char *path, const unsigned char *p, const result *r) {
    FILE *to = field_svg(path, 800, 320);
    if (to) {
        fprintf(to, "<text x=\"4\" y=\"15\">the picture</text><text x=\"414\" y=\"15\">its edges</text>\n"
                    "<rect x=\"4\" y=\"24\" width=\"384\" height=\"288\" fill=\"#1e1e1e\"/><path class=\"a\" d=\"M414 "
                    "24h380v285h-380z\"/>\n");
        draw_half(to, p, WIDE, HIGH, 4, 0);
        draw_half(to, r->edges, WIDE - 2, HIGH - 2, 414, 1);
    }
    return field_svg_end("images", path, to);
}

static int save(const char *path, const unsigned char *p, int wide, int high) {
    FILE *to = fopen(path, "wb");
    const size_t n = (size_t)wide * (size_t)high;
    const int bad = !to || fprintf(to, "P5\n%d %d\n255\n", wide, high) < 0 || fwrite(p, 1, n, to) != n;
    if ((to && fclose(to)) || bad)
        return field_fail("images", path);
    printf("written: %s\n", path);
    return 0;
}

int main(int argc, char **argv) {
    unsigned char *p = malloc(WIDE * HIGH);
    result *r = calloc(3, sizeof *r);
    int status = 1;
    if (p && r) {
        const fsr_arg fused[] = {{NULL, r[0].edges, INNER, FSR_HOST}, {NULL, &r[0].count, sizeof r->count, FSR_HOST}};
        const fsr_arg unfused[] = {{NULL, r[1].edges, INNER, FSR_HOST}, {NULL, &r[1].count, sizeof r->count, FSR_HOST}};
        make(p);
        loops(p, &r[2]);
        status = field_run("images", 1, record, p, fused) || field_run("images", 0, record, p, unfused);
        status = status || check(&r[0], &r[2]) + check(&r[1], &r[2]) > 0;
        if (!status && argc > 1)
            status = draw(argv[1], p, r);
        if (!status && argc > 3)
            status = save(argv[2], p, WIDE, HIGH) || save(argv[3], r[0].edges, WIDE - 2, HIGH - 2);
    } else {
        field_fail("images", "out of memory");
    }
    free(r);
    free(p);
    return status;
}
