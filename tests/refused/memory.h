// Refuses memory to threads, in a program that is linked with memory.cpp.
#pragma once

namespace stream_compaction {

/// As long as this lives, `new` throws in every thread but its own.
class NoMemoryForOthers {
  public:
    NoMemoryForOthers();
    NoMemoryForOthers(const NoMemoryForOthers&) = delete;
    NoMemoryForOthers& operator=(const NoMemoryForOthers&) = delete;
    ~NoMemoryForOthers();
};

}  // namespace stream_compaction
