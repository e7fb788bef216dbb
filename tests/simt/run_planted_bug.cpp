// run_planted_bug <name> [forward|reverse|random]: runs a kernel with its bug in this order of
// threads and blocks, and prints the emulator's complaint, or whether the result is right. A
// sanitizer's build also reports what the sanitizer finds.
#include "simt/emulated/executor.h"
#include "tests/simt/planted_bugs.h"

#include <cstdio>
#include <exception>
#include <string_view>

int main(int argc, char** argv) {
    const std::string_view order = argc > 2 ? argv[2] : "forward";
    simt::set_options({.workers = 2,
                       .order = order == "reverse"  ? simt::Order::reverse
                                : order == "random" ? simt::Order::random
                                                    : simt::Order::forward,
                       .stall_rounds = 100});
    for (const simt::test::PlantedBug& bug : simt::test::planted_bugs()) {
        if (argc < 2 || bug.name != argv[1]) continue;
        try {
            std::puts(gives_right_result(bug, bug.broken) ? "right" : "wrong");
        } catch (const std::exception& error) {
            std::puts(error.what());
        }
        return 0;
    }
    std::puts("usage: run_planted_bug <name> [forward|reverse|random]");
    return 2;
}
