# SPDX-License-Identifier: MIT
# Removes what was installed from a build: cmake -DBUILD=<build> -P fusor-uninstall.cmake. The build's manifests
# (install_manifest.txt, or one a component) say what that is; of folders those
# of the name fusor go that this leaves empty. What is not there
# any more is no error. DESTDIR counts as it did at the installation.
file(GLOB manifests "${BUILD}/install_manifest*.txt")
if(NOT manifests)
    message(FATAL_ERROR "nothing was installed from ${BUILD}: there is no install_manifest.txt")
endif()
set(folders)
foreach(manifest ${manifests})
    file(STRINGS ${manifest} files)
    foreach(name ${files})
        set(file "$ENV{DESTDIR}${name}")
        if(EXISTS ${file} OR IS_SYMLINK ${file})
            file(REMOVE ${file})
            if(EXISTS ${file} OR IS_SYMLINK ${file})
                message(FATAL_ERROR "cannot remove ${file}")
            endif()
            message(STATUS "removed ${file}")
        endif()
        get_filename_component(folder ${file} DIRECTORY)
        list(APPEND folders ${folder})
    endforeach()
endforeach()

# A folder, then the one around it, as long as they are empty and below or of the name fusor. Others, bin or share/man, may
# have been there before.
list(REMOVE_DUPLICATES folders)
foreach(folder ${folders})
    while(IS_DIRECTORY ${folder} AND folder MATCHES "/fusor(/|$)")
        file(GLOB left "${folder}/*" "${folder}/.*")
        list(FILTER left EXCLUDE REGEX "/\\.\\.?$")
        if(left)
            break()
        endif()
        file(REMOVE_RECURSE ${folder})
        get_filename_component(folder ${folder} DIRECTORY)
    endwhile()
endforeach()
file(REMOVE ${manifests})
