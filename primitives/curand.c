/* SPDX-License-Identifier: MIT */
/* Numbers of cuRAND's generators: one library call (graph/sequence.h), which takes no argument.
 *
 * The call gives one row: the dimensions of a quasi-random sequence one behind the other, as cuRAND writes them; the
 * shape is a view of it. cuRAND makes normal numbers of its pseudo-random generators in pairs and refuses an odd
 * number of them, so one more is drawn than is shown. */
#include "graph/sequence.h"
#include "graph/shape.h"
#include "primitives/primitives.h"

typedef struct sequence {
    fsr_generator generator;
    fsr_sequence_draws draws;
    fsr_dtype dtype;
    uint64_t seed, offset;
} sequence;

/* What can be said before there is a shape. */
static bool is_one(const sequence *s, fsr_graph *g, fsr_site at, const char *what, fsr_node *poison) {
    if ((unsigned)s->generator >= FSR_GENERATORS)
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, what, "generator %d is none", (int)s->generator);
    else if (fsr_generator_is_quasi(s->generator) && s->seed)
        *poison = fsr_poison(g, at, FSR_ERR_VALUE, what, "a Sobol sequence has no seed: it is 0");
    else if (s->draws != FSR_SEQUENCE_BITS && s->dtype != FSR_F32 && s->dtype != FSR_F64)
        *poison = fsr_poison(g, at, FSR_ERR_DTYPE, what, "of %s there is none: f32 or f64",
                             (unsigned)s->dtype < FSR_DTYPE_COUNT ? fsr_dtype_name(s->dtype) : "what is no dtype");
    else
        return true;
    return false;
}

static fsr_node record(const sequence *s, fsr_graph *g, fsr_site at, const char *what, int64_t n, int64_t dims) {
    const int64_t word[FSR_SEQUENCE_WORDS] = {[FSR_SEQUENCE_GENERATOR] = s->generator,
                                              [FSR_SEQUENCE_DRAWS] = s->draws,
                                              [FSR_SEQUENCE_SEED] = (int64_t)s->seed,
                                              [FSR_SEQUENCE_OFFSET] = (int64_t)s->offset,
                                              [FSR_SEQUENCE_DIMS] = dims};
    const fsr_type type = {{1, {n}}, 1, {s->dtype}};
    fsr_called *called = fsr_called_words(word, FSR_SEQUENCE_WORDS);
    fsr_node handle;
    if (!called)
        return fsr_graph_no_memory(g);
    fsr_rec *rec = fsr_graph_add(g, at, what, FSR_NODE_LIBRARY, &type, &handle);
    if (!rec) {
        fsr_called_unref(called);
        return handle;
    }
    rec->library = FSR_LIBRARY_CURAND;
    rec->called = called;
    return handle;
}

static fsr_node draw(const sequence *s, fsr_graph *g, fsr_site at, const char *what, int ndim, const int64_t *dim) {
    fsr_shape shape, row;
    fsr_node poison;
    if (!is_one(s, g, at, what, &poison) || !fsr_shape_take(g, at, what, s->dtype, ndim, dim, &shape, &poison))
        return poison;
    const bool quasi = fsr_generator_is_quasi(s->generator);
    const int64_t n = fsr_shape_size(&shape);
    if (n == 0)
        return fsr_zeros_at(at, g, s->dtype, ndim, dim);
    if (quasi && (ndim < 1 || dim[0] > FSR_SEQUENCE_DIMENSIONS))
        return fsr_poison(g, at, FSR_ERR_SHAPE, what,
                          "the first extent is the number of a Sobol sequence's dimensions, 1 to %d",
                          FSR_SEQUENCE_DIMENSIONS);
    const int64_t drawn = n + (!quasi && s->draws == FSR_SEQUENCE_NORMAL ? n & 1 : 0);
    if (!fsr_shape_take(g, at, what, s->dtype, 1, &drawn, &row, &poison))
        return poison;
    fsr_node out = record(s, g, at, what, drawn, quasi ? dim[0] : 1);
    if (drawn > n)
        out = fsr_slice_at(at, out, 0, 0, n, 1);
    return fsr_reshape_at(at, out, ndim, dim);
}

fsr_node fsr_curand_bits_at(fsr_site at, fsr_graph *g, fsr_generator generator, uint64_t seed, uint64_t offset,
                            int ndim, const int64_t *shape) {
    const sequence s = {generator, FSR_SEQUENCE_BITS, fsr_generator_word(generator), seed, offset};
    return draw(&s, g, at, "curand_bits", ndim, shape);
}

fsr_node fsr_curand_uniform_at(fsr_site at, fsr_graph *g, fsr_generator generator, uint64_t seed, uint64_t offset,
                               fsr_dtype dtype, int ndim, const int64_t *shape) {
    const sequence s = {generator, FSR_SEQUENCE_UNIFORM, dtype, seed, offset};
    return draw(&s, g, at, "curand_uniform", ndim, shape);
}

fsr_node fsr_curand_normal_at(fsr_site at, fsr_graph *g, fsr_generator generator, uint64_t seed, uint64_t offset,
                              fsr_dtype dtype, int ndim, const int64_t *shape) {
    const sequence s = {generator, FSR_SEQUENCE_NORMAL, dtype, seed, offset};
    return draw(&s, g, at, "curand_normal", ndim, shape);
}
