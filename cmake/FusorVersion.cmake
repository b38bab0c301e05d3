# SPDX-License-Identifier: MIT
# FUSOR_VERSION: the three numbers of include/fusor/version.h, where alone they stand.
set(header ${CMAKE_CURRENT_LIST_DIR}/../include/fusor/version.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
file(STRINGS ${header} numbers REGEX "^#define FSR_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
list(LENGTH numbers count)
if(NOT count EQUAL 3)
    message(FATAL_ERROR "${header} does not have the three numbers of a version")
endif()
list(JOIN numbers . FUSOR_VERSION)
