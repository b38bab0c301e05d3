/* SPDX-License-Identifier: MIT */
#include "fusion/target.h"

const fsr_target fsr_nominal_gpu = {.gpu = true,
                                    .processors = 132,
                                    .max_threads = 1024,
                                    .threads_per_processor = 2048,
                                    .registers_bytes = 256 << 10,
                                    .shared_bytes = 48 << 10,
                                    .cache_bytes = 60 << 20,
                                    .memory_bytes = (int64_t)140 << 30,
                                    .max_parameter_bytes = 4096,
                                    .cooperative = true,
                                    .tiles = true};
