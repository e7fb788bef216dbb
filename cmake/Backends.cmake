# One kernel source, two builds.
#
# stream_compaction_backend_sources(<target> <GPU|EMULATED> <source>...)
#   Adds sources to stream_compaction_<target>, a target of one backend. nvcc compiles a .cu for the
#   GPU; for the CPU, g++ compiles a generated .cpp that includes it.
function(stream_compaction_backend_sources target backend)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(backend STREQUAL "EMULATED" AND source MATCHES "\\.cu$")
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE wrapper)
      cmake_path(REPLACE_EXTENSION wrapper .cpp)
      # Not in a folder with the target's name, because a program may have that name.
      set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/emulated_sources/${target}/${wrapper})
      file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"@source@\"\n" @ONLY)
      target_sources(stream_compaction_${target} PRIVATE ${wrapper})
    else()
      target_sources(stream_compaction_${target} PRIVATE ${source})
    endif()
  endforeach()
endfunction()

# The compile options of every translation unit of one backend.
stream_compaction_add(library backend_gpu INTERFACE)
stream_compaction_add(library backend_emulated INTERFACE)
foreach(backend stream_compaction_backend_gpu stream_compaction_backend_emulated)
  target_include_directories(${backend} INTERFACE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${backend} INTERFACE stream_compaction::warnings)
  target_compile_features(${backend} INTERFACE cxx_std_20)
  target_compile_definitions(${backend} INTERFACE
    $<$<BOOL:${STREAM_COMPACTION_HAS_EMULATION}>:STREAM_COMPACTION_HAS_EMULATION>
    $<$<BOOL:${STREAM_COMPACTION_HAS_THRUST}>:STREAM_COMPACTION_HAS_THRUST>
    $<$<BOOL:${STREAM_COMPACTION_HAS_OPENMP}>:STREAM_COMPACTION_HAS_OPENMP>)
endforeach()
if(STREAM_COMPACTION_HAS_CUDA)
  target_compile_definitions(stream_compaction_backend_gpu INTERFACE STREAM_COMPACTION_HAS_CUDA)
  # CMake 3.25 does not know that nvcc 13 supports C++20, so the flag is set here.
  # constexpr functions, such as those of the inputs or std::min, are used by the host and by kernels.
  target_compile_options(stream_compaction_backend_gpu INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>
    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
  target_link_libraries(stream_compaction_backend_gpu INTERFACE CUDA::cudart_static)
endif()
target_compile_definitions(stream_compaction_backend_emulated INTERFACE SIMT_EMULATED)
# Kernels access the same bytes as int and as int4, as CUDA allows; nvcc decides about unrolling.
target_compile_options(stream_compaction_backend_emulated INTERFACE
  -fno-strict-aliasing -Wno-unknown-pragmas)
target_link_libraries(stream_compaction_backend_emulated INTERFACE Threads::Threads)

# The emulated backend once more, for count_accesses: its kernels report every load and store to
# src/counts/receivers.cpp. The calls are those of g++'s ThreadSanitizer, so no other sanitizer is
# possible, and the sanitizer's own runtime is not linked.
set(STREAM_COMPACTION_HAS_COUNTS OFF)
if(STREAM_COMPACTION_HAS_EMULATION AND STREAM_COMPACTION_PROGRAMS
   AND NOT STREAM_COMPACTION_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(STREAM_COMPACTION_HAS_COUNTS ON)
endif()
message(STATUS "stream_compaction: count_accesses ${STREAM_COMPACTION_HAS_COUNTS} "
               "(wants emulation, programs, g++ and no sanitizer)")
stream_compaction_add(library backend_counted INTERFACE)
target_link_libraries(stream_compaction_backend_counted
  INTERFACE stream_compaction::backend_emulated)
target_compile_definitions(stream_compaction_backend_counted INTERFACE SIMT_COUNTED)
# For targets with kernels. Every build is optimised enough that values stay in registers. But code
# is not duplicated, keeps its order, and a vector stays a vector.
stream_compaction_add(library counted_kernels INTERFACE)
target_link_libraries(stream_compaction_counted_kernels
  INTERFACE stream_compaction::backend_counted)
set(STREAM_COMPACTION_IN_DEBUG_INFORMATION /project/)
target_compile_options(stream_compaction_counted_kernels INTERFACE
  -fsanitize=thread -fsanitize-coverage=trace-pc
  -O1 -fno-reorder-blocks -fno-thread-jumps -fno-tree-ch -fno-tree-sra -fno-ipa-sra
  -g1 -gdwarf-4 -fdebug-prefix-map=${PROJECT_SOURCE_DIR}/=${STREAM_COMPACTION_IN_DEBUG_INFORMATION})

# Sanitizers apply to the emulated backend: it and everything that links it are compiled with them.
if(STREAM_COMPACTION_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${STREAM_COMPACTION_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=undefined>
                      $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  add_link_options(-fsanitize=${STREAM_COMPACTION_SANITIZE})
  # Thrust binds references to null pointers, and reads nothing through them.
  target_compile_options(stream_compaction_cccl INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null>)
endif()

# The backend of sources that belong to neither: the GPU backend if it is built.
if(STREAM_COMPACTION_HAS_CUDA)
  add_library(stream_compaction::backend_default ALIAS stream_compaction_backend_gpu)
else()
  add_library(stream_compaction::backend_default ALIAS stream_compaction_backend_emulated)
endif()
