/* SPDX-License-Identifier: MIT */
/* Where NVIDIA's libraries may be: what the loader finds (LD_LIBRARY_PATH names a directory), then the usual places. */
#ifndef FUSOR_RUNTIME_LIBRARIES_H
#define FUSOR_RUNTIME_LIBRARIES_H

/* The names of a file, "libcublas.so.13", in the order in which they are tried. */
#define FSR_CUDA_PLACES(file) \
    file, "/usr/local/cuda/lib64/" file, "/usr/local/cuda/targets/x86_64-linux/lib/" file, "/opt/cuda/lib64/" file

#endif
