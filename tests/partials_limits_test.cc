// Asks partials what they do not tell, and of which job they are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stepscope/partials.h"
#include "tests/event_lines.h"
#include "tests/front_door.h"
#include "tests/scratch.h"
#include "tests/support/demo_job.h"

namespace stepscope::partials_limits_test {
namespace {

std::string Mapped(const testing::ScratchFolder& folder, std::vector<std::string> traces) {
  std::string part = folder.path() + "/part";
  EXPECT_TRUE(MapRanks(traces, {.folder = part}).has_value());
  return part;
}

// Right after the first sentence, where no screen cuts it.
TEST(PartialsLimits, OfSeveralDevicesDoNotTellWhoIsLate) {
  const testing::ScratchFolder folder;
  DemoOptions options{.ranks = 2, .devices = 2, .slow_rank = 1, .layers = 3, .stacks = false};
  ASSERT_TRUE(WriteDemo(folder.path() + "/job", options).has_value());
  const auto answer = testing::Ask({Mapped(folder, {folder.path() + "/job"})});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(
      answer->verdict.contains(". Partials of processors, or of processes with several devices, do "
                               "not tell who is late: ask "
                               "the traces. Step time is "))
      << answer->verdict.str();
}

std::string OfProcess(int rank, int process, int64_t start) {
  return testing::Document(
      {testing::Kernel("gemm", start, 10),
       fmt::format(
           R"({{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":{},"tid":1,"ts":{},"dur":9}})",
           process, start)},
      fmt::format(R"("distributedInfo":{{"rank":{},"world_size":2}},)", rank));
}

// The same words as of the traces, whose processes they were.
TEST(PartialsLimits, OfTwoJobsAreNotTakenAsOne) {
  const testing::ScratchFolder folder;
  folder.Write("a/rank0.json", OfProcess(0, 70, 0));
  folder.Write("a/rank1.json", OfProcess(1, 71, 3));
  folder.Write("b/rank0.json", OfProcess(0, 80, 24'000'000));
  folder.Write("b/rank1.json", OfProcess(1, 81, 24'000'009));
  const std::string a = folder.path() + "/a", b = folder.path() + "/b";
  for (const auto& answer : {testing::Ask({a, b}), testing::Ask({Mapped(folder, {a, b})})}) {
    ASSERT_FALSE(answer.has_value());
    EXPECT_TRUE(answer.error().what.starts_with("most ranks were recorded in several processes"))
        << answer.error().what;
  }
}

}  // namespace
}  // namespace stepscope::partials_limits_test
