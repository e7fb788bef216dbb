// Finds the function and line of an address in this executable's code, with addr2line (binutils),
// which comes with the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stream_compaction {

/// A location in a source file. Files of the project are relative to the project's folder.
struct SourceLine {
    std::string function;  ///< unqualified name, with the values of its template parameters
    std::string file;
    unsigned line = 0;
    bool in_project = false;
};

class SourceLines {
  public:
    /// Looks up all of these at once.
    explicit SourceLines(const std::vector<std::uintptr_t>& addresses);

    /// False if addr2line cannot be started or finds nothing.
    bool available() const { return !lines_.empty(); }

    /// Innermost function first if functions are inlined; empty if unknown.
    const std::vector<SourceLine>& at(std::uintptr_t address) const;

    /// The source line that an access is attributed to: the innermost line in the project that is
    /// not in the emulation. `calls` as in Site.
    SourceLine of_access(const std::vector<std::uintptr_t>& calls) const;

  private:
    std::map<std::uintptr_t, std::vector<SourceLine>> lines_;
};

}  // namespace stream_compaction
