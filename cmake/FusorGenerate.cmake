# SPDX-License-Identifier: MIT
# What is generated from tables: fusor/ops.h into the build folder; docs/ops.md and docs/knobs.md into the source tree,
# by `cmake --build <build> --target docs` (the test `docs` checks that they are current).
set(FUSOR_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)

add_executable(fusor_gen_ops graph/gen_ops.c)
add_executable(fusor_gen_knobs runtime/gen_knobs.c)
foreach(tool fusor_gen_ops fusor_gen_knobs)
    target_include_directories(${tool} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(${tool} PRIVATE fusor_flags)
endforeach()

set(ops_header ${FUSOR_GENERATED_DIR}/include/fusor/ops.h)
add_custom_command(OUTPUT ${ops_header}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${FUSOR_GENERATED_DIR}/include/fusor
    COMMAND fusor_gen_ops ${ops_header}
    DEPENDS fusor_gen_ops COMMENT "Generating fusor/ops.h" VERBATIM)
add_custom_target(fusor_ops_header DEPENDS ${ops_header})

add_custom_target(fusor_docs
    COMMAND fusor_gen_ops --doc ${PROJECT_SOURCE_DIR}/docs/ops.md
    COMMAND fusor_gen_knobs ${PROJECT_SOURCE_DIR}/docs/knobs.md
    COMMENT "Writing docs/ops.md and docs/knobs.md" VERBATIM)
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
    add_custom_target(fusor_reference
        COMMAND ${FUSOR_DOXYGEN} ${FUSOR_DOXYFILE}
        COMMENT "Writing reference/html/index.html" VERBATIM)
    add_dependencies(fusor_reference fusor_ops_header)
endif()
