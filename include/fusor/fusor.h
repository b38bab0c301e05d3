/* SPDX-License-Identifier: MIT */
/* Fusor: lazy array operations, fused into few kernels, run on a GPU or the CPU.
 * One include for all of it; docs/guide.md is the tour. */
#ifndef FUSOR_FUSOR_H
#define FUSOR_FUSOR_H

#include "fusor/build.h"
#include "fusor/context.h"
#include "fusor/dtype.h"
#include "fusor/expr.h"
#include "fusor/library.h"
#include "fusor/names.h"
#include "fusor/native.h"
#include "fusor/run.h"
#include "fusor/status.h"
#include "fusor/transfer.h"
#include "fusor/tune.h"
#include "fusor/version.h"

#endif
