// The commit that the program was built from.
#pragma once

#include <string_view>

namespace stream_compaction {

/// A hash, with "-dirty" if tracked files were changed; "unknown" if the sources are not in a git
/// repository. It is that of the last build, wherever the program is started.
std::string_view built_commit();

}  // namespace stream_compaction
