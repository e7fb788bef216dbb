# Declares our targets so that they coexist with those of a parent project.
#
# stream_compaction_add(<library|executable> <name> <argument>...)
#   Adds the target stream_compaction_<name>, as add_library or add_executable does, and its alias
#   stream_compaction::<name>. An executable's file keeps the short name, in the folder of its
#   sources' build.
function(stream_compaction_add kind name)
  set(target stream_compaction_${name})
  cmake_language(CALL add_${kind} ${target} ${ARGN})
  cmake_language(CALL add_${kind} stream_compaction::${name} ALIAS ${target})
  set_property(TARGET ${target} PROPERTY CUDA_STANDARD)  # Backends.cmake sets -std=c++20
  if(kind STREQUAL "executable")
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
endfunction()

# Overrides a parent's defaults that do not suit our sources: unnamed namespaces of several files use
# the same names, headers do not mark exported symbols, and programs can link the library without nvcc.
set(CMAKE_UNITY_BUILD OFF)
if(BUILD_SHARED_LIBS)
  set(CMAKE_CXX_VISIBILITY_PRESET default)
  set(CMAKE_CUDA_VISIBILITY_PRESET default)
endif()
set(CMAKE_CUDA_SEPARABLE_COMPILATION OFF)
