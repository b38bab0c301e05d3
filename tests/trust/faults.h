/* SPDX-License-Identifier: MIT */
/* Failing calls on purpose. The programs of this suite are linked with --wrap for every call listed in faults.def, so
 * that the library runs as it is and each of its allocations, file calls and process calls can be made to fail in
 * turn.
 *
 * Every call of an armed kind is counted; the one whose number was asked for fails, and with `forever` all after it. A
 * test walks through the numbers until a run ends without meeting its fault. Calls made by libc for itself (the buffer
 * of a FILE) are not seen; memory streams are, they are written anew over the wrapped realloc. */
#ifndef FUSOR_TESTS_TRUST_FAULTS_H
#define FUSOR_TESTS_TRUST_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

enum { FAULT_MEMORY = 1, FAULT_FILE = 2, FAULT_CUDA = 4 };

/* How a call fails. SHORT and INTERRUPTED are no errors but the half of a read or write, and an EINTR of a read, write
 * or wait; other calls are then not counted. */
typedef enum fault_way { FAULT_ERROR, FAULT_SHORT, FAULT_INTERRUPTED } fault_way;

/* The number-th call (from 1) of these kinds fails from now on. error: the errno given, or the CUDA error. only: fail
 * calls of this name only, NULL: of every name. */
void faults_arm(unsigned kinds, fault_way way, int64_t number, bool forever, int error, const char *only);
/* Nothing fails any more. True if something failed since arming. */
bool faults_disarm(void);
/* Nothing is counted between the two: for work that a test's own stand-ins do. */
unsigned faults_pause(void);
void faults_resume(unsigned kinds);
/* The first call that failed since arming; "" if none. Valid until the next arming. */
const char *faults_hit(void);
/* Calls that failed since the program began. */
int64_t faults_count(void);

/* For wrappers: counts a call and says whether it must fail, and how. */
bool fault_due(unsigned kind, const char *name, fault_way *way, int *error);

/* Blocks and bytes allocated by wrapped calls and not yet freed; and which, made after block number `since`. */
typedef struct fault_live {
    int64_t blocks, bytes, serial;
} fault_live;
fault_live faults_live(void);
void faults_list_live(int64_t since);

/* Open descriptors of this process. */
int faults_descriptors(void);
/* Temporary directories made by the library, in this process or its children, and not removed again, among the last 64.
 * forgive: they are removed. */
int faults_directories(bool forgive);

/* A compiler that answers at once, without a process (config.compiler). */
#define FAULT_STUB_COMPILER "/nowhere/fusor-stub-cc"
extern int faults_exit_status; /* what its compilations end with: 0 unless a test says so */

/* What the machine calls itself instead of the truth; NULL: the truth. */
extern const char *faults_machine;

/* While on, a library named libnvrtc... is the one of fake_nvrtc.c. */
void fault_fake_nvrtc(bool on);
void *fake_nvrtc_symbol(const char *name);

#endif
