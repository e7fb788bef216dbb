// What a shared library does with the library that it contains.
#pragma once

#include <span>

[[gnu::visibility("default")]] void plugin_scan(std::span<const int> in, std::span<int> out);
