// The exit codes of the programs.
#pragma once

namespace stream_compaction {

enum class ExitCode {
    right = 0,
    wrong_result = 1,
    usage = 2,
    cuda = 3,   ///< no usable GPU although one was requested, or a CUDA error
    files = 4,  ///< a file cannot be read or written
    interrupted = 130,
};

}  // namespace stream_compaction
