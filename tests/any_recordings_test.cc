// Asks every analysis about jobs whose ranks recorded different things by chance: steps that others
// did not mark, operators without collectives, a beginning that is missing. Whatever it is, there
// is an answer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "tests/front_door.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::any_recordings_test {
namespace {

using testing::CpuTrace;

// A job of up to four ranks that reduce in each step; one may be late since a step.
struct Job {
  int ranks, steps, late_rank, late_since;
  double late, gap;  // ms
};

Job SomeJob(Random& random) {
  const auto ranks = static_cast<int>(1 + random.Below(4)), steps = random.Below(2) == 0 ? 6 : 20;
  return {.ranks = ranks,
          .steps = steps,
          .late_rank = static_cast<int>(random.Below(ranks)),
          .late_since = static_cast<int>(random.Below(steps + 4)),
          .late = 3 + 9 * random.Fraction(),
          .gap = random.Below(3) == 0 ? 20.0 : 2.0};
}

// What a rank recorded of it: operators and collectives, all or nearly all, and marks of some
// steps.
CpuTrace SomeOf(const Job& job, int rank, Random& random) {
  CpuTrace trace(rank, "[]", 1, job.ranks);
  const double marked = random.Fraction(), lost = random.Below(2) == 0 ? 0 : 0.2;
  const auto first = random.Below(3) == 0 ? random.Below(job.steps) : 0;
  const auto is_there = [&] { return random.Fraction() >= lost; };
  double start = 1;
  for (int step = 0; step < job.steps; ++step) {
    const double late = step >= job.late_since ? job.late : 0;
    const double end = start + 15 + late + random.Fraction();
    const double own = rank == job.late_rank ? late : 0;
    if (step >= first) {
      if (random.Fraction() < marked)
        trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), start, end - start);
      if (is_there()) trace.Add("cpu_op", "aten::linear", start, 4 + random.Fraction());
      if (own > 0) trace.Add("python_function", "train.py(7): slow", start + 5, own);
      if (is_there()) trace.Add("cpu_op", "aten::mm", start + own + 5, 3 + random.Fraction());
      if (is_there())
        trace.Add("user_annotation", "gloo:all_reduce", start + own + 10, end - start - own - 10, 2,
                  R"("Input Dims":[[1000]],"Input type":["float"])");
    }
    start = end + job.gap;
  }
  return trace;
}

TEST(AnyRecordings, HaveAnAnswer) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed, 0);
    const Job job = SomeJob(random);
    std::vector<CpuTrace> traces;
    for (int rank = 0; rank < job.ranks; ++rank) traces.push_back(SomeOf(job, rank, random));
    const auto answer = testing::AskAboutRanks(traces, {}, "node1");
    EXPECT_TRUE(answer || !answer.error().what.empty()) << seed;
  }
}

}  // namespace
}  // namespace stepscope::any_recordings_test
