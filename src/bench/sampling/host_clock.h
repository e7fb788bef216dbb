// The host's clock, in its own source file: tests of the samplers replace it.
#pragma once

namespace stream_compaction {

/// Microseconds since some fixed moment; never decreases.
double host_clock_us();

}  // namespace stream_compaction
