// Runs ranks, some of which are expected to throw.
#pragma once

#include "stream_compaction/distributed.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace stream_compaction {

/// The error message of f on each rank; empty if it does not throw.
template <class Error>
std::vector<std::string> errors_of(unsigned ranks,
                                   const std::function<void(distributed::Communicator&)>& f,
                                   std::chrono::milliseconds patience = distributed::kPatience) {
    std::vector<std::string> texts(ranks);
    distributed::run_ranks(
        ranks,
        [&](distributed::Communicator& each) {
            try {
                f(each);
            } catch (const Error& error) {
                texts[each.rank()] = error.what();
            }
        },
        patience);
    return texts;
}

}  // namespace stream_compaction
