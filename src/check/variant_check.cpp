#include "src/check/variant_check.h"

#include "src/check/variant_output.h"

#include <algorithm>

namespace stream_compaction::inline SIMT_BACKEND {

VariantCheck::VariantCheck(const Variant& variant, const Input& input)
    : variant_(variant),
      n_(input.size()),
      count_(n_),
      in_(n_ * variant.in_bytes),
      out_(n_ * variant.out_bytes) {
    std::vector<int> source(n_);
    stream_compaction::store(input, source);
    if (variant.operation == Operation::compact)
        count_ -= static_cast<std::size_t>(std::ranges::count(source, 0));
    store_elements(variant, source, in_.data());
}

void VariantCheck::store(int* in, const simt::Stream& stream) const {
    simt::copy_async(in, in_.data(), in_.size(), stream.get());
    stream.synchronize();
}

void VariantCheck::prepare(int* out, std::size_t* count, const simt::Stream& stream) const {
    constexpr int kByte = std::to_integer<int>(kUnwritten);
    simt::fill_async(out, kByte, out_.size(), stream.get());
    simt::fill_async(count, kByte, sizeof *count, stream.get());
}

std::optional<std::string> VariantCheck::what_is_wrong(const int* out, const std::size_t* count,
                                                       const simt::Stream& stream) const {
    std::size_t found = 0;
    simt::copy_async(out_.data(), out, out_.size(), stream.get());
    simt::copy_async(&found, count, sizeof found, stream.get());
    stream.synchronize();
    return stream_compaction::what_is_wrong(variant_, in_.data(), out_.data(), n_, found);
}

}  // namespace stream_compaction::inline SIMT_BACKEND
