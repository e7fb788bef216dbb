#include "src/counts/request.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace stream_compaction {
namespace {

std::vector<std::uintptr_t> sorted(std::span<const std::uintptr_t> addresses) {
    std::vector<std::uintptr_t> in_order(addresses.begin(), addresses.end());
    std::ranges::sort(in_order);
    return in_order;
}

/// The number of passes over the banks that these lanes need.
unsigned wavefronts(std::span<const std::uintptr_t> addresses, unsigned bytes) {
    std::vector<std::uintptr_t> words;
    for (const std::uintptr_t address : addresses)
        for (std::uintptr_t word = address / kBankBytes; word <= (address + bytes - 1) / kBankBytes;
             ++word)
            words.push_back(word);
    std::ranges::sort(words);
    words.erase(std::ranges::unique(words).begin(), words.end());
    std::array<unsigned, kBanks> words_of_bank{};
    for (const std::uintptr_t word : words) ++words_of_bank[word % kBanks];
    return std::ranges::max(words_of_bank);
}

}  // namespace

GlobalCounts global_request(std::span<const std::uintptr_t> addresses, unsigned bytes) {
    GlobalCounts counts{.requests = 1, .lanes = addresses.size()};
    std::uintptr_t sectors_end = 0, bytes_end = 0;  // ends of the counted sectors and bytes
    for (const std::uintptr_t first : sorted(addresses)) {
        const std::uintptr_t end = first + bytes;
        const std::uintptr_t last_sector = (end - 1) / kSectorBytes;
        const std::uintptr_t sector = std::max(first / kSectorBytes, sectors_end);
        counts.sectors += last_sector + 1 - std::min(sector, last_sector + 1);
        counts.bytes_asked += end - std::min(std::max(first, bytes_end), end);
        sectors_end = last_sector + 1;
        bytes_end = end;
    }
    return counts;
}

SharedCounts shared_request(std::span<const std::uintptr_t> addresses, std::uint32_t lanes,
                            unsigned bytes) {
    SharedCounts counts{.requests = 1, .lanes = addresses.size()};
    const unsigned lanes_at_once = kBanks * kBankBytes / std::max(bytes, kBankBytes);
    std::size_t next = 0;
    for (unsigned first = 0; first < 32; first += lanes_at_once) {
        const std::uint64_t group = ((std::uint64_t{1} << lanes_at_once) - 1) << first;
        const auto active = static_cast<std::size_t>(std::popcount(lanes & group));
        if (active == 0) continue;
        counts.conflicts += wavefronts(addresses.subspan(next, active), bytes) - 1;
        next += active;
    }
    return counts;
}

AtomicCounts atomic_request(std::span<const std::uintptr_t> addresses) {
    AtomicCounts counts{.requests = 1, .operations = addresses.size()};
    const auto in_order = sorted(addresses);
    for (auto first = in_order.begin(); first != in_order.end();) {
        const auto end = std::upper_bound(first, in_order.end(), *first);
        counts.most_in_request =
            std::max(counts.most_in_request, static_cast<std::uint64_t>(end - first));
        first = end;
    }
    return counts;
}

}  // namespace stream_compaction
