/* SPDX-License-Identifier: MIT */
/* Parts of rows.
 *
 * Scans along divided rows: a worker folds its part, waits for the carry of the part before it, hands on its own, and
 * scans the part, which is still in its cache. Parts are taken in order, so whoever is waited for has been started; it
 * hands on its carry after a fold of its own, not after its scan; the last part is not folded. Counter-example to two
 * rounds, all folds and then all scans: a long row has left the cache in between and is read twice from memory. */
#include "backend_cpu/run/tasks_parts.h"
#include <limits.h>

/* The same part of each row, then the next one: rows may lie side by side in memory, a line holding elements of
 * several. Those side by side go together.
 * Counter-example to row after row: running sums down 4 columns of 898,053 of 8 read all of the array 4 times. */
static void set_part(const fsr_job *j, int64_t item, int64_t *task) {
    const int64_t rows = j->items / j->parts, part = item / rows, cols = j->launch->integer[FSR_INT_COLS];
    int64_t rest = item % rows;
    for (int d = j->shape->nparallel - 1 - (j->shape->abreast > 1); d >= 0; d--) {
        int64_t extent = j->whole[FSR_TASK_HIGH + d];
        task[FSR_TASK_LOW + d] = rest % extent;
        task[FSR_TASK_HIGH + d] = rest % extent + 1;
        rest /= extent;
    }
    task[FSR_TASK_INDEX] = part;
    task[FSR_TASK_BEGIN] = part * j->shape->part;
    task[FSR_TASK_END] = fsr_size_min(fsr_size_mul(part + 1, j->shape->part), cols);
}

static void await_carry(atomic_llong *carried, int64_t part) {
    for (int i = 0; atomic_load_explicit(carried, memory_order_acquire) != part; i += i < INT_MAX)
        fsr_thread_glance(i);
}

/* Does the part's `first` mode, waits for the carry into it and hands on the next one's. The last part has nobody to
 * hand one to, but what filters store is counted to the end. */
static void take_carry(const fsr_job *j, int64_t item, int64_t *task, fsr_task_mode first, int worker) {
    const int64_t part = task[FSR_TASK_INDEX];
    const bool last = part + 1 == j->parts && !j->shape->packed;
    atomic_llong *carried = &j->carried[item % (j->items / j->parts)];
    task[FSR_TASK_MODE] = first;
    if (!last)
        fsr_job_call(j, task, worker);
    await_carry(carried, part);
    if (last)
        return;
    task[FSR_TASK_MODE] = FSR_MODE_CARRY;
    fsr_job_call(j, task, worker);
    atomic_store_explicit(carried, part + 1, memory_order_release);
}

/* Of scans in order, as each waits for the carry of the one before. */
static int64_t next_part(fsr_job *j, int worker) {
    if (!j->shape->scans)
        return fsr_shares_take(&j->shares, worker);
    const int64_t item = atomic_fetch_add(&j->next, 1);
    return item < j->items ? item : -1;
}

static void work_parts(void *arg, int worker) {
    fsr_job *j = arg;
    int64_t task[FSR_TASK_SIZE], item;
    memcpy(task, j->whole, sizeof task);
    while ((item = next_part(j, worker)) >= 0) {
        set_part(j, item, task);
        task[FSR_TASK_PACKED] = (int64_t)(intptr_t)(j->packed ? j->packed + j->shape->packed * worker : NULL);
        const bool in_order = j->shape->packed && !j->packed; /* each part knows its carry when it begins */
        if (j->shape->scans)
            take_carry(j, item, task, in_order ? FSR_MODE_PART : FSR_MODE_FOLD, worker);
        task[FSR_TASK_MODE] = j->packed ? FSR_MODE_PACKED : FSR_MODE_PART;
        if (!in_order)
            fsr_job_call(j, task, worker);
    }
}

fsr_status fsr_job_run_parts(fsr_job *j, fsr_thread_pool *threads, fsr_pool *pool, bool alone, fsr_fault *fault) {
    int64_t rows = j->launch->integer[FSR_INT_ROWS];
    int64_t states = fsr_size_mul(fsr_size_mul(rows, j->parts + 1), j->shape->words * 8);
    const int64_t carries = fsr_round_up(fsr_size_mul(rows, (int64_t)sizeof *j->carried), 64);
    const int64_t packed = alone ? 0 : fsr_size_mul(j->shape->packed, fsr_thread_pool_size(threads));
    int64_t bytes = fsr_size_add(fsr_size_add(packed, states), carries);
    char *memory = fsr_pool_take(pool, bytes);
    if (!memory)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "states of %lld parts: out of host memory",
                             (long long)fsr_size_mul(rows, j->parts));
    j->packed = packed ? memory : NULL;
    j->carried = (atomic_llong *)(memory + packed);
    for (int64_t r = 0; r < rows; r++)
        atomic_init(&j->carried[r], 0);
    j->items =
        j->shape->abreast > 1 ? rows / j->whole[FSR_TASK_HIGH + j->shape->nparallel - 1] * j->parts : rows * j->parts;
    j->whole[FSR_TASK_PARTS] = j->parts;
    j->whole[FSR_TASK_STATES] = (int64_t)(intptr_t)(memory + packed + carries);
    fsr_shares_deal(&j->shares, j->items, alone ? 1 : fsr_thread_pool_size(threads));
    if (alone)
        work_parts(j, 0);
    else
        fsr_thread_pool_run(threads, work_parts, j);
    j->whole[FSR_TASK_MODE] = FSR_MODE_FINISH;
    j->whole[FSR_TASK_END] = j->parts;
    fsr_job_call(j, j->whole, 0);
    fsr_pool_give(pool, memory, bytes);
    return FSR_OK;
}
