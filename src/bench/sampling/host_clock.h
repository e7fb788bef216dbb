// The host's clock, as a function of its own: a test of the samplers has another one.
#pragma once

namespace stream_compaction {

/// Microseconds since some moment, which never go back.
double host_clock_us();

}  // namespace stream_compaction
