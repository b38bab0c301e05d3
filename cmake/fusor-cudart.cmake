# SPDX-License-Identifier: MIT
# The static CUDA runtime as fusor::cudart_static, where it is found. Used by Fusor's own build and, installed, by programs
# that link its static library. FUSOR_CUDA_HINT: where an earlier build found it.
find_package(CUDAToolkit QUIET)
set(fusor_cuda_roots ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)
get_filename_component(fusor_cuda_hint "${FUSOR_CUDA_HINT}" DIRECTORY)
find_library(FUSOR_CUDART_STATIC libcudart_static.a
    HINTS ${CUDAToolkit_LIBRARY_DIR} ${fusor_cuda_roots} ${fusor_cuda_hint}
    PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
mark_as_advanced(FUSOR_CUDART_STATIC)
if(FUSOR_CUDART_STATIC AND NOT TARGET fusor::cudart_static)
    add_library(fusor::cudart_static STATIC IMPORTED GLOBAL)
    set_target_properties(fusor::cudart_static PROPERTIES
        IMPORTED_LOCATION ${FUSOR_CUDART_STATIC} INTERFACE_LINK_LIBRARIES "rt;dl;-pthread")
endif()
