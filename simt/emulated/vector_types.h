// CUDA's vector types. They are in the backend's namespace, because an executable may contain
// CUDA's own types as well; kernel sources see them without the namespace.
#pragma once

#include "simt/backend.h"

namespace simt::inline SIMT_BACKEND {

struct alignas(16) int4 {
    int x, y, z, w;
};
struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

/// The extent of a grid or of a block.
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
        : x(width), y(height), z(depth) {}
    constexpr dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

}  // namespace simt::inline SIMT_BACKEND

using simt::dim3;
using simt::int4;
using simt::make_int4;
using simt::make_uint4;
using simt::uint3;
using simt::uint4;
