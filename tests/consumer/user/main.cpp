#include <plugin.h>
#include <stream_compaction/cpu.h>

#include <vector>

int main() {
    const std::vector<int> in{3, 1, 2};
    std::vector<int> of_plugin(3), of_library(3);
    plugin_scan(in, of_plugin);
    stream_compaction::cpu::scan(in, of_library);
    const std::vector<int> expected{0, 3, 4};
    return of_plugin == expected && of_library == expected ? 0 : 1;
}
