// Every kind of wrong output is detected.
#include "src/check/device_check.h"
#include "src/check/host_check.h"
#include "src/check/variant_output.h"
#include "src/input/device_input.h"
#include "src/input/input.h"
#include "src/input/key_file.h"
#include "tests/temporary_file.h"

#include "simt/memory.h"
#include "simt/stream.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>

namespace stream_compaction {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

constexpr std::size_t kSize = 9001;  // several chunks, and a part of one

std::vector<int> answer(Operation operation, const std::vector<int>& in) {
    std::vector<int> out = in;
    if (operation == Operation::scan) {
        unsigned sum = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            out[i] = static_cast<int>(sum);
            sum += static_cast<unsigned>(in[i]);
        }
    }
    if (operation == Operation::compact) std::erase(out, 0);
    if (operation == Operation::sort) std::ranges::sort(out);
    return out;
}

/// Gives the same output to both checks, which must agree. `written` begins at index 0, and may be
/// longer than the output.
std::optional<std::string> judge(Operation operation, const std::vector<int>& in,
                                 const std::vector<int>& written, std::size_t count) {
    const HostCheck host_check(operation, in);
    std::vector<int> host_out(in.size() + HostCheck::kGuard);
    host_check.prepare(host_out);
    std::ranges::copy(written, host_out.begin());
    const auto on_host = host_check.what_is_wrong(host_out, count);

    const simt::Stream stream;
    const simt::DeviceArray<int> device_in{std::span(in)};
    simt::DeviceArray<int> out(in.size() + DeviceCheck::kGuard);
    simt::DeviceArray<std::size_t> device_count(1);
    const DeviceCheck check(operation, device_in.data(), in.size(), stream);
    EXPECT_EQ(check.count(), host_check.count());
    check.prepare(out.data(), device_count.data(), stream);
    stream.synchronize();
    out.copy_from(written);
    device_count.copy_from(std::span(&count, 1));
    const auto on_device = check.what_is_wrong(out.data(), device_count.data(), stream);
    EXPECT_EQ(on_host, on_device);
    return on_device;
}

std::optional<std::string> judge(Operation operation, const std::vector<int>& in,
                                 const std::vector<int>& written) {
    return judge(operation, in, written, written.size());
}

class Check : public testing::TestWithParam<Operation> {
  protected:
    std::vector<int> in_ = make_input(Distribution::uniform50, 0.5, kSize, 3);
    std::vector<int> out_ = answer(GetParam(), in_);
};

TEST_P(Check, AcceptsWhatIsRight) {
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 4095, 4096, 4097, 9001})
        for (const std::optional<double> kept : {std::optional<double>(), {0.0}, {0.5}, {1.0}}) {
            const auto in = make_input(Distribution::uniform50, kept, n, 7);
            EXPECT_EQ(judge(GetParam(), in, answer(GetParam(), in)), std::nullopt);
        }
}

TEST_P(Check, FindsOneWrongElementWhereverItIs) {
    for (const std::size_t i : {std::size_t{0}, out_.size() / 2, out_.size() - 1}) {
        auto out = out_;
        out[i] += i + 1 == out.size() ? 1 : 100000;
        EXPECT_NE(judge(GetParam(), in_, out), std::nullopt) << i;
    }
}

TEST_P(Check, FindsAShift) {
    auto out = out_;
    std::ranges::rotate(out, out.begin() + 1);
    EXPECT_NE(judge(GetParam(), in_, out), std::nullopt);
}

TEST_P(Check, FindsSwappedNeighbours) {
    auto out = out_;
    const auto differ = std::ranges::adjacent_find(out, std::ranges::not_equal_to());
    std::iter_swap(differ, differ + 1);
    EXPECT_NE(judge(GetParam(), in_, out), std::nullopt);
}

TEST_P(Check, FindsAMissingLastElement) {
    auto out = out_;
    out.pop_back();
    EXPECT_NE(judge(GetParam(), in_, out, out_.size()), std::nullopt);
}

TEST_P(Check, FindsWhatIsWrittenPastTheEnd) {
    auto out = out_;
    out.push_back(5);
    EXPECT_THAT(judge(GetParam(), in_, out, out_.size()),
                Optional(HasSubstr("index " + std::to_string(out_.size()) + ": 5 was written")));
    if (GetParam() == Operation::compact) {
        out.resize(in_.size() + DeviceCheck::kGuard, 0x5c5c5c5c);
        out[out_.size()] = 0x5c5c5c5c;
        out.back() = 0;
        EXPECT_THAT(judge(GetParam(), in_, out, out_.size()), Optional(HasSubstr("written")));
    }
}

TEST_P(Check, FindsAnUntouchedOutput) {
    EXPECT_NE(judge(GetParam(), in_, {}, out_.size()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Operations, Check,
                         testing::Values(Operation::scan, Operation::compact, Operation::sort),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST(ScanCheck, TellsTheFirstWrongElement) {
    const std::vector<int> in(1000, 2);
    auto out = answer(Operation::scan, in);
    out[700] = 5;
    out[900] = 5;
    EXPECT_EQ(judge(Operation::scan, in, out), "index 700: expected 1400, got 5");
    out[0] = 1;
    EXPECT_EQ(judge(Operation::scan, in, out), "index 0: expected 0, got 1");
}

TEST(CompactCheck, FindsAWrongCount) {
    const std::vector<int> in = {1, 0, 2};
    EXPECT_EQ(judge(Operation::compact, in, {1, 2}, 3), "expected a count of 2, got 3");
    EXPECT_EQ(judge(Operation::compact, in, {1, 2}, 1), "expected a count of 2, got 1");
}

TEST(CompactCheck, TellsTheFirstWrongElement) {
    const auto in = make_input(Distribution::uniform50, 0.5, kSize, 5);
    const auto right = answer(Operation::compact, in);
    for (const std::size_t i : {std::size_t{0}, right.size() / 2, right.size() - 1}) {
        auto out = right;
        out[i] = out.back() = -1;
        EXPECT_EQ(judge(Operation::compact, in, out), "index " + std::to_string(i) + ": expected " +
                                                          std::to_string(right[i]) + ", got -1");
    }
}

TEST(CompactCheck, FindsARightMultisetInTheWrongOrder) {
    const std::vector<int> in = {1, 0, 2, 3};
    EXPECT_EQ(judge(Operation::compact, in, {1, 3, 2}), "index 1: expected 2, got 3");
}

TEST(SortCheck, TellsTheFirstWrongElement) {
    const std::vector<int> in = {3, 1, 2, 2};
    EXPECT_EQ(judge(Operation::sort, in, {1, 2, 3, 3}), "index 2: expected 2, got 3");
    EXPECT_EQ(judge(Operation::sort, in, {0, 1, 2, 3}), "index 0: expected 1, got 0");
    EXPECT_EQ(judge(Operation::sort, in, {1, 2, 2, 2}), "index 3: expected 3, got 2");
    EXPECT_EQ(judge(Operation::sort, in, {1, 3, 2, 2}), "index 1: expected 2, got 3");
    EXPECT_EQ(judge(Operation::sort, in, {1, 2, 2, -3}), "index 3: expected 3, got -3");
}

/// The result must be that of a comparison with the correct output.
TEST(SortCheck, TellsTheFirstWrongElementOfAny) {
    constexpr int kMin = std::numeric_limits<int>::min(), kMax = std::numeric_limits<int>::max();
    constexpr int kKeys[] = {kMin, kMin + 1, -1, 0, 1, kMax - 1, kMax};
    std::mt19937 random(1);
    for (int round = 0; round < 100; ++round) {
        std::vector<int> in(1 + random() % 20);
        for (int& key : in) key = kKeys[random() % std::size(kKeys)];
        const std::vector<int> right = answer(Operation::sort, in);
        auto out = right;
        for (unsigned wrong = random() % 3; wrong > 0; --wrong)
            out[random() % out.size()] = kKeys[random() % std::size(kKeys)];
        if (random() % 2 == 0) std::swap(out[random() % out.size()], out[random() % out.size()]);
        const auto [expected, got] = std::ranges::mismatch(right, out);
        EXPECT_EQ(judge(Operation::sort, in, out),
                  expected == right.end()
                      ? std::nullopt
                      : std::optional("index " + std::to_string(expected - right.begin()) +
                                      ": expected " + std::to_string(*expected) + ", got " +
                                      std::to_string(*got)));
    }
}

/// For a sort of 32-bit keys, or pairs.
std::optional<std::string> wrong_sort(const Variant& variant, std::span<const unsigned> in,
                                      std::span<const unsigned> out, std::size_t n) {
    return what_is_wrong(variant, std::as_bytes(in).data(), std::as_bytes(out).data(), n, n);
}

/// Two equal keys, each of which must have its own value.
TEST(PairsCheck, TakesEqualKeysInAnyOrderWhereTheVariantDoes) {
    using Pairs = std::array<unsigned, 6>;  // keys, then values
    constexpr Pairs kIn{7, 7, 3, 0, 1, 2};
    const auto is_right = [&](bool in_any_order, const Pairs& out) {
        const Variant variant = {.operation = Operation::sort,
                                 .name = "pairs",
                                 .in_bytes = 8,
                                 .out_bytes = 8,
                                 .bytes_moved = nullptr,
                                 .element = Element::uint32,
                                 .value = Element::uint32,
                                 .in_any_order = in_any_order};
        return !wrong_sort(variant, kIn, out, 3);
    };
    for (const bool in_any_order : {false, true}) {
        EXPECT_TRUE(is_right(in_any_order, {3, 7, 7, 2, 0, 1}));
        EXPECT_EQ(is_right(in_any_order, {3, 7, 7, 2, 1, 0}), in_any_order);
        EXPECT_FALSE(is_right(in_any_order, {3, 7, 7, 2, 0, 0}));
        EXPECT_FALSE(is_right(in_any_order, {3, 7, 7, 2, 0, 3}));
        EXPECT_FALSE(is_right(in_any_order, {3, 7, 7, 0, 2, 1}));
        EXPECT_FALSE(is_right(in_any_order, {7, 3, 7, 0, 2, 1}));
    }
}

/// Enough pairs for several threads: no pair is missed at the borders of their parts.
TEST(PairsCheck, NamesTheFirstOfManyPairsThatIsWrong) {
    constexpr unsigned kPairs = 1 << 19;
    const Variant variant = {.operation = Operation::sort,
                             .name = "pairs",
                             .in_bytes = 8,
                             .out_bytes = 8,
                             .bytes_moved = nullptr,
                             .element = Element::uint32,
                             .value = Element::uint32};
    std::vector<unsigned> in(2 * kPairs);  // keys, then values
    for (unsigned i = 0; i < kPairs; ++i) in[i] = in[kPairs + i] = i;
    std::vector<unsigned> out = in;
    const auto wrong = [&] { return wrong_sort(variant, in, out, kPairs); };
    EXPECT_EQ(wrong(), std::nullopt);
    for (const unsigned at : {kPairs - 1, kPairs / 2, kPairs / 2 - 1, 1u}) {
        std::swap(out[at], out[at - 1]);
        EXPECT_EQ(wrong(), "element " + std::to_string(at) + " is " + std::to_string(at - 1) +
                               ", after " + std::to_string(at));
        std::swap(out[at], out[at - 1]);
    }
    for (const unsigned at : {kPairs - 1, kPairs / 2, kPairs / 2 - 1, 0u}) {
        out[kPairs + at] = kPairs;  // and those after it are already wrong
        EXPECT_EQ(wrong(), "the value of pair " + std::to_string(at) + " is " +
                               std::to_string(kPairs) + ", which is not its key's");
    }
}

TEST(VariantCheck, MakesAndLooksAtManyKeys) {
    constexpr unsigned kKeys = 1 << 19;
    const Variant variant = {.operation = Operation::sort,
                             .name = "uint32",
                             .in_bytes = 4,
                             .out_bytes = 4,
                             .bytes_moved = nullptr,
                             .element = Element::uint32};
    std::vector<int> source(kKeys);
    std::iota(source.begin(), source.end(), 0);
    std::vector<unsigned> in(kKeys, ~0u);
    store_elements(variant, source, std::as_writable_bytes(std::span(in)).data());
    EXPECT_TRUE(
        std::ranges::equal(in, source, {}, {}, [](int key) { return static_cast<unsigned>(key); }));

    std::vector<unsigned> out = in;
    const auto wrong = [&] { return wrong_sort(variant, in, out, kKeys); };
    EXPECT_EQ(wrong(), std::nullopt);
    for (const unsigned at : {1u, kKeys / 2 - 1, kKeys / 2, kKeys - 1}) {
        --out[at];  // in order, but a duplicate
        EXPECT_EQ(wrong(), "the keys are not those of the input");
        ++out[at];
    }
}

/// 3001 keys with zeros among them.
KeyFile file_of_keys() {
    std::vector<int> keys(3001);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(mix(i) % 5) - 2;
    const TemporaryFile file(bytes_of(keys));
    return KeyFile(file.path());
}

TEST(DeviceInput, IsTheHostsInput) {
    const simt::Stream stream;
    std::vector<Distribution> distributions(std::begin(kDistributions), std::end(kDistributions));
    for (std::uint64_t model = 1; model <= 100; ++model)
        distributions.push_back(Distribution::of_model(model));
    const KeyFile keys = file_of_keys();
    distributions.push_back(Distribution::of_file(keys));
    for (const Distribution& distribution : distributions)
        for (const std::optional<double> kept : {std::optional<double>(), {0.3}}) {
            const Input input(distribution, kept, 3000, 11);
            simt::DeviceArray<int> device(input.size());
            enqueue_store(input, device.data(), stream.get());
            std::vector<int> values(input.size());
            device.copy_to(values);
            EXPECT_EQ(values, make_input(distribution, kept, 3000, 11)) << to_string(distribution);
        }
}

}  // namespace
}  // namespace stream_compaction
