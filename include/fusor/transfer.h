/* SPDX-License-Identifier: MIT */
/* Memory and copies beside computing: pinned host memory, copies that run while kernels do, arrays of other
 * contexts.
 *
 * A context puts its work on one stream, in the order of the calls. An upload or a download goes on a stream of its
 * own, one for each direction: it begins when everything that was put on the context's stream before the call is
 * done, and what is put there later does not wait for it, unless fsr_after says so. So a loop over parts with two
 * buffers of each kind overlaps all three:
 *
 *     fsr_ticket up[2] = {0, 0}, down[2] = {0, 0};    // 0: nothing, which is always done
 *     fsr_upload(ctx, in[0], host_in[0], bytes, &up[0]);
 *     for (int i = 0; i < n; i++) {
 *         int a = i % 2, b = 1 - a;
 *         if (i + 1 < n)                              // begins when run i - 1, the last user of in[b], is done
 *             fsr_upload(ctx, in[b], host_in[b], bytes, &up[b]);
 *         fsr_after(ctx, up[a]);                      // run i waits for its input,
 *         fsr_after(ctx, down[a]);                    // and until its output's last contents are away
 *         fsr_plan_run(plan, &(fsr_arg){"x", in[a], bytes, FSR_DEVICE}, 1,
 *                      &(fsr_arg){"", out[a], bytes, FSR_DEVICE}, 1, NULL);
 *         fsr_download(ctx, host_out[a], out[a], bytes, &down[a]);
 *     }
 *
 * before host_in[b] is filled again fsr_wait(ctx, up[b]), before host_out[a] is read fsr_wait(ctx, down[a]).
 * examples/streaming.c is that program. On the CPU the same calls work: a copy is made at once, and every ticket is
 * done.
 *
 * Ownership: memory handed to an upload or a download is borrowed until its ticket is done; nobody may write to what
 * it reads, or use what it writes. Threads: any; copies of one direction are made in the order of the calls. A
 * caller's stream given to fsr_plan_run is ordered against the context's, so tickets hold for it as well. */
#ifndef FUSOR_TRANSFER_H
#define FUSOR_TRANSFER_H

#include "fusor/api.h"
#include "fusor/build.h"
#include "fusor/run.h"
#include <stddef.h>
#include <stdint.h>

FSR_API_BEGIN

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Memory of so many bytes, 256-byte aligned, its contents undefined. FSR_HOST: of the host, on a GPU pinned, which
 * is what a copy needs to run beside kernels, and which the device reaches too (getting it takes milliseconds: keep
 * it). FSR_DEVICE: of the context's device, out of its pool: what had the memory before may still run on the context's
 * stream, so a stream of the caller's own uses it first behind fsr_sync, a run of a plan on that stream, or an event.
 * On the CPU both are the same. bytes 0 gives an address
 * as well. It is the caller's until fsr_free, or fsr_close. On an error *data is NULL: FSR_ERR_MEMORY,
 * FSR_ERR_DEVICE_MEMORY, FSR_ERR_SIZE, FSR_ERR_NULL, FSR_ERR_VALUE: there is no such place; FSR_ERR_DEVICE: an error
 * of the device. */
fsr_status fsr_alloc(fsr_context *ctx, fsr_place place, size_t bytes, void **data);
/* Gives it back. Work on the context's stream and copies that use it need not be done: host memory is waited for,
 * device memory is used again behind them. NULL is allowed. FSR_ERR_VALUE: it is no memory of fsr_alloc with that
 * place. */
fsr_status fsr_free(fsr_context *ctx, fsr_place place, void *data);

/* ---- copies that are not waited for ------------------------------------------------------------------- */

/* Something that was put on a device, and may be waited for; 0: nothing, which is always done. A value: never freed,
 * good as long as its context. */
typedef int64_t fsr_ticket;

/* Copies bytes from the host's memory to the device's, or back, and returns when the copy is put on its stream.
 * Pinned memory (fsr_alloc) is copied beside everything else; of other memory the call may take as long as the copy.
 * ticket may be NULL. On an error *ticket is 0, and nothing is copied. FSR_ERR_NULL: an address is null and bytes is
 * not 0. FSR_ERR_VALUE: as fsr_plan_run, an address that is not memory of its place, or not so many bytes of it. An
 * error of the device surfaces in fsr_wait, or later. */
fsr_status fsr_upload(fsr_context *ctx, void *device, const void *host, size_t bytes, fsr_ticket *ticket);
fsr_status fsr_download(fsr_context *ctx, void *host, const void *device, size_t bytes, fsr_ticket *ticket);
/* A ticket for everything that was put on the context's stream until now. */
fsr_status fsr_mark(fsr_context *ctx, fsr_ticket *ticket);

/* What is put on the context's stream from now on, and copies that begin behind that, wait for the ticket; the host
 * does not. FSR_ERR_VALUE: no ticket of this context. */
fsr_status fsr_after(fsr_context *ctx, fsr_ticket ticket);
/* Waits until the ticket is done; the device's errors until then surface. It tells nothing of indices that runs
 * reported (fsr_sync does). FSR_ERR_VALUE: no ticket of this context. */
fsr_status fsr_wait(fsr_context *ctx, fsr_ticket ticket);
/* Waits for a ticket and says when it began and ended, in milliseconds since the context's first ticket, by the
 * clock of what ran it: of a copy when the copy itself did, of a mark begin is end. The last 64 tickets of each kind
 * are known: FSR_ERR_VALUE of an older one, of 0, and of no ticket of this context. FSR_ERR_NULL: an address is
 * null. */
fsr_status fsr_ticket_time(fsr_context *ctx, fsr_ticket ticket, double *begin, double *end);

/* ---- other contexts ----------------------------------------------------------------------------------- */

/* A leaf of g with the elements of x, whose graph may be any, of another context and device as well. x is computed
 * if needed. Between two GPUs the array goes from memory to memory where they reach each other, else the driver
 * takes it by the host's; nobody waits for it: what is put on the stream of x's context later runs behind the copy.
 * Between a GPU and a CPU it is waited for. Of a value with a length that only the device knows what is there is
 * taken, and waited for. Indices that computing x reported are told by who reads x's graph. Poisoned: x is (with its
 * words), or cannot be computed; FSR_ERR_DEVICE_MEMORY, FSR_ERR_MEMORY, FSR_ERR_STALE, FSR_ERR_FORKED. */
fsr_node fsr_from_node_at(fsr_site at, fsr_graph *g, fsr_node x);
#define fsr_from_node(...) fsr_from_node_at(FSR_HERE, __VA_ARGS__)

FSR_API_END
#endif
