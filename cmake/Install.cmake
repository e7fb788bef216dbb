# Another project gets the target stream_compaction::stream_compaction by add_subdirectory, or by
#   find_package(stream_compaction REQUIRED)
# where the library was installed. Its public headers are those that name no kernel.
target_sources(stream_compaction PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES
  ${PROJECT_SOURCE_DIR}/simt/backend.h
  ${PROJECT_SOURCE_DIR}/simt/checked_size.h
  ${PROJECT_SOURCE_DIR}/simt/device.h
  ${PROJECT_SOURCE_DIR}/simt/device_profile.h
  ${PROJECT_SOURCE_DIR}/simt/error.h
  ${PROJECT_SOURCE_DIR}/simt/memory.h
  ${PROJECT_SOURCE_DIR}/simt/stream.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/algorithm.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/capacity.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/counting.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/cpu.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/cpu_parallel.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/cub.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/cub_types.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/device_size.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/distributed.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/distributed/nccl.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/efficient.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/efficient_plus.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/grid.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/hybrid_radix.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/key_order.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/map_scan_scatter.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/naive.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/onesweep.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/radix.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/of_thread.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/registry.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/single_pass.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/stopwatch.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/streamed.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/thrust.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/timeline.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/transfer_watch.h
  ${PROJECT_SOURCE_DIR}/stream_compaction/variants.h)

if(PROJECT_IS_TOP_LEVEL)
  include(CMakePackageConfigHelpers)
  include(GNUInstallDirs)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stream_compaction)

  install(TARGETS stream_compaction EXPORT stream_compaction FILE_SET HEADERS)
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
endif()
