/* SPDX-License-Identifier: MIT */
#include "tests/support/targets.h"
#include "fusion/loop_ir.h"
#include <stdlib.h>
#include <string.h>

const fsr_target target_gpu = {.gpu = true,
                               .processors = 132,
                               .max_threads = 1024,
                               .threads_per_processor = 2048,
                               .registers_bytes = 256 << 10,
                               .shared_bytes = 227 << 10,
                               .cache_bytes = 60 << 20,
                               .memory_bytes = (int64_t)140 << 30,
                               .max_parameter_bytes = 4096,
                               .cooperative = true,
                               .tiles = true,
                               .bulk_copies = true,
                               .launched_bytes = 227 << 10};

const fsr_target target_small_gpu = {.gpu = true,
                                     .processors = 2,
                                     .max_threads = 1024,
                                     .threads_per_processor = 2048,
                                     .registers_bytes = 256 << 10,
                                     .shared_bytes = 48 << 10,
                                     .cache_bytes = 1 << 20,
                                     .memory_bytes = (int64_t)1 << 30,
                                     .max_parameter_bytes = 4096,
                                     .cooperative = true,
                                     .tiles = true};

const fsr_target target_gpu_84 = {.gpu = true,
                                  .processors = 84,
                                  .max_threads = 1024,
                                  .threads_per_processor = 1536,
                                  .registers_bytes = 256 << 10,
                                  .shared_bytes = 99 << 10,
                                  .cache_bytes = 6 << 20,
                                  .memory_bytes = (int64_t)24 << 30,
                                  .max_parameter_bytes = 4096,
                                  .cooperative = true,
                                  .tiles = true};

const fsr_target target_gpu_1 = {.gpu = true,
                                 .processors = 1,
                                 .max_threads = 1024,
                                 .threads_per_processor = 1024,
                                 .registers_bytes = 128 << 10,
                                 .shared_bytes = 48 << 10,
                                 .cache_bytes = 256 << 10,
                                 .memory_bytes = (int64_t)2 << 30,
                                 .max_parameter_bytes = 4096,
                                 .cooperative = true,
                                 .tiles = true};

const fsr_target target_cpu = {.processors = 2,
                               .max_threads = 1,
                               .threads_per_processor = 1,
                               .registers_bytes = 2048,
                               .shared_bytes = 1 << 20,
                               .cache_bytes = 32 << 20,
                               .memory_bytes = (int64_t)16 << 30,
                               .max_parameter_bytes = sizeof(fsr_launch)};

static const struct {
    const char *name;
    const fsr_target *target;
} targets[] = {{"gpu", &target_gpu},
               {"small-gpu", &target_small_gpu},
               {"gpu-84", &target_gpu_84},
               {"gpu-1", &target_gpu_1},
               {"cpu", &target_cpu}};

const fsr_target *target_find(const char *name) {
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return targets[i].target;
    return NULL;
}

#define FIELDS(X)            \
    X(processors)            \
    X(max_threads)           \
    X(threads_per_processor) \
    X(registers_bytes)       \
    X(shared_bytes) X(cache_bytes) X(memory_bytes) X(max_parameter_bytes) X(tiles) X(bulk_copies) X(launched_bytes)

bool target_set(fsr_target *target, const char *field) {
    const char *equals = strchr(field, '=');
    char *end;
    if (!equals)
        return false;
    long long number = strtoll(equals + 1, &end, 10);
    size_t size = (size_t)(equals - field);
    if (end == equals + 1 || *end || number < 0)
        return false;
#define SET(name)                                                       \
    if (size == sizeof #name - 1 && strncmp(field, #name, size) == 0) { \
        target->name = (__typeof__(target->name))number;                \
        return true;                                                    \
    }
    FIELDS(SET)
#undef SET
    return false;
}

void target_print(const fsr_target *target, FILE *to) {
#define PRINT(name) fprintf(to, #name "=%lld\n", (long long)target->name);
    FIELDS(PRINT)
#undef PRINT
}
