# xxHash and cmocka: from the system, from CMAKE_PREFIX_PATH, or from Debian packages unpacked in .debs/root
# (scripts/fetch-debs), for machines without a package registry.
if(EXISTS ${PROJECT_SOURCE_DIR}/.debs/root/usr)
    list(APPEND CMAKE_PREFIX_PATH ${PROJECT_SOURCE_DIR}/.debs/root/usr)
    list(APPEND CMAKE_LIBRARY_PATH ${PROJECT_SOURCE_DIR}/.debs/root/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# An imported target `name` from a header and a library; stops with the Debian package's name if either is missing.
function(fusor_find name header library package)
    string(TOUPPER ${name} upper)
    find_path(${upper}_INCLUDE_DIR ${header})
    find_library(${upper}_LIBRARY ${library})
    if(NOT ${upper}_INCLUDE_DIR OR NOT ${upper}_LIBRARY)
        message(FATAL_ERROR "${name} not found: install ${package}, or run scripts/fetch-debs, or set CMAKE_PREFIX_PATH")
    endif()
    add_library(${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES
        IMPORTED_LOCATION ${${upper}_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${${upper}_INCLUDE_DIR})
endfunction()

fusor_find(xxhash xxhash.h xxhash libxxhash-dev)
if(FUSOR_TESTS)
    fusor_find(cmocka cmocka.h cmocka libcmocka-dev)
endif()
