/* SPDX-License-Identifier: MIT */
/* The bench's workloads as they are, for test_workloads.c: what the bench expects of a plan is checked here for both
 * targets. */
#define work map_work
#include "bench/workload_map.c"
#undef work
#define work reduce_work
#include "bench/workload_reduce.c"
#undef work
#define work rows_work
#include "bench/workload_rows.c"
#undef work
#define work scan_work
#include "bench/workload_scan.c"
#undef work
#define work science_work
#include "bench/workload_science.c"
#undef work
#define work dtypes_work
#include "bench/workload_dtypes.c"
#undef work
#define work small_work
#include "bench/workload_small.c"
#undef work
#define work random_work
#include "bench/workload_random.c"
#undef work
#define work real_work
#include "bench/workload_real.c"
#undef work
