# SPDX-License-Identifier: MIT
# What is generated from tables: fusor/ops.h and ops.hpp into the build folder; docs/ops.md, docs/knobs.md and docs/from-numpy.md into
# the source tree, by `cmake --build <build> --target docs` (the test `docs` checks that they are current).
set(FUSOR_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)

# What writes it runs while building. In a build for another machine it is compiled by a compiler of this one, FUSOR_HOST_CC;
# each is one file that needs no configuration. An emulator is not asked for.
function(fusor_generator tool source)
    if(NOT CMAKE_CROSSCOMPILING)
        add_executable(${tool} ${source})
        target_include_directories(${tool} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
        target_link_libraries(${tool} PRIVATE fusor_flags)
        return()
    endif()
    find_program(FUSOR_HOST_CC NAMES cc gcc clang NO_CMAKE_FIND_ROOT_PATH DOC "A C compiler whose programs run on this machine")
    if(NOT FUSOR_HOST_CC)
        message(FATAL_ERROR "no C compiler for programs of this machine: set FUSOR_HOST_CC")
    endif()
    set(program ${FUSOR_GENERATED_DIR}/${tool}.native)
    add_custom_command(OUTPUT ${program}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${FUSOR_GENERATED_DIR}
        COMMAND ${FUSOR_HOST_CC} -std=c11 -D_DEFAULT_SOURCE -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include
                -MD -MF ${program}.d -MT ${program} -o ${program} ${PROJECT_SOURCE_DIR}/${source}
        DEPENDS ${source} DEPFILE ${program}.d COMMENT "Building ${tool} for this machine" VERBATIM)
    add_custom_target(${tool}_built DEPENDS ${program})
    add_executable(${tool} IMPORTED GLOBAL)
    set_target_properties(${tool} PROPERTIES IMPORTED_LOCATION ${program})
    add_dependencies(${tool} ${tool}_built)
endfunction()
fusor_generator(fusor_gen_ops graph/gen_ops.c)
fusor_generator(fusor_gen_knobs runtime/gen_knobs.c)
fusor_generator(fusor_gen_numpy primitives/gen_numpy.c)

set(ops_header ${FUSOR_GENERATED_DIR}/include/fusor/ops.h)
add_custom_command(OUTPUT ${ops_header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${FUSOR_GENERATED_DIR}/include/fusor
    COMMAND fusor_gen_ops ${ops_header}
    DEPENDS fusor_gen_ops COMMENT "Generating fusor/ops.h" VERBATIM)
set(ops_names ${FUSOR_GENERATED_DIR}/include/fusor/ops.hpp)
add_custom_command(OUTPUT ${ops_names}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${FUSOR_GENERATED_DIR}/include/fusor
    COMMAND fusor_gen_ops --cpp ${ops_names}
    DEPENDS fusor_gen_ops COMMENT "Generating fusor/ops.hpp" VERBATIM)
add_custom_target(fusor_ops_header DEPENDS ${ops_header} ${ops_names})

add_custom_target(fusor_docs
    COMMAND fusor_gen_ops --doc ${PROJECT_SOURCE_DIR}/docs/ops.md
    COMMAND fusor_gen_knobs ${PROJECT_SOURCE_DIR}/docs/knobs.md
    COMMAND fusor_gen_numpy ${PROJECT_SOURCE_DIR}/docs/from-numpy.md
    COMMENT "Writing docs/ops.md, docs/knobs.md and docs/from-numpy.md" VERBATIM)
if(FUSOR_TOP)
    add_custom_target(docs DEPENDS fusor_docs)
endif()

# The reference of the public headers, by Doxygen where there is one.
find_program(FUSOR_DOXYGEN doxygen)
mark_as_advanced(FUSOR_DOXYGEN)
set(FUSOR_REFERENCE_DIR ${PROJECT_BINARY_DIR}/reference)
set(FUSOR_DOXYFILE ${PROJECT_BINARY_DIR}/Doxyfile)
configure_file(docs/Doxyfile.in ${FUSOR_DOXYFILE} @ONLY)
file(MAKE_DIRECTORY ${FUSOR_REFERENCE_DIR})
if(FUSOR_DOXYGEN)
    file(GLOB reference_sources CONFIGURE_DEPENDS include/fusor/*.h docs/reference.*)
    add_custom_command(OUTPUT ${FUSOR_REFERENCE_DIR}/html/index.html
        COMMAND ${FUSOR_DOXYGEN} ${FUSOR_DOXYFILE}
        DEPENDS ${reference_sources} ${FUSOR_DOXYFILE} ${ops_header}
        COMMENT "Writing reference/html/index.html" VERBATIM)
    add_custom_target(fusor_reference DEPENDS ${FUSOR_REFERENCE_DIR}/html/index.html)
    add_dependencies(fusor_reference fusor_ops_header)
endif()

# The manual page fusor(7), with the table of knobs; installed, as the reference is, if it is there: both are built with
# everything else where there are install rules.
set(FUSOR_MANUAL ${FUSOR_GENERATED_DIR}/fusor.7)
add_custom_command(OUTPUT ${FUSOR_MANUAL}
    COMMAND fusor_gen_knobs --man ${PROJECT_SOURCE_DIR}/docs/man/fusor.7.in ${FUSOR_MANUAL}
    DEPENDS fusor_gen_knobs docs/man/fusor.7.in COMMENT "Generating fusor.7" VERBATIM)
add_custom_target(fusor_manual DEPENDS ${FUSOR_MANUAL})
if(FUSOR_INSTALL)
    set_target_properties(fusor_manual PROPERTIES EXCLUDE_FROM_ALL OFF)
    if(FUSOR_DOXYGEN AND NOT FUSOR_SANITIZE)
        set_target_properties(fusor_reference PROPERTIES EXCLUDE_FROM_ALL OFF)
    endif()
endif()
