/* SPDX-License-Identifier: MIT */
/* What every header opens and closes its declarations with: C linkage, and visibility outside a shared library, whose
 * other functions are hidden. A function declared without it is missing in libfusor.so; tests/package/symbols.sh
 * tells. */
#ifndef FUSOR_API_H
#define FUSOR_API_H

#ifdef __cplusplus
#define FSR_API_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define FSR_API_END \
    }               \
    _Pragma("GCC visibility pop")
#else
#define FSR_API_BEGIN _Pragma("GCC visibility push(default)")
#define FSR_API_END _Pragma("GCC visibility pop")
#endif

#endif
