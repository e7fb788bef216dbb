// run_planted_bug <name>: runs a kernel with its bug, which the sanitizer of this build must
// detect.
#include "simt/emulated/executor.h"
#include "tests/simt/planted_bugs.h"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    simt::set_options({.workers = 2});
    for (const simt::test::PlantedBug& bug : simt::test::planted_bugs()) {
        if (argc != 2 || bug.name != argv[1]) continue;
        try {
            std::puts(gives_right_result(bug, bug.broken) ? "right" : "wrong");
        } catch (const std::exception& error) {
            std::puts(error.what());
        }
        return 0;
    }
    std::puts("usage: run_planted_bug <name>");
    return 2;
}
