// Tests that directories with traces of several jobs are told from those of one.
#include "session/other_jobs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/front_door.h"
#include "tests/rocprof_json.h"

namespace stepscope::other_jobs_test {
namespace {

using testing::Ask;
using testing::Kernel;
using testing::NoteCount;
using testing::ScratchFolder;

// One kernel on such a device; `start` in µs.
std::string Trace(int rank, std::string_view device, int64_t start = 0) {
  return testing::Document(
      {Kernel("gemm", start, 10)},
      fmt::format(R"("deviceProperties":[{{"id":0,"name":"{}"}}],"distributedInfo":{{"rank":{}}},)",
                  device, rank));
}

TEST(OtherJobs, DevicesOfTwoMakersAreTwoJobs) {
  const ScratchFolder folder;
  folder.Write("a0.json", Trace(0, "NVIDIA H100 80GB HBM3"));
  folder.Write("a1.json", Trace(1, "Tesla V100-SXM2-32GB"));
  folder.Write("b_results.json",
               testing::RocprofText({testing::RocprofProcess().Kernel(1, 100, 150)}));
  const auto answer = Ask({folder.path()});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what,
            "these traces are of different jobs: their devices are of different makers: AMD: "
            "b_results.json; NVIDIA: a0.json, a1.json");
  EXPECT_TRUE(answer.error().hint.contains("stepscope analyze FILE")) << answer.error().hint;
}

TEST(OtherJobs, RecordingsMonthsApartAreTwoJobs) {
  constexpr int64_t kDay = int64_t{86400} * 1'000'000;  // µs
  constexpr int64_t kThen = int64_t{1'700'000'000} * 1'000'000;
  const auto ask = [](int64_t first, int64_t second) {
    const ScratchFolder folder;
    folder.Write("a.json", Trace(0, "NVIDIA H100", first));
    folder.Write("b.json", Trace(1, "NVIDIA H100", second));
    return Ask({folder.path()});
  };
  const auto apart = ask(kThen, kThen + 90 * kDay);
  ASSERT_FALSE(apart);
  EXPECT_EQ(apart.error().what,
            "these traces are of different jobs: they were recorded months apart: 2023-11-14: "
            "a.json; 2024-02-12: b.json");
  EXPECT_TRUE(ask(kThen, kThen + 30 * kDay));
  EXPECT_TRUE(ask(0, kThen)) << "clocks that count from somewhere else tell nothing";
}

TEST(OtherJobs, OfSeveralProfilersTheNotesSayWhatWasTakenTogether) {
  const ScratchFolder folder;
  folder.Write("a.json", Trace(0, "AMD Instinct MI300X"));
  folder.Write("b_results.json",
               testing::RocprofText({testing::RocprofProcess().Kernel(1, 100, 150)}));
  const auto answer = Ask({folder.path()});
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "several_profilers"), 2);
  const auto alone = Ask({folder.path() + "/a.json"});
  ASSERT_TRUE(alone);
  EXPECT_EQ(NoteCount(*alone, "several_profilers"), 0);
}

}  // namespace
}  // namespace stepscope::other_jobs_test
