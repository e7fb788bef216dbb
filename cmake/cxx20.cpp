// What older compilers and their libraries lack of C++20.
#include <ranges>
#include <source_location>
#include <span>

int main() {
    const unsigned lines[] = {std::source_location::current().line()};
    for (const unsigned line : std::span(lines) | std::views::drop(1)) return line == 0 ? 1 : 2;
    return 0;
}
