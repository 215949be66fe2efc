// Tests where the moment is found.
#include "ingest/clock_base.h"

#include <gtest/gtest.h>

#include "tests/scratch.h"

namespace stepscope::clock_base_test {
namespace {

TEST(ClockBase, IsFoundBeforeAndAfterTheEvents) {
  const testing::ScratchFolder folder;
  const auto base = [&](const std::string& text) {
    return ClockBaseOf(folder.Write("trace.json", text));
  };
  EXPECT_EQ(base(R"({"baseTimeNanoseconds": 1759276800000000000, "traceEvents": []})"),
            1'759'276'800'000'000'000);
  EXPECT_EQ(base(R"({"traceEvents": [],"baseTimeNanoseconds":5})"), 5);
  EXPECT_EQ(base("{}"), 0);
  EXPECT_EQ(base(R"({"baseTimeNanoseconds": "soon"})"), 0);
  EXPECT_EQ(base(R"({"baseTimeNanoseconds")"), 0);
  EXPECT_EQ(base(""), 0);
  EXPECT_EQ(ClockBaseOf("/nowhere"), 0);
  // Wherever the file is cut into parts of a megabyte.
  for (const size_t before :
       {1'048'576UZ - 60, 1'048'576UZ - 25, 1'048'576UZ - 22, 1'048'576UZ - 3, 1'048'576UZ}) {
    EXPECT_EQ(
        base("{" + std::string(before, ' ') + R"("baseTimeNanoseconds": 1234567890123456789})"),
        1'234'567'890'123'456'789)
        << before;
  }
}

}  // namespace
}  // namespace stepscope::clock_base_test
