// Tests jobs without accelerators: PyTorch over gloo, where the host's threads compute and
// communicate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/front_door.h"

namespace stepscope {
namespace {

using testing::Ask;
using testing::NoteCount;
using testing::ScratchFolder;

// One rank's trace as PyTorch writes it; times are milliseconds.
class CpuTrace {
 public:
  explicit CpuTrace(int rank, std::string_view properties = "[]")
      : text_(fmt::format(
            R"({{"schemaVersion":1,"deviceProperties":{},"distributedInfo":{{"backend":"gloo","rank":{},"world_size":2,"pg_count":1}},"traceEvents":[)",
            properties, rank)) {}

  CpuTrace& Add(std::string_view category, std::string_view name, double start, double duration,
                int thread = 1, std::string_view args = "") {
    text_ += fmt::format(
        R"({}{{"ph":"X","cat":"{}","name":"{}","pid":9,"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{{}}}}})",
        first_ ? "" : ",\n", category, name, thread, 1e3 * start, 1e3 * duration, args);
    first_ = false;
    return *this;
  }

  // A step that computes twice for 10 ms, `python` ms apart, and reduces until `end`, side by side
  // with the second.
  CpuTrace& Step(int number, double start, double python, double end) {
    Add("user_annotation", fmt::format("ProfilerStep#{}", number), start, end - start);
    Add("cpu_op", "aten::linear", start, 10).Add("cpu_op", "aten::addmm", start + 1, 9);
    Add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", start + 10 + python, 10);
    Add("cpu_op", "c10d::allreduce_", start + 12 + python, 0.05);
    return Add("user_annotation", "gloo:all_reduce", start + 13 + python, end - start - 13 - python,
               2, R"("Input Dims":[[1000]],"Input type":["float"])");
  }

  std::string End() const { return text_ + "]}"; }

 private:
  std::string text_;
  bool first_ = true;
};

// Ranks in step; in each step from the third on rank 1 spends 20 ms in Python before its second
// product.
Result<ReportSet> AskAboutSlowRank() {
  CpuTrace fast(0), slow(1);
  double start = 0;
  for (int step = 1; step <= 6; ++step) {
    const double python = step >= 3 ? 20 : 0;
    const double end = start + 25 + python;
    fast.Step(step, start, 0, end);
    slow.Step(step, start, python, end);
    start = end;
  }
  const ScratchFolder folder;
  return Ask({folder.Write("rank0.json", fast.End()), folder.Write("rank1.json", slow.End())});
}

const Report& ReportOf(const ReportSet& answer, std::string_view name) {
  return *std::ranges::find(answer.reports, name, &Report::analysis);
}

TEST(CpuJob, ThreadsAreTheDevice) {
  const auto answer = AskAboutSlowRank();
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 0);
  EXPECT_TRUE(answer->verdict.contains("% compute, ")) << answer->verdict;
  EXPECT_FALSE(answer->verdict.contains("device compute")) << answer->verdict;
  EXPECT_TRUE(ReportOf(*answer, "collectives").headline.contains("6"))
      << ReportOf(*answer, "collectives").headline;
}

TEST(CpuJob, NamesTheRankThatIsLate) {
  const auto answer = AskAboutSlowRank();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->verdict.contains("ank 1")) << answer->verdict;
  const std::string& headline = ReportOf(*answer, "stragglers").headline;
  EXPECT_TRUE(headline.starts_with("Rank 1 causes 100.0% of all wait time")) << headline;
}

TEST(CpuJob, AnAcceleratorThatWasNotRecordedIsNoCpuJob) {
  CpuTrace trace(0, R"([{"id":0,"name":"NVIDIA H100"}])");
  trace.Step(1, 0, 0, 25).Step(2, 25, 0, 50);
  const auto answer = testing::AskAbout(trace.End());
  ASSERT_TRUE(answer);
  EXPECT_EQ(NoteCount(*answer, "no_gpu_events"), 1);
}

}  // namespace
}  // namespace stepscope
