# Finds what the backends are built with, and sets
#   STREAM_COMPACTION_HAS_CUDA, _HAS_EMULATION, _HAS_OPENMP   ON or OFF; Cccl.cmake the rest
# and the interface library
#   stream_compaction::warnings   for our own code only: errors, or, in a parent project, none at all

include(CheckLanguage)

set(STREAM_COMPACTION_HAS_CUDA OFF)
if(STREAM_COMPACTION_CUDA)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      include(GpuArchitectures)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(STREAM_COMPACTION_HAS_CUDA ON)
  endif()
endif()

set(STREAM_COMPACTION_HAS_EMULATION OFF)
if(STREAM_COMPACTION_EMULATION)
  find_package(Boost 1.71 QUIET COMPONENTS context)
  set(STREAM_COMPACTION_HAS_EMULATION ${Boost_CONTEXT_FOUND})
endif()
if(NOT STREAM_COMPACTION_HAS_CUDA AND NOT STREAM_COMPACTION_HAS_EMULATION)
  message(FATAL_ERROR "Neither a CUDA compiler nor Boost.Context was found: nothing can run a kernel."
                      " scripts/setup installs what is missing.")
endif()

find_package(Threads REQUIRED)
find_package(OpenMP QUIET COMPONENTS CXX)

if(NOT STREAM_COMPACTION_HAS_CUDA)
  find_package(CUDAToolkit QUIET)  # a toolkit brings Thrust, whose host backends need no nvcc
endif()
include(Cccl)

set(STREAM_COMPACTION_HAS_OPENMP OFF)
if(OpenMP_CXX_FOUND AND STREAM_COMPACTION_HAS_THRUST)
  set(STREAM_COMPACTION_HAS_OPENMP ON)
endif()

stream_compaction_add(library warnings INTERFACE)
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(stream_compaction_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings -Xcompiler=-Wall,-Wextra,-Werror>)
else()
  target_compile_options(stream_compaction_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-w> $<$<COMPILE_LANGUAGE:CUDA>:-w -Xcompiler=-w>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 takes "text" + std::string for an overlapping copy (its bug 105651).
  target_compile_options(stream_compaction_warnings
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

# Errors name files relative to the project.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)

message(STATUS "stream_compaction: CUDA ${STREAM_COMPACTION_HAS_CUDA}"
               ", emulation ${STREAM_COMPACTION_HAS_EMULATION}"
               ", Thrust ${STREAM_COMPACTION_HAS_THRUST}, OpenMP ${STREAM_COMPACTION_HAS_OPENMP}")
