# Sets CMAKE_CUDA_ARCHITECTURES if neither the user nor a parent project did: to CUDAARCHS in the
# environment, as CMake would, otherwise to the GPU in the machine, otherwise to all current ones.
# ('native' fails on a machine without a GPU, and unset silently means the oldest.)

# When a parent enables CUDA without a choice, CMake caches nvcc's default, which is the oldest, with
# this description. A variable of the parent, or a cache entry of the user, is a choice.
get_property(described CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
if(DEFINED CMAKE_CUDA_ARCHITECTURES AND
   NOT (described STREQUAL "CUDA architectures" AND
        CMAKE_CUDA_ARCHITECTURES STREQUAL "$CACHE{CMAKE_CUDA_ARCHITECTURES}"))
  return()
endif()

set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120)
# The kernels of the tests need not be fast on every GPU: the driver compiles them.
set(STREAM_COMPACTION_TEST_ARCHITECTURES 75-virtual)
find_program(STREAM_COMPACTION_NVIDIA_SMI nvidia-smi)
mark_as_advanced(STREAM_COMPACTION_NVIDIA_SMI)
if(STREAM_COMPACTION_NVIDIA_SMI)
  execute_process(COMMAND ${STREAM_COMPACTION_NVIDIA_SMI}
                    --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE _capabilities RESULT_VARIABLE _status ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(_status EQUAL 0 AND _capabilities MATCHES "[0-9]")
    string(REPLACE "." "" _capabilities "${_capabilities}")
    string(REPLACE "\n" ";" _capabilities "${_capabilities}")
    list(REMOVE_DUPLICATES _capabilities)
    list(TRANSFORM _capabilities APPEND "-real")
    set(CMAKE_CUDA_ARCHITECTURES ${_capabilities})
    unset(STREAM_COMPACTION_TEST_ARCHITECTURES)
  endif()
endif()
if(NOT "$ENV{CUDAARCHS}" STREQUAL "")
  set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
  unset(ENV{CUDAARCHS})  # CMake would cache it as if the user had set it
endif()
message(STATUS "GPU architectures: ${CMAKE_CUDA_ARCHITECTURES}")
