// Maps a runtime value to a template argument.
#pragma once

namespace stream_compaction {

/// Calls f.template operator()<Value>() for the Value that equals `value`. Returns false if none
/// does.
template <int... Values, class F>
bool dispatch(int value, F&& f) {
    return ((value == Values && (f.template operator()<Values>(), true)) || ...);
}

}  // namespace stream_compaction
