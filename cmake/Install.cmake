# Another project gets the targets stream_compaction::stream_compaction and stream_compaction::types by
# add_subdirectory, or by
#   find_package(stream_compaction REQUIRED)
# if the library is installed. A parent project also installs it, because the parent's package may need it.
# Its public headers are those that contain no kernel, except those of libraries that it was built without.
set(headers_of_peers)
if(STREAM_COMPACTION_HAS_CUDA)
  list(APPEND headers_of_peers stream_compaction/cub.h stream_compaction/cub_types.h)
endif()
if(STREAM_COMPACTION_HAS_THRUST)
  list(APPEND headers_of_peers stream_compaction/thrust.h)
endif()
if(STREAM_COMPACTION_HAS_OPENMP)
  list(APPEND headers_of_peers stream_compaction/cpu_parallel.h)
endif()
target_sources(stream_compaction_core PUBLIC FILE_SET HEADERS FILES
  simt/backend.h
  simt/checked_size.h
  simt/device.h
  simt/device_profile.h
  simt/error.h
  simt/memory.h
  simt/stream.h
  stream_compaction/algorithm.h
  stream_compaction/capacity.h
  stream_compaction/compiled.h
  stream_compaction/counting.h
  stream_compaction/cpu.h
  stream_compaction/device_size.h
  stream_compaction/distributed.h
  stream_compaction/distributed/nccl.h
  stream_compaction/efficient.h
  stream_compaction/efficient_plus.h
  stream_compaction/grid.h
  stream_compaction/hybrid_radix.h
  stream_compaction/key_order.h
  stream_compaction/loan.h
  stream_compaction/map_scan_scatter.h
  stream_compaction/naive.h
  stream_compaction/onesweep.h
  stream_compaction/parts/overlap.h
  stream_compaction/radix.h
  stream_compaction/registry.h
  stream_compaction/single_pass.h
  stream_compaction/stopwatch.h
  stream_compaction/streamed.h
  stream_compaction/transfer_watch.h
  stream_compaction/variants.h
  ${headers_of_peers})

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stream_compaction)

# For programs that are compiled without the target, which defines the backend.
foreach(backend CUDA EMULATION)
  set(SIMT_HAS_${backend} 0)
  if(STREAM_COMPACTION_HAS_${backend})
    set(SIMT_HAS_${backend} 1)
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/simt/built_backends.h.in ${PROJECT_BINARY_DIR}/built_backends.h @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/built_backends.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/simt)

install(TARGETS stream_compaction_core stream_compaction_types EXPORT stream_compaction FILE_SET HEADERS)
install(EXPORT stream_compaction NAMESPACE stream_compaction::
        FILE stream_compaction-targets.cmake DESTINATION ${package_dir})

configure_package_config_file(
  cmake/stream_compaction-config.cmake.in
  ${PROJECT_BINARY_DIR}/stream_compaction-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/stream_compaction-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/stream_compaction-config.cmake
  ${PROJECT_BINARY_DIR}/stream_compaction-config-version.cmake
  DESTINATION ${package_dir})
