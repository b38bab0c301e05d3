# xxHash and cmocka: from the system, from CMAKE_PREFIX_PATH, or from Debian packages unpacked in .debs/root
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
    target_include_directories(fusor_${name} SYSTEM INTERFACE ${${upper}_INCLUDE_DIR})
endfunction()

# xxHash is used as a header: nothing of it is linked, and no name of it is seen outside.
fusor_find(xxhash libxxhash-dev)
target_compile_definitions(fusor_xxhash INTERFACE XXH_INLINE_ALL)
if(FUSOR_TESTS)
    fusor_find(cmocka libcmocka-dev)
    find_library(FUSOR_CMOCKA_LIBRARY cmocka REQUIRED)
    mark_as_advanced(FUSOR_CMOCKA_LIBRARY)
    target_link_libraries(fusor_cmocka INTERFACE ${FUSOR_CMOCKA_LIBRARY})
endif()
