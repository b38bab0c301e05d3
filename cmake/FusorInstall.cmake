# SPDX-License-Identifier: MIT
# Install rules. Components: development (headers, pkg-config, CMake's version file), static, shared, programs,
# documentation (Markdown, the reference where Doxygen rendered it, examples, manual pages); without --component all of them.
# `--target uninstall` removes what the last installation put there. The tree may be moved afterwards. tests/package installs it and builds programs against it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fusor)

foreach(kind ${fusor_kinds})
    install(TARGETS fusor_${kind} EXPORT fusor_${kind}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${kind}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${kind} NAMELINK_COMPONENT ${kind})
    install(EXPORT fusor_${kind} NAMESPACE fusor:: FILE fusor-${kind}.cmake DESTINATION ${package_dir} COMPONENT ${kind})
endforeach()

if(FUSOR_CUDA_FOUND AND FUSOR_STATIC)
    install(FILES cmake/fusor-cudart.cmake DESTINATION ${package_dir} COMPONENT static)
endif()
configure_package_config_file(cmake/fusor-config.cmake.in ${PROJECT_BINARY_DIR}/fusor-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fusor-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fusor-config.cmake ${PROJECT_BINARY_DIR}/fusor-config-version.cmake
    DESTINATION ${package_dir} COMPONENT development)

# The folder of fusor.pc tells where the tree lies, however deep its library folder is.
file(RELATIVE_PATH FUSOR_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" FUSOR_PC_PREFIX "${FUSOR_PC_PREFIX}")
set(FUSOR_PC_PRIVATE "-pthread -ldl -lm")
if(FUSOR_CUDA_FOUND)
    get_filename_component(cudart_dir ${FUSOR_CUDART_STATIC} DIRECTORY)
    set(FUSOR_PC_PRIVATE "-L${cudart_dir} -lcudart_static -lrt ${FUSOR_PC_PRIVATE}")
endif()
if(FUSOR_CUB_FOUND)
    set(FUSOR_PC_PRIVATE "${FUSOR_PC_PRIVATE} -lstdc++")
endif()
configure_file(cmake/fusor.pc.in ${PROJECT_BINARY_DIR}/fusor.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fusor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(DIRECTORY include/fusor ${FUSOR_GENERATED_DIR}/include/fusor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)
if(FUSOR_PROGRAMS)
    install(TARGETS fusor-bench COMPONENT programs)
    install(DIRECTORY examples/data DESTINATION ${CMAKE_INSTALL_DATADIR}/fusor COMPONENT programs)
    install(FILES docs/man/fusor-bench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
endif()

# The pages lie to each other as in the source tree, so that their links hold.
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "man" EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation
        FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.cpp" PATTERN "*.md" PATTERN "CMakeLists.txt" PATTERN "data" EXCLUDE)
install(DIRECTORY ${FUSOR_REFERENCE_DIR}/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation OPTIONAL)
install(FILES ${FUSOR_MANUAL} DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT documentation)

if(FUSOR_TOP)
    add_custom_target(uninstall
        COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/fusor-uninstall.cmake
        COMMENT "Removing what was installed" VERBATIM)
endif()
