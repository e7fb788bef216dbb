// The property test detects faults, and the smallest size at which they occur.
#include "tests/property/case.h"
#include "tests/fake_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace stream_compaction {
namespace {

using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

enum class Fault { none, element, count, past_the_end, before_the_start, input, second_call };

constexpr std::size_t kFirstWrongSize = 101;

/// A compaction on the host with a fault from some size on.
template <Fault fault>
Outcome run(std::span<const int> in, std::span<int> out, const Tuning& tuning) {
    Outcome outcome = fake::right_compact(in, out, tuning);
    if (in.size() < kFirstWrongSize) return outcome;
    if (fault == Fault::element) out[0] ^= 1;
    if (fault == Fault::count) ++outcome.count;
    if (fault == Fault::past_the_end) out.data()[out.size()] = 1;
    if (fault == Fault::before_the_start) out.data()[-1] = 1;
    if (fault == Fault::input) const_cast<int&>(in[7]) += 1;
    return outcome;
}

template <Fault fault>
class FaultyPlan final : public Plan {
  public:
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                 Stopwatch*) override {
        *count = run<fault>({in, n}, {out, n}, {}).count;
        if (fault == Fault::second_call && calls_++ > 0 && n >= kFirstWrongSize) ++*count;
    }

  private:
    int calls_ = 0;
};

template <Fault fault>
constexpr Algorithm kRow = [] {
    Algorithm row = fake::row(Operation::compact, "faulty", run<fault>, Place::host);
    row.make_plan = [](std::size_t, const Tuning&) -> std::unique_ptr<Plan> {
        return std::make_unique<FaultyPlan<fault>>();
    };
    row.asynchronous = false;
    return row;
}();

/// The same for a variant with two bytes per element, so the last word may be partly unused.
template <Fault fault>
class FaultyVariantPlan final : public Plan {
  public:
    void enqueue(const int* in, int* out, std::size_t* count, std::size_t n, simt::stream_t,
                 Stopwatch*) override {
        const auto* const from = reinterpret_cast<const std::uint16_t*>(in);
        auto* const to = reinterpret_cast<std::uint16_t*>(out);
        std::copy_n(from, n, to);
        std::sort(to, to + n);
        if (n < kFirstWrongSize) return;
        if (fault == Fault::element) to[7] ^= 1;
        if (fault == Fault::count) *count = n;
        if (fault == Fault::past_the_end) to[n] = 1;
        if (fault == Fault::before_the_start) to[-1] = 1;
        if (fault == Fault::input) const_cast<std::uint16_t*>(from)[7] += 1;
        if (fault == Fault::second_call && calls_++ > 0) to[7] ^= 1;
    }

  private:
    int calls_ = 0;
};

constexpr Variant kHalves{.operation = Operation::sort,
                          .name = "halves",
                          .in_bytes = 2,
                          .out_bytes = 2,
                          .bytes_moved = nullptr,
                          .element = Element::uint16};

template <Fault fault>
constexpr Algorithm kVariantRow = [] {
    Algorithm row = fake::row(Operation::sort, "faulty", nullptr, Place::host);
    row.make_plan = [](std::size_t, const Tuning&) -> std::unique_ptr<Plan> {
        return std::make_unique<FaultyVariantPlan<fault>>();
    };
    row.asynchronous = false;
    row.variant = &kHalves;
    return row;
}();

/// The first of many cases whose result is wrong.
std::optional<Case> find_wrong(const Algorithm& row) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        const Case drawn = draw_case(row, seed, 5000);
        if (what_is_wrong(drawn)) return drawn;
    }
    return std::nullopt;
}

void expect_found(const Algorithm& row, const std::string& text) {
    const std::optional<Case> wrong = find_wrong(row);
    ASSERT_TRUE(wrong.has_value());
    EXPECT_THAT(what_is_wrong(*wrong), Optional(HasSubstr(text)));
    EXPECT_GE(wrong->n, kFirstWrongSize);
    EXPECT_EQ(shrink(*wrong).n, kFirstWrongSize);
}

TEST(PropertyTest, TakesWhatIsRight) { EXPECT_FALSE(find_wrong(kRow<Fault::none>).has_value()); }

TEST(PropertyTest, FindsAWrongElement) {
    expect_found(kRow<Fault::element>, "output index 0: expected ");
}

TEST(PropertyTest, FindsAWrongCount) { expect_found(kRow<Fault::count>, "expected a count of "); }

TEST(PropertyTest, FindsWhatIsWrittenPastTheEnd) {
    expect_found(kRow<Fault::past_the_end>, "must not be written, got 1");
}

TEST(PropertyTest, FindsWhatIsWrittenBeforeTheStart) {
    expect_found(kRow<Fault::before_the_start>, "output index -1: must not be written, got 1");
}

TEST(PropertyTest, FindsAWrittenInput) {
    expect_found(kRow<Fault::input>, "input index 7: expected ");
}

TEST(PropertyTest, FindsAPlanThatWorksOnlyOnce) {
    expect_found(kRow<Fault::second_call>, "expected a count of ");
}

TEST(PropertyTest, TakesAVariantThatIsRight) {
    EXPECT_FALSE(find_wrong(kVariantRow<Fault::none>).has_value());
}

TEST(PropertyTest, FindsWhatIsWrongWithAVariant) {
    expect_found(kVariantRow<Fault::element>, "element ");
    expect_found(kVariantRow<Fault::count>, "expected a count of ");
    expect_found(kVariantRow<Fault::past_the_end>, "must not be written");
    expect_found(kVariantRow<Fault::before_the_start>, "output index -1: must not be written");
    expect_found(kVariantRow<Fault::input>, "input index 3: expected ");
    expect_found(kVariantRow<Fault::second_call>, "element ");
}

TEST(PropertyTest, NamesTheVariant) {
    EXPECT_THAT(describe(draw_case(kVariantRow<Fault::none>, 1, 100)),
                StartsWith("sort faulty, halves, n = "));
}

TEST(PropertyTest, RepeatsACaseByItsSeed) {
    const Case first = draw_case(kRow<Fault::none>, 12345, 5000);
    const Case second = draw_case(kRow<Fault::none>, 12345, 5000);
    EXPECT_EQ(describe(first), describe(second));
    EXPECT_NE(describe(first), describe(draw_case(kRow<Fault::none>, 12346, 5000)));
}

TEST(PropertyTest, DrawsAllThereIsToDraw) {
    Algorithm row = fake::tunable(Operation::scan, "tunable", fake::right_scan);
    row.in_place = true;
    std::set<std::tuple<Way, bool>> ways;
    std::set<Distribution> distributions;
    std::set<std::tuple<int, int>> tunings;
    std::set<std::tuple<std::size_t, std::size_t>> offsets;
    std::set<std::size_t> sizes;
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        const Case drawn = draw_case(row, seed, 5000);
        ways.insert({drawn.way, drawn.in_place});
        distributions.insert(drawn.distribution);
        tunings.insert({drawn.tuning.block_size, drawn.tuning.items_per_thread});
        offsets.insert({drawn.in_offset, drawn.out_offset});
        sizes.insert(drawn.n);
        EXPECT_LE(drawn.n, 5000u);
    }
    EXPECT_EQ(ways.size(), 7u);  // a host function is never in place
    const auto models = std::ranges::count(distributions, Distribution::model, &Distribution::kind);
    EXPECT_EQ(distributions.size() - models, std::size(kDistributions));
    EXPECT_GT(models, 1000);
    EXPECT_EQ(tunings.size(), 6u);
    EXPECT_EQ(offsets.size(), 16u);
    for (const std::size_t n :
         {0, 1, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1023, 1024, 1025, 4096})
        EXPECT_TRUE(sizes.contains(n)) << n;
}

}  // namespace
}  // namespace stream_compaction
