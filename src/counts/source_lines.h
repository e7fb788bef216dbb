// Which function and line an address of this executable's code belongs to. binutils' addr2line
// tells, which comes with the compiler.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace stream_compaction {

/// A place in a source file. A file of the project is named from the project's folder.
struct SourceLine {
    std::string function;  ///< its name alone, with the values of its template parameters
    std::string file;
    unsigned line = 0;
    bool in_project = false;
};

class SourceLines {
  public:
    /// Asks for all of these at once.
    explicit SourceLines(const std::vector<std::uintptr_t>& addresses);

    /// False where addr2line cannot be started, or finds nothing: then nothing is known.
    bool available() const { return !lines_.empty(); }

    /// Innermost first where functions are inlined; empty where it is not known.
    const std::vector<SourceLine>& at(std::uintptr_t address) const;

    /// The line of the kernel, or of what it includes, that an access stands for: the innermost
    /// one in the project that is not the emulation's own. `calls` as Site has it.
    SourceLine of_access(const std::vector<std::uintptr_t>& calls) const;

  private:
    std::map<std::uintptr_t, std::vector<SourceLine>> lines_;
};

}  // namespace stream_compaction
