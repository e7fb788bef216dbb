// Run under mpirun: shows what the other processes see if the last one fails, or does not arrive.
// The arguments are "throws" or "sleeps"; with "late", all processes handle the error and end
// normally. Each process prints what it has seen, and ends like main() of a program.
#include "stream_compaction/distributed/mpi.h"

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

using namespace stream_compaction;

int main(int, char** argv) {
    const std::string_view what = argv[1];
    using namespace std::chrono_literals;
    try {
        distributed::run_process(
            [&](const distributed::Process& process) {
                distributed::Communicator& ranks = process.ranks;
                if (what == "late") {
                    if (ranks.rank() + 1 == ranks.size()) std::this_thread::sleep_for(500ms);
                    try {
                        (void)ranks.all_gather({});
                    } catch (const RankFailed& error) {
                        std::cout << "seen by rank " << ranks.rank() << std::endl;
                    }
                    return;
                }
                if (ranks.rank() + 1 == ranks.size()) {
                    if (what == "throws") throw std::runtime_error("no more");
                    for (;;) std::this_thread::sleep_for(1s);  // mpirun ends it
                }
                std::int32_t word = 0;
                const distributed::Communicator::Incoming incoming[] = {
                    {ranks.size() - 1, &word, sizeof word}};
                ranks.exchange({}, incoming, nullptr);
            },
            what == "throws" ? distributed::kPatience : 50ms);
    } catch (const std::exception& error) {
        std::cout << error.what() << std::endl;
        return 3;
    }
}
