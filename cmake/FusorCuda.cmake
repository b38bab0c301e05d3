# SPDX-License-Identifier: MIT
# The CUDA backend. Host files are C that calls the runtime API; the static runtime is linked, so that the binary starts on
# machines without CUDA. NVRTC is loaded when first used and is not linked. Without a toolkit the backend's files are
# compiled without FUSOR_HAVE_CUDA, and opening the backend says so.
set(FUSOR_CUDA_FOUND FALSE)
if(NOT FUSOR_CUDA MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "FUSOR_CUDA is '${FUSOR_CUDA}'; it must be AUTO, ON or OFF")
endif()

if(NOT FUSOR_CUDA STREQUAL "OFF")
    include(fusor-cudart)
    find_path(FUSOR_CUDA_INCLUDE cuda_runtime_api.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${fusor_cuda_roots}
              PATH_SUFFIXES include targets/x86_64-linux/include)
    if(FUSOR_CUDA_INCLUDE AND TARGET fusor::cudart_static)
        set(FUSOR_CUDA_FOUND TRUE)
        message(STATUS "CUDA: headers ${FUSOR_CUDA_INCLUDE}, runtime ${FUSOR_CUDART_STATIC}")
    elseif(FUSOR_CUDA STREQUAL "ON")
        message(FATAL_ERROR "FUSOR_CUDA=ON, but cuda_runtime_api.h or libcudart_static.a was not found; "
                            "set CUDAToolkit_ROOT")
    else()
        message(STATUS "CUDA: no toolkit found, the CUDA backend will only say so")
    endif()
endif()

# Gives C sources of `target` the CUDA headers.
function(fusor_cuda_headers target)
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_DEFINITIONS FUSOR_HAVE_CUDA=1)
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS
                 -isystem ${FUSOR_CUDA_INCLUDE})
endfunction()

# Only backend_cuda's sources see a CUDA header.
function(fusor_cuda_backend target)
    if(NOT FUSOR_CUDA_FOUND)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "/backend_cuda/")
    if(sources)
        fusor_cuda_headers(${target} ${sources})
    endif()
endfunction()
