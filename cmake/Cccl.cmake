# Finds the headers of CUB and Thrust, and sets
#   STREAM_COMPACTION_HAS_THRUST     ON or OFF
#   STREAM_COMPACTION_CCCL_FOLDERS   their folders
# and the interface library
#   stream_compaction::cccl   for the sources that include them
set(CCCL_DIR "" CACHE PATH "A checkout of NVIDIA/cccl, whose CUB and Thrust replace the toolkit's")

stream_compaction_add(library cccl INTERFACE)
set(STREAM_COMPACTION_CCCL_FOLDERS)
if(CCCL_DIR)
  set(root ${CCCL_DIR})
  if(EXISTS ${CCCL_DIR}/cccl-config.cmake)  # set by find_package(CCCL)
    cmake_path(SET root NORMALIZE ${CCCL_DIR}/../../..)
  endif()
  foreach(header cub/version.cuh thrust/version.h cuda/std/version)
    unset(folder)
    find_path(folder ${header} PATHS ${root} NO_DEFAULT_PATH NO_CACHE
              PATH_SUFFIXES cub thrust libcudacxx/include include include/cccl)
    if(NOT folder)
      message(FATAL_ERROR "CCCL_DIR: given '${CCCL_DIR}', which has no ${header}, "
                          "expected a checkout of NVIDIA/cccl")
    endif()
    list(APPEND STREAM_COMPACTION_CCCL_FOLDERS ${folder})
  endforeach()
  list(REMOVE_DUPLICATES STREAM_COMPACTION_CCCL_FOLDERS)
  # Not SYSTEM: nvcc 12 searches the toolkit's folder before system folders. The headers mark
  # themselves as system headers.
  target_include_directories(stream_compaction_cccl INTERFACE ${STREAM_COMPACTION_CCCL_FOLDERS})
else()
  find_path(STREAM_COMPACTION_THRUST_INCLUDE_DIR thrust/version.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl)
  mark_as_advanced(STREAM_COMPACTION_THRUST_INCLUDE_DIR)
  if(STREAM_COMPACTION_THRUST_INCLUDE_DIR)
    set(STREAM_COMPACTION_CCCL_FOLDERS ${STREAM_COMPACTION_THRUST_INCLUDE_DIR})
  endif()
  target_include_directories(stream_compaction_cccl
    SYSTEM INTERFACE ${STREAM_COMPACTION_CCCL_FOLDERS})
endif()

set(STREAM_COMPACTION_HAS_THRUST OFF)
if(STREAM_COMPACTION_CCCL_FOLDERS)
  set(STREAM_COMPACTION_HAS_THRUST ON)
endif()
