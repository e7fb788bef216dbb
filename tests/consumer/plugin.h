// A shared library that contains the library.
#pragma once

#include <span>

[[gnu::visibility("default")]] void plugin_scan(std::span<const int> in, std::span<int> out);
