// Exceptions of simt. Both backends throw the same types.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace simt {

/// A call failed; the message says why, and at which file and line.
class Error : public std::runtime_error {
  public:
    explicit Error(const std::string& what,
                   std::source_location where = std::source_location::current())
        : std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                             ": " + what) {}
};

/// The device has no memory left for an allocation. Nothing was allocated.
class OutOfMemory : public Error {
  public:
    explicit OutOfMemory(const std::string& what,
                         std::source_location where = std::source_location::current())
        : Error("out of memory: " + what, where) {}
};

/// The host cannot start the threads that a kernel's blocks, which wait for each other, need. Only
/// the emulated backend has such threads.
class OutOfThreads : public Error {
  public:
    explicit OutOfThreads(const std::string& what,
                          std::source_location where = std::source_location::current())
        : Error(what, where) {}
};

/// A kernel broke a rule of the CUDA programming model (a divergent barrier, a wrong mask, a block
/// that makes no progress). Only the emulated backend detects this.
class KernelError : public Error {
  public:
    explicit KernelError(const std::string& what,
                         std::source_location where = std::source_location::current())
        : Error(what, where) {}
};

}  // namespace simt
