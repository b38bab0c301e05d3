# SPDX-License-Identifier: MIT
# Language and warnings, the same for every target; `fusor_flags` carries them.
# -ffp-contract=off is part of Fusor's meaning: constant folding, the interpreter and the reference must round after
# every operation, whatever the compiler would like to contract.
if(FUSOR_TOP AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(fusor_flags INTERFACE)
target_compile_definitions(fusor_flags INTERFACE _DEFAULT_SOURCE)
target_link_options(fusor_flags INTERFACE -pthread)
target_compile_options(fusor_flags INTERFACE -pthread
    -ffp-contract=off -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
    -Wvla -Wno-format-zero-length)
# Nothing that is built tells where: __FILE__ and debug information have paths from the source's root. A debugger that is
# started there finds the sources. Of several maps that fit the compiler takes the last.
include(CheckCCompilerFlag)
check_c_compiler_flag(-ffile-prefix-map=/a=. FUSOR_HAS_PREFIX_MAP)
if(FUSOR_HAS_PREFIX_MAP)
    target_compile_options(fusor_flags INTERFACE
        -ffile-prefix-map=${PROJECT_BINARY_DIR}=. -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
        -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
if(FUSOR_WERROR)
    target_compile_options(fusor_flags INTERFACE -Werror)
endif()
if(FUSOR_SANITIZE)
    target_compile_options(fusor_flags INTERFACE
        -fsanitize=${FUSOR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(fusor_flags INTERFACE -fsanitize=${FUSOR_SANITIZE})
    # Clang says by __has_feature what GCC says by a macro. Its runtime is shared where malloc is wrapped (tests/trust).
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
        foreach(what address thread)
            if(FUSOR_SANITIZE MATCHES ${what})
                string(TOUPPER ${what} name)
                target_compile_definitions(fusor_flags INTERFACE __SANITIZE_${name}__=1)
            endif()
        endforeach()
        # Clang takes more than ten minutes for a sorting network whose every operation is checked and may end the program.
        if(FUSOR_SANITIZE MATCHES "undefined")
            set_source_files_properties(backend_cpu/run/vectors_avx2.c backend_cpu/run/vectors_avx512.c
                PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
        endif()
        if(NOT FUSOR_SANITIZE MATCHES "fuzzer")
            execute_process(COMMAND ${CMAKE_C_COMPILER} -print-resource-dir
                OUTPUT_VARIABLE resources OUTPUT_STRIP_TRAILING_WHITESPACE)
            target_link_options(fusor_flags INTERFACE -shared-libsan -Wl,-rpath,${resources}/lib/linux)
        endif()
    endif()
endif()
