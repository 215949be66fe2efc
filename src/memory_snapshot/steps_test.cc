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
  EXPECT_EQ(report.findings.front().because.str(),
            "it rises in 5 of 5 steps, from 400 B to 2.40 kB; it may be a leak");
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

TEST(MemorySteps, WithoutStepsThereAreNoTablesOfThem) {
  const Report report =
      ReportOn(Snapshot({Segment(4096, 0, {Block(0, 4096, 0, "inactive")})},
                        {Change("alloc", 0, 900, 5), Change("free_completed", 0, 900, 6)}));
  EXPECT_EQ(Find(report, "steps"), nullptr);
  EXPECT_EQ(Find(report, "leaks"), nullptr);
}

}  // namespace steps_test
}  // namespace stepscope::memory
