// What grows from step to step: one leak, none, and a cache that fills once.
#include "memory_snapshot/steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/snapshot_fixture.h"

namespace stepscope::memory {
namespace steps_test {

using namespace testing;

constexpr int64_t kSteps = 6;

// Steps of 100 us: 5000 bytes come and go in each. `kept`: bytes that step `i` keeps.
template <class Kept>
std::string Steps(const Kept& kept, bool named = true) {
  std::vector<Pickled> events, blocks, ranges;
  int64_t held = 0, unused = 65'536;
  for (int64_t i = 0; i < kSteps; ++i) {
    const int64_t begin = 1000 + 100 * i;
    events.push_back(Change("alloc", 32'768, 5000, begin + 1, At(5, "forward")));
    if (kept(i) > 0) {
      events.push_back(Change("alloc", 512 * i, kept(i), begin + 2, At(8, "log")));
      blocks.push_back(Block(512 * i, 512, kept(i), "active_allocated", At(8, "log")));
      held += 512;
    }
    events.push_back(Change("free_completed", 32'768, 5000, begin + 50));
    const std::string name =
        named ? "ProfilerStep#" + std::to_string(7 + i) : "Optimizer.step#AdamW.step";
    ranges.push_back(Range(name, "START", begin));
    ranges.push_back(Range(name, "END", begin + 90));
  }
  unused -= held;
  blocks.push_back(Block(40'000, unused, 0, "inactive"));
  return Snapshot({Segment(65'536, held, blocks)}, events, ranges);
}

std::string Text(const Cell& cell) { return std::get<std::string>(cell); }

TEST(MemorySteps, ALeakIsNamedWithWhatEachStepAdds) {
  const Report report = ReportOn(Steps([](int64_t) { return 400; }));
  const Table* leaks = Find(report, "leaks");
  ASSERT_NE(leaks, nullptr);
  ASSERT_EQ(leaks->rows.size(), 1u);
  const auto& row = leaks->rows.front();
  EXPECT_EQ(Text(row[0]), "train.py:8 log");
  EXPECT_EQ(row[1], Cell(int64_t{5}));
  EXPECT_EQ(row[2], Cell(int64_t{5}));
  EXPECT_EQ(row[3], Cell(int64_t{400}));
  EXPECT_EQ(row[5], Cell(int64_t{2400}));
  EXPECT_EQ(Text(row[6]), "log (train.py:8)");
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().message.str(),
            "Memory allocated at train.py:8 log grows by 400 B per step.");
  EXPECT_EQ(
      report.findings.front().because.str(),
      "it rises in 5 of 5 steps, from 400 B to 2.40 kB, and adds 400 kB in 1000 steps at this "
      "rate; it may be a leak");
}

TEST(MemorySteps, EachStepHasItsPeakAndWhatItLeaves) {
  const Report report = ReportOn(Steps([](int64_t) { return 400; }));
  const Table* steps = Find(report, "steps");
  ASSERT_NE(steps, nullptr);
  ASSERT_EQ(steps->rows.size(), 6u);
  const auto& row = steps->rows[2];
  EXPECT_EQ(row[0], Cell(int64_t{9}));
  EXPECT_EQ(row[3], Cell(int64_t{2}));     // allocations
  EXPECT_EQ(row[4], Cell(int64_t{5400}));  // allocated
  EXPECT_EQ(row[5], Cell(int64_t{6200}));  // peak: two steps' 400, and its own 5400
  EXPECT_EQ(row[6], Cell(int64_t{1200}));  // at its end
  EXPECT_EQ(row[7], Cell(int64_t{400}));   // more than step before
}

TEST(MemorySteps, WithoutALeakNothingIsSaid) {
  const Report report = ReportOn(Steps([](int64_t) { return 0; }));
  const Table* leaks = Find(report, "leaks");
  ASSERT_NE(leaks, nullptr);
  EXPECT_TRUE(leaks->rows.empty());
  for (const Finding& finding : report.findings) EXPECT_NE(finding.table, "leaks");
}

TEST(MemorySteps, ACacheThatFillsOnceIsNoLeak) {
  for (const int64_t filled : {0, 1, 2}) {
    const Report report = ReportOn(Steps([&](int64_t i) { return i == filled ? 400 : 0; }));
    const Table* leaks = Find(report, "leaks");
    ASSERT_NE(leaks, nullptr);
    EXPECT_TRUE(leaks->rows.empty()) << filled;
  }
}

TEST(MemorySteps, AnOptimizersStepsServeWhereNoneAreNamed) {
  const Report report = ReportOn(Steps([](int64_t) { return 400; }, false));
  const Table* steps = Find(report, "steps");
  ASSERT_NE(steps, nullptr);
  EXPECT_EQ(steps->rows.size(), 5u);
  EXPECT_EQ(Find(report, "leaks")->rows.size(), 1u);
}

// A stack as PyTorch leaves it: the innermost frame first.
Pickled In(std::string_view file, std::string_view name) {
  return List({Dict({{"name", name}, {"filename", file}, {"line", 30}}),
               Dict({{"name", "wrapper"}, {"filename", file}, {"line", 80}}),
               Dict({{"name", "train"}, {"filename", "/job/train.py"}, {"line", 9}})});
}

// Twelve steps without annotations: the forward pass allocates, then the optimizer frees gradients,
// and for `temporary` bytes allocates too. 64 bytes stay of each, of a peak of 1 MB.
std::string Unmarked(int64_t temporary, std::string_view file) {
  std::vector<Pickled> events, blocks;
  int64_t at = 0;
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t begin = 1000 + 100 * i;
    events.push_back(Change("alloc", 1 << 21, 1'000'000, begin + 1, At(5, "forward")));
    events.push_back(Change("alloc", at, 64, begin + 2, At(8, "log")));
    events.push_back(
        Change("free_requested", 1 << 21, 1'000'000, begin + 50, In(file, "zero_grad")));
    events.push_back(Change("free_completed", 1 << 21, 1'000'000, begin + 50));
    if (temporary > 0) {
      events.push_back(Change("alloc", 1 << 21, temporary, begin + 60, In(file, "step")));
      events.push_back(Change("free_requested", 1 << 21, temporary, begin + 61, In(file, "step")));
      events.push_back(Change("free_completed", 1 << 21, temporary, begin + 61));
    }
    blocks.push_back(Block(at, 512, 64, "active_allocated", At(8, "log")));
    at += 512;
  }
  blocks.push_back(Block(at, (1 << 22) - at, 0, "inactive"));
  return Snapshot({Segment(1 << 22, at, blocks)}, events);
}

TEST(MemorySteps, StacksOfAnOptimizerTellStepsWhereNothingIsAnnotated) {
  for (const int64_t temporary : {0, 4000}) {
    for (const std::string_view file :
         {"/usr/lib/python3/dist-packages/torch/optim/adamw.py", "torch/optim/optimizer.py",
          "/opt/apex/optimizers/fused_adam.py"}) {
      const Report report = ReportOn(Unmarked(temporary, file));
      const Table* steps = Find(report, "steps");
      ASSERT_NE(steps, nullptr) << file;
      EXPECT_EQ(steps->rows.size(), 11u) << file;
      ASSERT_EQ(Find(report, "leaks")->rows.size(), 1u) << file;
    }
  }
}

// 0.06 % of the peak in all, but in every step.
TEST(MemorySteps, GrowthInEveryStepIsToldHoweverSmall) {
  const Report report = ReportOn(Unmarked(4000, "torch/optim/adamw.py"));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().message.str(),
            "Memory allocated at train.py:8 log grows by 64 B per step.");
  EXPECT_EQ(report.findings.front().severity, Severity::kLow);
}

TEST(MemorySteps, WithoutStepsThereAreNoTablesOfThem) {
  const Report report =
      ReportOn(Snapshot({Segment(4096, 0, {Block(0, 4096, 0, "inactive")})},
                        {Change("alloc", 0, 900, 5), Change("free_completed", 0, 900, 6)}));
  EXPECT_EQ(Find(report, "steps"), nullptr);
  EXPECT_EQ(Find(report, "leaks"), nullptr);
}

}  // namespace steps_test
}  // namespace stepscope::memory
