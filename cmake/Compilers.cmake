# Finds the compilers and libraries of the backends, and sets
#   STREAM_COMPACTION_HAS_CUDA, _HAS_EMULATION, _HAS_OPENMP   ON or OFF; Cccl.cmake the rest
# and the interface library
#   stream_compaction::warnings   for our own code only: errors, or, in a parent project, none at all

include(CheckLanguage)

try_compile(STREAM_COMPACTION_HAS_CXX20 ${PROJECT_BINARY_DIR}/cxx20
            SOURCES ${PROJECT_SOURCE_DIR}/cmake/cxx20.cpp CXX_STANDARD 20)
if(NOT STREAM_COMPACTION_HAS_CXX20)
  unset(STREAM_COMPACTION_HAS_CXX20 CACHE)  # other flags may change it
  message(FATAL_ERROR "C++ compiler: given ${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} "
          "${CMAKE_CXX_COMPILER_VERSION}), which lacks C++20's std::source_location or ranges, "
          "allowed: g++ 12, clang++ 16, or later")
endif()

set(STREAM_COMPACTION_HAS_CUDA OFF)
if(STREAM_COMPACTION_CUDA)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    include(GpuArchitectures)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
      message(FATAL_ERROR "CUDA compiler: given ${CMAKE_CUDA_COMPILER} "
              "(${CMAKE_CUDA_COMPILER_VERSION}), which lacks C++20, allowed: 12.0 or later")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(STREAM_COMPACTION_HAS_CUDA ON)
  else()
    unset(CMAKE_CUDA_COMPILER CACHE)  # a later call may find one
    if(STREAM_COMPACTION_CUDA STREQUAL "ON")
      message(FATAL_ERROR "STREAM_COMPACTION_CUDA: given 'ON', but no CUDA compiler works: "
              "name one by -DCMAKE_CUDA_COMPILER=<nvcc>, or build without the GPU backend (OFF)")
    endif()
  endif()
endif()

set(STREAM_COMPACTION_HAS_EMULATION OFF)
if(STREAM_COMPACTION_EMULATION)
  find_package(Boost 1.71 QUIET COMPONENTS context)
  if(TARGET Boost::context)
    set(STREAM_COMPACTION_HAS_EMULATION ON)
  elseif(STREAM_COMPACTION_EMULATION STREQUAL "ON")
    message(FATAL_ERROR "STREAM_COMPACTION_EMULATION: given 'ON', but Boost.Context 1.71 or later "
            "was not found: name its folder by -DBoost_ROOT=<folder>, or build without (OFF)")
  endif()
endif()
if(NOT STREAM_COMPACTION_HAS_CUDA AND NOT STREAM_COMPACTION_HAS_EMULATION)
  set(_missing)
  if(STREAM_COMPACTION_CUDA)
    list(APPEND _missing "no CUDA compiler was found")
  else()
    list(APPEND _missing "STREAM_COMPACTION_CUDA is OFF")
  endif()
  if(STREAM_COMPACTION_EMULATION)
    list(APPEND _missing "Boost.Context 1.71 was not found, or cannot be used with this compiler")
  else()
    list(APPEND _missing "STREAM_COMPACTION_EMULATION is OFF")
  endif()
  list(JOIN _missing ", and " _missing)
  message(FATAL_ERROR "Nothing can run a kernel: ${_missing}. scripts/setup installs what is missing.")
endif()

find_package(Threads REQUIRED)
find_package(OpenMP QUIET COMPONENTS CXX)

if(NOT STREAM_COMPACTION_HAS_CUDA)
  find_package(CUDAToolkit QUIET)  # a toolkit contains Thrust, whose host backends need no nvcc
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
  # g++ 12 mistakes "text" + std::string for an overlapping copy (its bug 105651).
  target_compile_options(stream_compaction_warnings
    INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

# Error messages name files relative to the project.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)

message(STATUS "stream_compaction: CUDA ${STREAM_COMPACTION_HAS_CUDA}"
               ", emulation ${STREAM_COMPACTION_HAS_EMULATION}"
               ", Thrust ${STREAM_COMPACTION_HAS_THRUST}, OpenMP ${STREAM_COMPACTION_HAS_OPENMP}")
