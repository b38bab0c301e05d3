# SPDX-License-Identifier: MIT
# What is built. Alone: both libraries, the programs, the tests, install rules. As a part of another project: one library,
# of the kind that BUILD_SHARED_LIBS says, and nothing else. Every target of such a build begins with `fusor`.
set(FUSOR_TOP OFF)
set(both OFF)
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
    set(FUSOR_TOP ON)
    set(both ON)
endif()
set(static ON)
set(shared ${both})
if(BUILD_SHARED_LIBS)
    set(static ${both})
    set(shared ON)
endif()

option(FUSOR_STATIC "Build the static library" ${static})
option(FUSOR_SHARED "Build the shared library" ${shared})
option(FUSOR_PROGRAMS "Build fusor-bench and the examples; needs the static library" ${FUSOR_TOP})
option(FUSOR_TESTS "Build the tests; needs cmocka and the static library" ${FUSOR_TOP})
option(FUSOR_INSTALL "Make install rules" ${FUSOR_TOP})
option(FUSOR_WERROR "Warnings are errors" OFF)
set(FUSOR_CUDA AUTO CACHE STRING "CUDA backend: AUTO (where a toolkit is found), ON, OFF")
set(FUSOR_NVCC AUTO CACHE STRING "Sorting and selecting (the first k, ranks) on a GPU, compiled by nvcc: AUTO (where it is found), ON, OFF")
set(FUSOR_SANITIZE "" CACHE STRING "Value for -fsanitize, e.g. address,undefined")
set_property(CACHE FUSOR_CUDA FUSOR_NVCC PROPERTY STRINGS AUTO ON OFF)

if(NOT FUSOR_STATIC AND NOT FUSOR_SHARED)
    message(FATAL_ERROR "FUSOR_STATIC and FUSOR_SHARED are both off: there is no library to build")
endif()
if((FUSOR_TESTS OR FUSOR_PROGRAMS) AND NOT FUSOR_STATIC)
    message(FATAL_ERROR "tests and programs look inside the library: FUSOR_STATIC=OFF also needs FUSOR_TESTS=OFF and "
                        "FUSOR_PROGRAMS=OFF")
endif()

# What a program linked with the shared library is bound to: before 1.0 a minor version may break it. cmake/fusor.map
# names the same version.
set(FUSOR_ABI ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(FUSOR_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
