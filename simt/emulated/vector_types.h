// CUDA's vector types. They are in the backend's namespace, because an executable may contain
// CUDA's own types as well; kernel sources see them without the namespace.
#pragma once

#include "simt/backend.h"

namespace simt::inline SIMT_BACKEND {

struct alignas(8) int2 {
    int x, y;
};
struct int3 {
    int x, y, z;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) longlong2 {
    long long x, y;
};
struct alignas(16) ulonglong2 {
    unsigned long long x, y;
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};

constexpr int2 make_int2(int x, int y) { return {x, y}; }
constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
constexpr uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
constexpr longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
constexpr float2 make_float2(float x, float y) { return {x, y}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
constexpr double2 make_double2(double x, double y) { return {x, y}; }

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
using simt::double2;
using simt::float2;
using simt::float4;
using simt::int2;
using simt::int3;
using simt::int4;
using simt::longlong2;
using simt::make_double2;
using simt::make_float2;
using simt::make_float4;
using simt::make_int2;
using simt::make_int3;
using simt::make_int4;
using simt::make_longlong2;
using simt::make_uint2;
using simt::make_uint3;
using simt::make_uint4;
using simt::make_ulonglong2;
using simt::uint2;
using simt::uint3;
using simt::uint4;
using simt::ulonglong2;
