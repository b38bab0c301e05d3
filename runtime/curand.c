/* SPDX-License-Identifier: MIT */
/* Sequences of cuRAND's generators.
 *
 * A generator of cuRAND has a state; a node has none. So seed and offset are set before each use, which makes cuRAND
 * begin anew there. Its pseudo-random generators deal their sequence out to threads in an order that may be chosen: the
 * one called "legacy" is the same in every version, and on the host. Counter-example to the default: elements would
 * change with cuRAND's version, and with the number of multiprocessors. */
#include "runtime/curand.h"
#include "graph/floats.h"
#include "runtime/libraries.h"
#include "runtime/shared_library.h"

enum { LEGACY = 103, QUASI = 201, NO_MEMORY = 102 };

static const int type_of[FSR_GENERATORS] = {
    [FSR_XORWOW] = 101,  [FSR_MRG32K3A] = 121,         [FSR_SOBOL32] = 201, [FSR_SCRAMBLED_SOBOL32] = 202,
    [FSR_SOBOL64] = 203, [FSR_SCRAMBLED_SOBOL64] = 204};

fsr_status fsr_curand_load(fsr_curand *c, fsr_fault *fault) {
    static const char *const file[] = {FSR_CUDA_PLACES("libcurand.so.10"), NULL};
#define FSR_CURAND_FUNCTION(name, parameters) {"curand" #name, &c->name},
    const fsr_shared_function function[] = {FSR_CURAND_LIST(FSR_CURAND_FUNCTION){NULL, NULL}};
#undef FSR_CURAND_FUNCTION
    if (!c->library)
        c->library = fsr_shared_library_load(file, function, NULL, NULL);
    return c->library ? FSR_OK
                      : fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                                      "library call curand: there is no libcurand.so.10; fsr_random_bits and its "
                                      "kin need no library");
}

fsr_status fsr_curand_told(const fsr_curand *c, int status, const char *what, fsr_fault *fault) {
    const bool memory = status == NO_MEMORY;
    const fsr_status is = !memory ? FSR_ERR_DEVICE : c->host ? FSR_ERR_MEMORY : FSR_ERR_DEVICE_MEMORY;
    return !status ? FSR_OK
                   : fsr_fault_set(fault, is, "library call curand: %s gave status %d%s", what, status,
                                   memory ? ", allocation failed" : "");
}

fsr_status fsr_curand_create(const fsr_curand *c, fsr_generator kind, void **generator, fsr_fault *fault) {
    return fsr_curand_told(c, c->CreateGenerator(generator, type_of[kind]), "curandCreateGenerator", fault);
}

static int draw(const fsr_curand *c, void *generator, fsr_sequence_draws draws, fsr_dtype dtype, size_t n, void *out,
                const char **what) {
    static const char *const name[FSR_SEQUENCE_KINDS][2] = {
        [FSR_SEQUENCE_BITS] = {"curandGenerate", "curandGenerateLongLong"},
        [FSR_SEQUENCE_UNIFORM] = {"curandGenerateUniform", "curandGenerateUniformDouble"},
        [FSR_SEQUENCE_NORMAL] = {"curandGenerateNormal", "curandGenerateNormalDouble"}};
    const bool wide = fsr_dtype_size(dtype) == 8;
    *what = name[draws][wide];
    if (draws == FSR_SEQUENCE_BITS)
        return wide ? c->GenerateLongLong(generator, out, n) : c->Generate(generator, out, n);
    if (draws == FSR_SEQUENCE_UNIFORM)
        return wide ? c->GenerateUniformDouble(generator, out, n) : c->GenerateUniform(generator, out, n);
    return wide ? c->GenerateNormalDouble(generator, out, n, 0, 1) : c->GenerateNormal(generator, out, n, 0, 1);
}

fsr_status fsr_curand_fill(const fsr_curand *c, void *generator, const fsr_called *called, fsr_dtype dtype, int64_t n,
                           void *out, fsr_fault *fault) {
    const bool quasi = fsr_generator_is_quasi(fsr_sequence_generator(called));
    const unsigned dims = (unsigned)fsr_called_word(called, FSR_SEQUENCE_DIMS);
    const unsigned long long seed = (unsigned long long)fsr_called_word(called, FSR_SEQUENCE_SEED),
                             offset = (unsigned long long)fsr_called_word(called, FSR_SEQUENCE_OFFSET);
    const fsr_sequence_draws draws = (fsr_sequence_draws)fsr_called_word(called, FSR_SEQUENCE_DRAWS);
    const char *what = "curandSetGeneratorOrdering";
    int status = c->SetGeneratorOrdering(generator, quasi ? QUASI : LEGACY);
    if (!status) {
        what = quasi ? "curandSetQuasiRandomGeneratorDimensions" : "curandSetPseudoRandomGeneratorSeed";
        status = quasi ? c->SetQuasiRandomGeneratorDimensions(generator, dims)
                       : c->SetPseudoRandomGeneratorSeed(generator, seed);
    }
    if (!status) {
        what = "curandSetGeneratorOffset";
        status = c->SetGeneratorOffset(generator, offset);
    }
    if (!status)
        status = draw(c, generator, draws, dtype, (size_t)n, out, &what);
    return fsr_curand_told(c, status, what, fault);
}

fsr_status fsr_curand_on_host(const fsr_called *called, fsr_dtype dtype, int64_t n, void *out, fsr_fault *fault) {
    FSR_DEFAULT_FLOATS;
    fsr_curand c = {.host = true};
    void *generator;
    fsr_status status = fsr_curand_load(&c, fault);
    if (!status)
        status = fsr_curand_told(&c, c.CreateGeneratorHost(&generator, type_of[fsr_sequence_generator(called)]),
                                 "curandCreateGeneratorHost", fault);
    if (status)
        return status;
    status = fsr_curand_fill(&c, generator, called, dtype, n, out, fault);
    c.DestroyGenerator(generator);
    return status;
}
