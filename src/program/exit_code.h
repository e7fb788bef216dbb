// What the programs return.
#pragma once

namespace stream_compaction {

enum class ExitCode {
    right = 0,
    wrong_result = 1,
    usage = 2,
    cuda = 3,   ///< no usable GPU where one was asked for, or an error of CUDA
    files = 4,  ///< a file cannot be read or written
    interrupted = 130,
};

}  // namespace stream_compaction
