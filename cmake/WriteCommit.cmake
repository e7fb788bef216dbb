# cmake -D SOURCE_DIR=<folder> -D FILE=<file> -P WriteCommit.cmake
# Writes a C++ source with the commit of the sources: a hash, with "-dirty" if tracked files were
# changed; "unknown" without git, or if the folder is not a repository of its own. An unchanged file
# is not touched, so nothing that depends on it is built again. <file>.d lists the files on which the
# commit depends: all tracked ones, and those in which git stores the current commit.
function(git result)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE_DIR} ${ARGN}
                  OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  set(${result} "${output}" PARENT_SCOPE)
  if(failed)
    set(${result} NOTFOUND PARENT_SCOPE)
  endif()
endfunction()

git(prefix rev-parse --show-prefix)  # empty in the repository's own folder
git(commit rev-parse --verify --quiet HEAD)
git(changes status --porcelain --untracked-files=no)
if(NOT prefix STREQUAL "" OR NOT commit)
  set(commit unknown)
elseif(NOT changes STREQUAL "")
  string(APPEND commit -dirty)
endif()
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
// Written by cmake/WriteCommit.cmake.
#include "src/measure/built_commit.h"

namespace stream_compaction {

std::string_view built_commit() { return "@commit@"; }

}  // namespace stream_compaction
]])

set(depends_on)
if(NOT commit STREQUAL "unknown")
  git(tracked ls-files)
  string(REPLACE "\n" ";" tracked "${tracked}")
  git(branch rev-parse --symbolic-full-name HEAD)
  foreach(stored HEAD logs/HEAD packed-refs ${branch})
    git(stored rev-parse --git-path ${stored})
    list(APPEND tracked ${stored})
  endforeach()
  foreach(name IN LISTS tracked)
    cmake_path(ABSOLUTE_PATH name BASE_DIRECTORY ${SOURCE_DIR})
    if(EXISTS "${name}")
      string(REPLACE " " "\\ " name "${name}")
      string(APPEND depends_on " \\\n  ${name}")
    endif()
  endforeach()
endif()
file(WRITE ${FILE}.d "${FILE}:${depends_on}\n")
