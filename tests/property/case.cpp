#include "tests/property/case.h"

#include "simt/error.h"
#include "simt/memory.h"
#include "simt/stream.h"
#include "src/check/variant_output.h"
#include "stream_compaction/grid.h"
#include "stream_compaction/variants.h"
#include "tests/guarded_array.h"
#include "tests/reference.h"
#include "tests/sizes.h"

#if defined(SIMT_EMULATED)
#include "simt/emulated/executor.h"
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <random>
#include <span>
#include <system_error>
#include <vector>

namespace stream_compaction::inline SIMT_BACKEND {
namespace {

using Random = std::mt19937_64;

bool coin(Random& random) { return random() % 2 == 0; }

std::size_t up_to(std::size_t most, Random& random) { return random() % (most + 1); }

int any_of(std::span<const int> legal, Random& random) {
    const std::uint64_t drawn = random();
    return legal.empty() ? 0 : legal[drawn % legal.size()];
}

/// A size next to one at which kernels often fail, or any size.
std::size_t draw_size(const Tuning& tuning, std::size_t largest, Random& random) {
    const std::size_t tile = tile_size(tuning);
    const auto near = [&](std::size_t n) {
        return n + up_to(6, random) - std::min<std::size_t>(n, 3);
    };
    const auto drawn = [&]() -> std::size_t {
        switch (random() % 6) {
            case 0:
                return up_to(70, random);
            case 1:
                return near(std::max(tuning.block_size, 32));
            case 2:
                return near(tile * (1 + up_to(40, random)));
            case 3:
                return near(tile * tile);
            case 4:
                return near(std::size_t{1} << up_to(std::bit_width(largest) - 1, random));
            default:
                return static_cast<std::size_t>(
                    std::exp2(std::log2(static_cast<double>(largest) + 1) *
                              std::uniform_real_distribution<>(0, 1)(random)));
        }
    }();
    return drawn <= largest ? drawn : up_to(largest, random);
}

Way draw_way(const Algorithm& row, Random& random) {
    const Way ways[] = {Way::host_function, Way::plan, Way::stream, Way::graph};
    const Way way = ways[random() % 4];
    const bool is_there =
        way == Way::host_function ? row.run != nullptr : way != Way::graph || row.asynchronous;
    return is_there ? way : Way::plan;
}

std::string_view name(Way way) {
    switch (way) {
        case Way::host_function:
            return "host function";
        case Way::plan:
            return "plan";
        case Way::stream:
            return "plan on a stream";
        case Way::graph:
            return "plan in a graph";
    }
    return {};
}

/// Sets the executor's options while it lives.
class WithSchedule {
  public:
#if defined(SIMT_EMULATED)
    explicit WithSchedule(const Case& drawn) {
        simt::set_options({.workers = drawn.workers,
                           .order = static_cast<simt::Order>(drawn.order),
                           .seed = drawn.seed});
    }
    ~WithSchedule() { simt::set_options({}); }
#else
    explicit WithSchedule(const Case&) {}
#endif
    WithSchedule(const WithSchedule&) = delete;
    WithSchedule& operator=(const WithSchedule&) = delete;
};

std::vector<int> input_of(const Case& drawn, std::uint64_t call) {
    Random random(drawn.seed + call);
    std::vector<int> input = make_input(drawn.distribution, drawn.kept, drawn.n, random());
    if (drawn.has_extremes && !input.empty()) {
        input[up_to(drawn.n - 1, random)] = std::numeric_limits<int>::min();
        input[up_to(drawn.n - 1, random)] = std::numeric_limits<int>::max();
    }
    return input;
}

/// An array between guard words, in the memory of a row.
class Guarded {
  public:
    Guarded(Place place, std::span<const int> content, std::size_t offset)
        : first_(kGuards + offset), words_(first_ + content.size() + kGuards, kSentinel) {
        std::ranges::copy(content, words_.begin() + static_cast<std::ptrdiff_t>(first_));
        if (place == Place::device) on_device_ = simt::DeviceArray<int>(words_);
    }

    int* data() { return (on_device_.size() > 0 ? on_device_.data() : words_.data()) + first_; }

    /// The first elements.
    std::vector<int> read(std::size_t count) const {
        const std::vector<int> got = read_all();
        return std::vector<int>(got.begin() + static_cast<std::ptrdiff_t>(first_),
                                got.begin() + static_cast<std::ptrdiff_t>(first_ + count));
    }

    /// @param expected the first elements; those after them must be the sentinel, like the guards
    std::optional<std::string> differs_from(std::string_view what,
                                            std::span<const int> expected) const {
        const std::vector<int> got = read_all();
        for (std::size_t i = 0; i < got.size(); ++i) {
            const bool is_element = i >= first_ && i - first_ < expected.size();
            const int wanted = is_element ? expected[i - first_] : kSentinel;
            if (got[i] == wanted) continue;
            const auto index = static_cast<std::ptrdiff_t>(i - first_);
            return std::string(what) + " index " + std::to_string(index) + ": " +
                   (is_element ? "expected " + std::to_string(wanted) : "must not be written") +
                   ", got " + std::to_string(got[i]);
        }
        return std::nullopt;
    }

  private:
    static constexpr std::size_t kGuards = 64;  // a multiple of 16 bytes

    std::vector<int> read_all() const {
        std::vector<int> got = words_;
        if (on_device_.size() > 0) on_device_.copy_to(got);
        return got;
    }

    std::size_t first_;
    std::vector<int> words_;
    simt::DeviceArray<int> on_device_;
};

std::optional<std::string> wrong_count(std::size_t expected, std::size_t got) {
    if (got == expected) return std::nullopt;
    return "expected a count of " + std::to_string(expected) + ", got " + std::to_string(got);
}

std::optional<std::string> wrong_host_call(const Case& drawn) {
    const Algorithm& row = *drawn.row;
    const std::vector<int> kept_input = input_of(drawn, 0);
    const std::vector<int> expected = reference(row.operation, kept_input);
    Guarded in(Place::host, kept_input, drawn.in_offset);
    Guarded out(Place::host, std::vector<int>(drawn.n, kSentinel), drawn.out_offset);
    const Outcome outcome = row.run({in.data(), drawn.n}, {out.data(), drawn.n}, drawn.tuning);
    if (const auto wrong = wrong_count(expected.size(), outcome.count)) return wrong;
    if (const auto wrong = out.differs_from("output", expected)) return wrong;
    return in.differs_from("input", kept_input);
}

void enqueue(const Case& drawn, Plan& plan, Guarded& in, Guarded& out, std::size_t* count) {
    const auto work = [&](simt::stream_t stream) {
        plan.enqueue(in.data(), drawn.in_place ? in.data() : out.data(), count, drawn.n, stream);
    };
    if (drawn.way == Way::plan) return work(nullptr);
    simt::synchronize();  // the arrays were written on the default stream
    const simt::Stream stream;
    if (drawn.way == Way::graph)
        simt::Graph(work).launch(stream.get());
    else
        work(stream.get());
    stream.synchronize();
}

/// The memory for the count of a compaction; nothing else may be written there.
class Count {
  public:
    explicit Count(Place place) {
        if (place == Place::device)
            on_device_ = simt::DeviceArray<std::size_t>(std::span<const std::size_t>(&on_host_, 1));
    }
    std::size_t* data() { return on_device_.size() > 0 ? on_device_.data() : &on_host_; }

    /// @param kept the expected count, for a compaction
    std::optional<std::string> differs_from(Operation operation, std::size_t kept) {
        if (on_device_.size() > 0) on_device_.copy_to(std::span(&on_host_, 1));
        return wrong_count(operation == Operation::compact ? kept : std::size_t{kSentinel},
                           on_host_);
    }

  private:
    std::size_t on_host_ = kSentinel;
    simt::DeviceArray<std::size_t> on_device_;
};

std::optional<std::string> wrong_plan(const Case& drawn) {
    const Algorithm& row = *drawn.row;
    const auto plan = row.make_plan(drawn.n + drawn.capacity_beyond_n, drawn.tuning);
    for (int call = 0; call < drawn.calls; ++call) {
        const std::vector<int> kept_input = input_of(drawn, call);
        const std::vector<int> expected = reference(row.operation, kept_input);
        Guarded in(row.arrays_on(), kept_input, drawn.in_offset);
        Guarded out(row.arrays_on(), std::vector<int>(drawn.n, kSentinel), drawn.out_offset);
        Count count(row.arrays_on());
        enqueue(drawn, *plan, in, out, count.data());
        if (const auto wrong = count.differs_from(row.operation, expected.size())) return wrong;
        if (drawn.in_place) {
            std::vector<int> image = kept_input;  // the compaction does not write the rest
            std::ranges::copy(expected, image.begin());
            if (const auto wrong = in.differs_from("output", image)) return wrong;
        } else {
            if (const auto wrong = out.differs_from("output", expected)) return wrong;
            if (const auto wrong = in.differs_from("input", kept_input)) return wrong;
        }
    }
    return std::nullopt;
}

/// The number of words that hold this many bytes.
std::size_t words_of(std::size_t bytes) { return ceil_div(bytes, sizeof(int)); }

bool has_wide_elements(const Variant& variant) {
    const auto is_wide = [](Element element) {
        return element == Element::int64 || element == Element::uint64 ||
               element == Element::float64;
    };
    return is_wide(variant.element) || (variant.value && is_wide(*variant.value));
}

std::optional<std::string> wrong_variant(const Case& drawn) {
    const Algorithm& row = *drawn.row;
    const Variant& variant = *row.variant;
    const std::size_t in_words = words_of(drawn.n * variant.in_bytes);
    const std::size_t out_bytes = drawn.n * variant.out_bytes, out_words = words_of(out_bytes);
    const std::size_t element_words = has_wide_elements(variant) ? 2 : 1;
    int unwritten = 0;
    std::memset(&unwritten, std::to_integer<int>(kUnwritten), sizeof unwritten);

    const auto plan = row.make_plan(drawn.n + drawn.capacity_beyond_n, drawn.tuning);
    for (int call = 0; call < drawn.calls; ++call) {
        const std::vector<int> source = input_of(drawn, call);
        std::vector<int> kept_input(in_words);
        store_elements(variant, source, std::as_writable_bytes(std::span(kept_input)).data());
        Guarded in(row.arrays_on(), kept_input, drawn.in_offset * element_words);
        Guarded out(row.arrays_on(), std::vector<int>(out_words, unwritten),
                    drawn.out_offset * element_words);
        Count count(row.arrays_on());
        enqueue(drawn, *plan, in, out, count.data());

        const std::size_t kept = drawn.n - std::ranges::count(source, 0);
        if (const auto wrong = count.differs_from(row.operation, kept)) return wrong;
        const std::vector<int> found = out.read(out_words);
        const auto bytes = std::as_bytes(std::span(found));
        if (auto wrong = what_is_wrong(variant, std::as_bytes(std::span(kept_input)).data(),
                                       bytes.data(), drawn.n, kept))
            return wrong;
        if (std::ranges::any_of(bytes.subspan(out_bytes),
                                [](std::byte behind) { return behind != kUnwritten; }))
            return "bytes after the output: must not be written";
        if (const auto wrong = out.differs_from("output", found)) return wrong;
        if (const auto wrong = in.differs_from("input", kept_input)) return wrong;
    }
    return std::nullopt;
}

}  // namespace

Case draw_case(const Algorithm& row, std::uint64_t seed, std::size_t largest) {
    Random random(mix(seed));
    Case drawn{.row = &row, .seed = seed};
    // A model as often as all other distributions, because models differ more from each other.
    const std::uint64_t model = random() % 1'000'000;
    drawn.distribution = coin(random) ? Distribution::of_model(model)
                                      : kDistributions[random() % std::size(kDistributions)];
    const double shares[] = {0, 1, 0.5, 0.01, std::uniform_real_distribution<>(0, 1)(random)};
    if (coin(random)) drawn.kept = shares[random() % std::size(shares)];
    drawn.has_extremes = coin(random);
    drawn.way = draw_way(row, random);
    drawn.tuning = row.tuned;
    const Tuning other{
        any_of(row.legal.block_sizes, random), any_of(row.legal.items_per_thread, random),
        row.legal.paddings.empty() ? row.tuned.padding : any_of(row.legal.paddings, random)};
    if (coin(random)) drawn.tuning = other;
    drawn.capacity_beyond_n = coin(random) ? 0 : up_to(5000, random);
    drawn.in_offset = up_to(3, random);
    drawn.out_offset = up_to(3, random);
    drawn.in_place = coin(random) && row.in_place && drawn.way != Way::host_function;
    drawn.calls = drawn.way == Way::host_function ? 1 : 1 + static_cast<int>(up_to(1, random));
    drawn.workers = 1 + static_cast<unsigned>(up_to(5, random));
    drawn.order = static_cast<int>(up_to(2, random));
    drawn.n = draw_size(drawn.tuning, largest, random);
    return drawn;
}

std::string describe(const Case& drawn) {
    std::string text(to_string(drawn.row->operation));
    text.append(" ").append(drawn.row->name);
    if (drawn.row->variant != nullptr) text.append(", ").append(drawn.row->variant->name);
    text += ", n = " + std::to_string(drawn.n) + ", " +
            stream_compaction::describe(drawn.distribution, drawn.n);
    if (drawn.kept) text += ", " + std::to_string(*drawn.kept) + " of it kept";
    if (drawn.has_extremes) text += ", with INT_MIN and INT_MAX";
    text.append("; ").append(name(drawn.way));
    text += ", block size " + std::to_string(drawn.tuning.block_size) + ", items per thread " +
            std::to_string(drawn.tuning.items_per_thread) + ", padding " +
            std::to_string(drawn.tuning.padding);
    if (drawn.way != Way::host_function)
        text += ", for n + " + std::to_string(drawn.capacity_beyond_n) + ", calls " +
                std::to_string(drawn.calls);
    text += ", input at word " + std::to_string(drawn.in_offset);
    text += drawn.in_place ? ", in place" : ", output at word " + std::to_string(drawn.out_offset);
    if (simt::kBackend == simt::Backend::emulated)
        text +=
            "; workers " + std::to_string(drawn.workers) + ", order " + std::to_string(drawn.order);
    return text;
}

std::optional<std::string> what_is_wrong(const Case& drawn) {
    const WithSchedule schedule(drawn);
    try {
        if (drawn.row->variant != nullptr) return wrong_variant(drawn);
        return drawn.way == Way::host_function ? wrong_host_call(drawn) : wrong_plan(drawn);
    } catch (const simt::OutOfMemory&) {
        throw;  // here and below: not the row's fault
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::system_error&) {  // no thread can be started
        throw;
    } catch (const simt::OutOfThreads&) {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    }
}

Case shrink(Case drawn) {
    for (std::size_t fewer = drawn.n; fewer > 0;) {
        Case smaller = drawn;
        smaller.n = drawn.n - std::min(fewer, drawn.n);
        if (smaller.n < drawn.n && what_is_wrong(smaller))
            drawn = smaller;
        else
            fewer /= 2;
    }
    return drawn;
}

}  // namespace stream_compaction::inline SIMT_BACKEND
