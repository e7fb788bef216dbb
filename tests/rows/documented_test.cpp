// docs/algorithms.md has the workspace of each row. The emulated rows report it without a GPU.
#include "simt/device_profile.h"
#include "stream_compaction/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace stream_compaction {
namespace {

constexpr Operation kOperations[] = {Operation::scan, Operation::compact, Operation::sort};
constexpr std::size_t kSize = std::size_t{1} << 28;
constexpr double kNextToNothing = 0.01;

/// The workspace of rows in arrays of n elements; "✓" for each row that allocates none itself.
struct Cell {
    std::string name;
    Operation operation;
    std::string text;
};

std::string stripped(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? ""
                                      : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// One for each operation of each module, from lines "| [`module`](header) | scan | compact | sort
/// |".
std::vector<Cell> documented_cells() {
    std::ifstream file(ALGORITHMS);
    std::vector<Cell> cells;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("| [`") || line.find("](../stream_compaction/") == std::string::npos)
            continue;
        std::istringstream columns(line);
        std::string column;
        std::getline(columns, column, '|');  // nothing
        std::getline(columns, column, '|');
        const std::string name = column.substr(3, column.find('`', 3) - 3);
        for (const Operation operation : kOperations)
            if (std::getline(columns, column, '|') && !stripped(column).empty())
                cells.push_back({name, operation, stripped(column)});
    }
    return cells;
}

/// The number in front of "n"; 0 of "~ 0".
std::optional<double> arrays_in(const std::string& text) {
    if (text == "~ 0") return 0;
    if (text == "n") return 1;
    std::istringstream words(text);
    double arrays = 0;
    std::string n;
    if (words >> arrays >> n && n == "n" && words.eof()) return arrays;
    return std::nullopt;
}

class DocumentedTest : public testing::Test {
  protected:
    void SetUp() override {
        if (rows_ == nullptr) GTEST_SKIP() << "built without the emulated backend";
        rows_->emulate(simt::find_device_profile("h200"));
    }
    void TearDown() override {
        if (rows_ != nullptr) rows_->emulate(nullptr);
    }
    const Registry* const rows_ = registry(simt::Backend::emulated);
};

TEST_F(DocumentedTest, HasEveryModuleThatHasARow) {
    std::set<std::pair<std::string, Operation>> modules;
    for (const Cell& cell : documented_cells()) {
        EXPECT_TRUE(modules.emplace(cell.name, cell.operation).second) << cell.name << " twice";
        EXPECT_NE(find(*rows_, cell.operation, cell.name), nullptr) << cell.name;
    }
    for (const Algorithm& row : rows_->rows) {  // "thrust_uncached" is of the module "thrust"
        const auto is_of_module = [&](const auto& module) {
            return module.second == row.operation && row.name.starts_with(module.first);
        };
        EXPECT_TRUE(std::ranges::any_of(modules, is_of_module)) << row.name;
    }
}

TEST_F(DocumentedTest, HasTheWorkspaceOfEveryRow) {
    for (const Cell& cell : documented_cells()) {
        SCOPED_TRACE(cell.name + " " + std::string(to_string(cell.operation)));
        const Algorithm* const row = find(*rows_, cell.operation, cell.name);
        ASSERT_NE(row, nullptr);
        const bool tells = row->runs_on == Place::device && row->unavailable.empty() &&
                           cell.name != "thrust";  // which takes by itself what it needs
        if (!tells) {
            EXPECT_TRUE(cell.text == "✓" || cell.text == "✓ ✓") << cell.text;
            continue;
        }
        const auto arrays = arrays_in(cell.text);
        ASSERT_TRUE(arrays) << cell.text;
        const double takes = static_cast<double>(row->workspace_bytes(kSize, row->tuned)) /
                             static_cast<double>(kSize * sizeof(int));
        EXPECT_NEAR(takes, *arrays, kNextToNothing);
    }
}

}  // namespace
}  // namespace stream_compaction
