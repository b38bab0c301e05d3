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

# Sorting on a GPU is CUB's, and the first k of rows are found by kernels of our own, compiled ahead: without nvcc they say that
# they are missing. SASS for sm_80 and sm_90, PTX for what
# comes later. CUB's host side needs the C++ runtime.
set(FUSOR_CUB_FOUND FALSE)
if(NOT FUSOR_NVCC MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "FUSOR_NVCC is '${FUSOR_NVCC}'; it must be AUTO, ON or OFF")
endif()
if(FUSOR_CUDA_FOUND AND NOT FUSOR_NVCC STREQUAL "OFF" AND NOT CMAKE_CROSSCOMPILING)
    find_program(FUSOR_NVCC_PROGRAM nvcc HINTS ${CUDAToolkit_BIN_DIR} ${fusor_cuda_roots} PATH_SUFFIXES bin)
    find_path(FUSOR_CUB_INCLUDE cub/device/device_radix_sort.cuh HINTS ${FUSOR_CUDA_INCLUDE} PATH_SUFFIXES cccl .)
    mark_as_advanced(FUSOR_NVCC_PROGRAM FUSOR_CUB_INCLUDE)
    # Where the compiler is Clang, CMake's linker may be lld, which lays out no groups.
    set(grouping_linker)
    foreach(program ${CMAKE_LINKER} ld.bfd ld)
        if(NOT grouping_linker)
            execute_process(COMMAND ${program} --help OUTPUT_VARIABLE help ERROR_QUIET RESULT_VARIABLE failed)
            if(NOT failed AND help MATCHES "--force-group-allocation")
                set(grouping_linker ${program})
            endif()
        endif()
    endforeach()
    if(FUSOR_NVCC_PROGRAM AND FUSOR_CUB_INCLUDE AND CMAKE_OBJCOPY AND grouping_linker)
        set(FUSOR_CUB_FOUND TRUE)
        message(STATUS "CUDA: CUB by ${FUSOR_NVCC_PROGRAM}")
    endif()
endif()
if(FUSOR_NVCC STREQUAL "ON" AND NOT FUSOR_CUB_FOUND)
    message(FATAL_ERROR "FUSOR_NVCC=ON, but the toolkit with nvcc, CUB or objcopy was not found; set CUDAToolkit_ROOT")
endif()

# Gives `fusor_objects` and the libraries that are made of them what nvcc compiles. Templates' names stay its own, and so do
# the sections that a linker would have once for all objects: a libstdc++.a's would else go, and ask for names that are ours.
function(fusor_cub_backend objects)
    if(NOT FUSOR_CUB_FOUND)
        return()
    endif()
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/backend_cuda)
    file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/backend_cuda/*.cuh)
    set(made)
    foreach(name sort top)
        set(source ${PROJECT_SOURCE_DIR}/backend_cuda/${name}.cu)
        set(raw ${PROJECT_BINARY_DIR}/backend_cuda/${name}.cu.raw.o)
        set(alone ${PROJECT_BINARY_DIR}/backend_cuda/${name}.cu.alone.o)
        set(object ${PROJECT_BINARY_DIR}/backend_cuda/${name}.cu.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${FUSOR_NVCC_PROGRAM} -std=c++17 -O3 -DNDEBUG -DCCCL_DISABLE_NVTX -DNVTX_DISABLE -I${PROJECT_SOURCE_DIR}
                    -Xcompiler=-fPIC,-fvisibility=hidden,-fno-gnu-unique,-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
                    -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]
                    -c ${source} -o ${raw}
            COMMAND ${grouping_linker} -r --force-group-allocation ${raw} -o ${alone}
            COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=fsr_* ${alone} ${object}
            DEPENDS ${source} ${PROJECT_SOURCE_DIR}/backend_cuda/sort.h ${PROJECT_SOURCE_DIR}/backend_cuda/top.h
                    ${PROJECT_SOURCE_DIR}/backend_cuda/order_form.h ${shared}
            COMMENT "Compiling backend_cuda/${name}.cu" VERBATIM)
        set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
        set_property(SOURCE ${PROJECT_SOURCE_DIR}/backend_cuda/${name}.c TARGET_DIRECTORY ${objects} APPEND PROPERTY
                     COMPILE_DEFINITIONS FUSOR_HAVE_CUB=1)
        list(APPEND made ${object})
    endforeach()
    add_custom_target(fusor_cub DEPENDS ${made})
    foreach(library ${ARGN})
        add_dependencies(${library} fusor_cub)
        target_sources(${library} PRIVATE ${made})
        target_link_libraries(${library} PRIVATE stdc++)
    endforeach()
endfunction()

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
