// Tests how waits of threads are known in jobs whose processors compute: a library records a
// message or collective, and only stacks, or what follows, tell who waited for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/scratch.h"
#include "tests/support/ask_ranks.h"
#include "tests/support/cpu_trace.h"

namespace stepscope::testing::whatif_waits_test {
namespace {

struct Named {
  std::string change;
  int64_t since = 0;
  double saved = 0;  // ms per step
};

// The first rank that is changed, if any is.
std::optional<Named> FirstNamed(const std::array<CpuTrace, 2>& ranks) {
  const auto answer = AskAboutRanks(ranks, {.only = {"whatif"}}, "node1");
  EXPECT_TRUE(answer);
  if (!answer) return std::nullopt;
  for (const Row& row : RowsOf(*answer, "whatif", "changes")) {
    const std::string change = row.Text("change");
    if (change.starts_with("rank"))
      return Named{change, row.Int("since_step"), static_cast<double>(row.Int("saved")) / 1e6};
  }
  return std::nullopt;
}

// Posts a message and waits for it until `end`; with `stacks`, in the method of its handle.
void Message(CpuTrace& trace, bool sends, int peer, double at, double end, bool stacks) {
  trace.Add("cpu_op", sends ? "c10d::send" : "c10d::recv_", at, 0.1, 1,
            fmt::format(R"("Concrete Inputs":["","","{}","0"])", peer));
  trace.Add("user_annotation", sends ? "gloo:send" : "gloo:recv", at + 0.05, end - at - 0.05);
  if (stacks) {
    trace.Add("python_function", "<built-in method wait of Work object at 0x7f12>", at + 0.15,
              end - at - 0.1);
  }
}

// Two stages: the first computes for 20 ms, from step 9 on for 36, and sends; the second computes
// for 20 ms and sends back. What follows a wait has another name each time if `varied`, or is
// nothing but the numbered step, for a while.
std::array<CpuTrace, 2> Stages(bool stacks, bool varied) {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  double at = 100;
  for (int step = 1; step <= 16; ++step) {
    const double sent = at + (step < 9 ? 20 : 36), back = sent + 21, end = back + 10;
    for (CpuTrace& trace : ranks)
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
    const auto next = [&](CpuTrace& trace, double from, double to) {
      const auto letter = static_cast<char>('a' + step);
      if (varied) trace.Add("cpu_op", fmt::format("aten::{}", letter), from + 0.05, 0.01);
      const double pause = varied ? 0.1 : 2;
      trace.Add("cpu_op", "aten::linear", from + pause, to - from - pause);
    };
    ranks[0].Add("cpu_op", "aten::linear", at, sent - at);
    Message(ranks[0], true, 1, sent, sent + 1, stacks);
    Message(ranks[0], false, 1, sent + 1, back + 1, stacks);
    next(ranks[0], back + 1, end);
    Message(ranks[1], false, 0, at, sent + 1, stacks);
    next(ranks[1], sent + 1, back);
    Message(ranks[1], true, 0, back, back + 1, stacks);
    next(ranks[1], back + 1, end);
    at = end;
  }
  return ranks;
}

TEST(WhatifWaits, OfStacksAreKnownWhateverFollows) {
  const auto named = FirstNamed(Stages(true, true));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->change, "rank 0: all = before step 9");
  EXPECT_NEAR(named->saved, 16, 0.1);
}

TEST(WhatifWaits, WithoutStacksThoseThatTheSameFollowsAreGuessed) {
  const auto named = FirstNamed(Stages(false, false));
  ASSERT_TRUE(named) << "steps are numbered: that is no difference";
  EXPECT_EQ(named->change, "rank 0: all = before step 9");
  EXPECT_NEAR(named->saved, 16, 0.1);
}

// Then some waits are not known: who is named is right, what it costs is less.
TEST(WhatifWaits, WithoutStacksAndPatternLessIsKnown) {
  const auto named = FirstNamed(Stages(false, true));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->change, "rank 0: all = before step 9");
  EXPECT_LT(named->saved, 16.1);
}

// Two ranks that compute for 10 ms, rank 0 from step 9 on for 22, communicate until `transfer` ms
// after the last of them has posted, as `communicate` writes it, and compute for 10 ms.
template <class Communicate>
std::array<CpuTrace, 2> Together(double transfer, const Communicate& communicate) {
  std::array<CpuTrace, 2> ranks{CpuTrace(0), CpuTrace(1)};
  double at = 100;
  for (int step = 1; step <= 16; ++step) {
    const double slow = step < 9 ? 10 : 22, done = at + slow + transfer, end = done + 10;
    for (int rank = 0; rank < 2; ++rank) {
      CpuTrace& trace = ranks[static_cast<size_t>(rank)];
      trace.Add("user_annotation", fmt::format("ProfilerStep#{}", step), at, end - at);
      const double posted = at + (rank == 0 ? slow : 10);
      trace.Add("cpu_op", "aten::linear", at, posted - at);
      communicate(trace, posted, done);
      trace.Add("cpu_op", "aten::linear", done + 0.2, end - done - 0.3);
    }
    at = end;
  }
  return ranks;
}

// Each step gathers parameters, as FSDP does. The library copies in threads of its own: rank 1 does
// not wait for these, but for rank 0.
TEST(WhatifWaits, AreNotForThreadsOfTheLibrary) {
  const auto named = FirstNamed(Together(3, [](CpuTrace& trace, double posted, double gathered) {
    trace.Add("cpu_op", "c10d::_allgather_base_", posted, 0.1);
    trace.Add("user_annotation", "gloo:all_gather", posted + 0.2, gathered - posted - 0.2, 2);
    trace.Add("cpu_op", "aten::copy_", gathered - 1, 0.9, 2);
    trace.Add("python_function", "<built-in method wait of Work object at 0x7f12>", posted + 0.2,
              gathered - posted - 0.1);
  }));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->change, "rank 0: all = before step 9");
  EXPECT_NEAR(named->saved, 12, 0.2);
}

// A functional collective calls c10d's, and an operator waits for it. One thread of the library
// works on the two of a step one after the other, so that the second begins late, too.
TEST(WhatifWaits, OfFunctionalCollectivesAreOperators) {
  const auto named = FirstNamed(Together(6, [](CpuTrace& trace, double posted, double done) {
    double begins = posted + 0.2;
    for (const double reduced : {done - 3, done}) {
      trace.Add("cpu_op", "_c10d_functional::all_reduce", posted, 0.15);
      trace.Add("cpu_op", "c10d::allreduce_", posted + 0.05, 0.05);
      trace.Add("user_annotation", "gloo:all_reduce", begins, reduced - begins, 2);
      begins = reduced + 0.01;
      posted += 0.3;
    }
    trace.Add("cpu_op", "_c10d_functional::wait_tensor", posted, done + 0.1 - posted);
  }));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->change, "rank 0: all = before step 9");
  EXPECT_NEAR(named->saved, 12, 0.2);
}

}  // namespace
}  // namespace stepscope::testing::whatif_waits_test
