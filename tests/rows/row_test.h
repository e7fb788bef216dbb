// Suites that run once for every row of this backend's registry.
#pragma once

#include "stream_compaction/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace stream_compaction {

/// A row that cannot run here is skipped, with the reason.
class RowTest : public testing::TestWithParam<const Algorithm*> {
  protected:
    void SetUp() override {
        if (row().run == nullptr) GTEST_SKIP() << row().unavailable;
    }
    const Algorithm& row() const { return *GetParam(); }
};

inline std::vector<const Algorithm*> all_rows() {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : registry(simt::kBackend)->rows) rows.push_back(&row);
    return rows;
}

/// "scan_naive"
inline std::string name_of(const testing::TestParamInfo<const Algorithm*>& info) {
    return std::string(to_string(info.param->operation)) + "_" + std::string(info.param->name);
}

}  // namespace stream_compaction
