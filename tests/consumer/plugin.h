// What a shared library does with the library that it contains.
#pragma once

#include <span>

void plugin_scan(std::span<const int> in, std::span<int> out);
