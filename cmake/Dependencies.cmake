# CLI11, nlohmann-json and GoogleTest: installed ones, otherwise pinned releases of the projects. MPI,
# if it is installed.
include(FetchContent)

if(STREAM_COMPACTION_PROGRAMS OR STREAM_COMPACTION_TESTS)
  FetchContent_Declare(CLI11
    URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
    FIND_PACKAGE_ARGS NAMES CLI11)
  set(JSON_BuildTests OFF)
  FetchContent_Declare(nlohmann_json
    URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    FIND_PACKAGE_ARGS 3.9)
  FetchContent_MakeAvailable(CLI11 nlohmann_json)

  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "distributed_test: several processes are left out, since there is no MPI")
  endif()
endif()

if(STREAM_COMPACTION_TESTS)
  set(INSTALL_GTEST OFF)
  FetchContent_Declare(googletest
    URL https://github.com/google/googletest/archive/refs/tags/v1.15.2.tar.gz
    FIND_PACKAGE_ARGS 1.11 NAMES GTest)
  FetchContent_MakeAvailable(googletest)
endif()
