// Tests that a table of ranks by steps becomes a grid with the same numbers.
#include "report/rank_grid.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>

#include "report/columns.h"

namespace stepscope::rank_grid_test {
namespace {

Table TableOf(std::vector<std::vector<Cell>> rows) {
  return {
      .key = "matrix",
      .title = "Ranks by steps",
      .columns = {KeyColumn("rank", "rank"), KeyColumn("step", "step"), TimeColumn("time", "time"),
                  RatioColumn("ratio", "share"), ValueColumn("typical", "typical")},
      .rows = std::move(rows)};
}

// As the page reads them.
std::vector<std::optional<double>> Read(const std::string& bytes, size_t cells) {
  const auto byte = [&](size_t at) { return static_cast<uint64_t>(bytes[at] & 255); };
  const size_t width = byte(1);
  uint64_t low = 0;
  for (size_t k = 0; k < 8; ++k) low |= byte(2 + k) << (8 * k);
  EXPECT_EQ(bytes.size(), 10 + width * cells);
  std::vector<std::optional<double>> values;
  for (size_t c = 0; c < cells; ++c) {
    uint64_t number = 0;
    for (size_t k = 0; k < width; ++k) number |= byte(10 + k * cells + c) << (8 * k);
    const double real = std::bit_cast<double>(number);
    if (byte(0) == 1)
      values.push_back(std::isnan(real) ? std::nullopt : std::optional(real));
    else if (number == 0)
      values.emplace_back();
    else
      values.push_back(static_cast<double>(static_cast<int64_t>(low + number - 1)));
  }
  return values;
}

TEST(RankGrid, HasTheSameNumbersInTheOrderOfRowsAndSteps) {
  const Table table = TableOf(
      {{7, 12, 100, 0.5, "yes"}, {7, 3, -40'000'000'000, 0.25, "no"}, {2, 12, 300, {}, "yes"}});
  const auto grid = RankGridOf(table);
  ASSERT_TRUE(grid);
  EXPECT_EQ(GridJson(table, *grid), R"({"steps":[3,12],"keys":[{"key":"rank","cells":[7,2]}],)"
                                    R"("columns":["time","ratio","typical"]})");
  using Cells = std::vector<std::optional<double>>;
  EXPECT_EQ(Read(GridBytes(table, *grid, 2), 4), (Cells{-4e10, 100, std::nullopt, 300}));
  EXPECT_EQ(Read(GridBytes(table, *grid, 3), 4), (Cells{0.25, 0.5, std::nullopt, std::nullopt}));
  EXPECT_EQ(Read(GridBytes(table, *grid, 4), 4), (Cells{0, 1, std::nullopt, 1}));
}

TEST(RankGrid, NumbersBeyondFourBytesAndColumnsWithoutAny) {
  const int64_t large = (int64_t{1} << 53) - 1;
  const Table table = TableOf({{0, 1, large, {}, {}}, {1, 1, 0, {}, {}}});
  const auto grid = RankGridOf(table);
  ASSERT_TRUE(grid);
  using Cells = std::vector<std::optional<double>>;
  EXPECT_EQ(Read(GridBytes(table, *grid, 2), 2), (Cells{static_cast<double>(large), 0}));
  EXPECT_EQ(Read(GridBytes(table, *grid, 3), 2), (Cells{std::nullopt, std::nullopt}));
}

TEST(RankGrid, IsOfRanksByStepsAlone) {
  Table table = TableOf({{0, 1, 5, 0.5, "yes"}});
  table.columns[0].key = "name";
  EXPECT_FALSE(RankGridOf(table));
  EXPECT_FALSE(RankGridOf(TableOf({})));
  EXPECT_FALSE(RankGridOf(TableOf({{0, "first", 5, 0.5, "yes"}})));
}

// Hostile traces number each step of each rank differently.
TEST(RankGrid, AGridThatWouldBeMostlyEmptyIsNotMade) {
  std::vector<std::vector<Cell>> rows;
  for (int64_t r = 0; r < 2000; ++r) rows.push_back({r, 1'000'000 * r, 5, 0.5, "yes"});
  EXPECT_FALSE(RankGridOf(TableOf(std::move(rows))));
}

}  // namespace
}  // namespace stepscope::rank_grid_test
