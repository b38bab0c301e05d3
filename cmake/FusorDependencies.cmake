# SPDX-License-Identifier: MIT
# xxHash, cmocka and MPFR: from the system, from CMAKE_PREFIX_PATH, or from Debian packages unpacked in .debs/root
# (scripts/fetch-debs), for machines without a package registry.
if(EXISTS ${PROJECT_SOURCE_DIR}/.debs/root/usr)
    list(APPEND CMAKE_PREFIX_PATH ${PROJECT_SOURCE_DIR}/.debs/root/usr)
    list(APPEND CMAKE_LIBRARY_PATH ${PROJECT_SOURCE_DIR}/.debs/root/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()

# A target fusor_NAME with the folder of NAME.h; stops with the Debian package's name if it is missing.
function(fusor_find name package)
    string(TOUPPER FUSOR_${name} upper)
    find_path(${upper}_INCLUDE_DIR ${name}.h)
    mark_as_advanced(${upper}_INCLUDE_DIR)
    if(NOT ${upper}_INCLUDE_DIR)
        message(FATAL_ERROR "${name} not found: install ${package}, or run scripts/fetch-debs, or set CMAKE_PREFIX_PATH")
    endif()
    add_library(fusor_${name} INTERFACE)
    set(folder ${${upper}_INCLUDE_DIR})
    if(CMAKE_CROSSCOMPILING)
        # Both are one header. Beside it may lie this machine's C library, which the other one's compiler must not see.
        set(folder ${PROJECT_BINARY_DIR}/headers)
        configure_file(${${upper}_INCLUDE_DIR}/${name}.h ${folder}/${name}.h COPYONLY)
    endif()
    target_include_directories(fusor_${name} SYSTEM INTERFACE ${folder})
endfunction()

# xxHash is used as a header: nothing of it is linked, and no name of it is seen outside.
fusor_find(xxhash libxxhash-dev)
target_compile_definitions(fusor_xxhash INTERFACE XXH_INLINE_ALL)
if(FUSOR_TESTS)
    fusor_find(cmocka libcmocka-dev)
    find_library(FUSOR_CMOCKA_LIBRARY cmocka REQUIRED)
    mark_as_advanced(FUSOR_CMOCKA_LIBRARY)
    target_link_libraries(fusor_cmocka INTERFACE ${FUSOR_CMOCKA_LIBRARY})

    # A second oracle of the tests; without it diff/mpfr is skipped.
    find_path(FUSOR_MPFR_INCLUDE_DIR mpfr.h)
    find_path(FUSOR_GMP_INCLUDE_DIR gmp.h)
    find_library(FUSOR_MPFR_LIBRARY mpfr)
    find_library(FUSOR_GMP_LIBRARY gmp)
    mark_as_advanced(FUSOR_MPFR_INCLUDE_DIR FUSOR_GMP_INCLUDE_DIR FUSOR_MPFR_LIBRARY FUSOR_GMP_LIBRARY)
    add_library(fusor_mpfr INTERFACE)
    if(FUSOR_MPFR_INCLUDE_DIR AND FUSOR_GMP_INCLUDE_DIR AND FUSOR_MPFR_LIBRARY AND FUSOR_GMP_LIBRARY)
        target_include_directories(fusor_mpfr SYSTEM INTERFACE ${FUSOR_MPFR_INCLUDE_DIR} ${FUSOR_GMP_INCLUDE_DIR})
        target_compile_definitions(fusor_mpfr INTERFACE FUSOR_TEST_MPFR)
        target_link_libraries(fusor_mpfr INTERFACE ${FUSOR_MPFR_LIBRARY} ${FUSOR_GMP_LIBRARY})
    endif()
endif()
