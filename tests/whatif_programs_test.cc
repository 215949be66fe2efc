// Tests replays of jobs whose processors run compiled programs (JAX): what Python does delays the
// program that it calls, on threads of XLA's, and what Python waits for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tests/answer.h"
#include "tests/front_door.h"
#include "tests/scratch.h"
#include "tests/support/sample_xspace.h"

namespace stepscope::testing::whatif_programs_test {
namespace {

constexpr int64_t kUs = 1'000;
constexpr int kSteps = 12;

struct Loop {
  std::function<int64_t(int rank, int step)> decode;  // ms of Python before the program is called
  std::function<int64_t(int rank, int step)> dot = [](int, int) { return 10; };  // ms
  // How Python's wait is recorded.
  enum : uint8_t { kAwait, kRange, kFunction, kNot } wait = kAwait;
  bool flows = true;     // the recording says which task is whose
  bool in_pool = false;  // the range of `dot` ends once its tasks are in a pool
};

class Process {
 public:
  explicit Process(const Loop& loop) : loop_(loop) {}

  // What begins at `at` ends at `reduced`, when all ranks have reduced: returns the step's end.
  int64_t Step(int step, int64_t at, int64_t decode, int64_t dot, int64_t reduced) {
    const int64_t called = at + decode, begins = called + 200 * kUs, reduces = begins + dot;
    const int64_t end = reduced + 300 * kUs;
    python_.Event("train", at, end - at, {{"_r", 1}, {"step_num", step}});
    if (loop_.wait != Loop::kNot) python_.Event("$train.py:5 decode", at, decode);
    python_.Event("PjRtCpuExecutable::ExecuteHelper", called, 100 * kUs, {{"run_id", RunOf(step)}});
    Flow(python_, "ThreadpoolListener::Record", called + 50 * kUs, "_p", 15, step + 1);
    Flow(pool_, "ThreadpoolListener::StartRegion", begins - 10 * kUs, "_c", 15, step + 1);
    client_.Event("ThunkExecutor::Execute (wait for completion)", begins + 50 * kUs,
                  reduced + 60 * kUs - begins, {{"run_id", RunOf(step)}});
    SampleStats of_dot = Operation("dot.3", step);
    if (loop_.in_pool) {
      of_dot.insert(of_dot.end(), {{"_pt", 0}, {"_p", 3000 + step}});
      Flow(client_, "end: dot.3", reduces + 20 * kUs, "_c", 0, 3000 + step);
    }
    pool_.Event("dot.3", begins, loop_.in_pool ? 100 * kUs : dot, of_dot);
    pool_.Event("all-reduce.2", reduces, reduced - reduces, Operation("all-reduce.2", step));
    Flow(pool_, "end: all-reduce.2", reduced - 7 * kUs, "_c", 0, 2000 + step);
    pool_.Event("ThreadpoolListener::StopRegion", reduced + 10 * kUs, 0);
    AddWait(called + 150 * kUs, end - 50 * kUs, step);
    return end;
  }

  std::string Bytes() { return file_.Bytes(); }

 private:
  static SampleStats Operation(const char* name, int step) {
    return {{"hlo_op", name}, {"hlo_module", "jit_train_step"}, {"run_id", RunOf(step)}};
  }
  // They are random 32-bit numbers.
  static int RunOf(int step) { return step % 2 == 0 ? -191'781'796 - step : 1'006'012'590 + step; }
  void AddWait(int64_t start, int64_t end, int step) {
    if (loop_.wait == Loop::kFunction)
      python_.Event("$api.py:3096 block_until_ready", start, end - start);
    if (loop_.wait == Loop::kRange || loop_.wait == Loop::kAwait)
      python_.Event("np.asarray(jax.Array)", start, end - start);
    if (loop_.wait != Loop::kAwait) return;
    Flow(python_, "CommonPjRtBuffer::Await", start + 10 * kUs, "_p", 0, 1000 + step);
    Flow(python_, "CommonPjRtBuffer::Await", end - 10 * kUs, "_c", 0, 1000 + step);
  }
  void Flow(SampleLine& line, const char* name, int64_t at, const std::string& end, int type,
            int id) const {
    if (loop_.flows) line.Event(name, at, 0, {{end + "t", type}, {end, id}});
  }

  const Loop& loop_;
  SampleXSpace file_;
  SamplePlane& host_ = file_.Plane("/host:CPU");
  SampleLine& python_ = host_.Line(1, "python");
  SampleLine& pool_ = host_.Line(2, "tf_XLAEigen/17");
  SampleLine& client_ = host_.Line(3, "tf_XLAPjRtCpuClient/18");
};

// Two processes that decode, multiply, and reduce until 5 ms after the last has come.
ReportSet AnswerTo(const Loop& loop, const std::string& set,
                   std::vector<std::string> only = {"whatif"}) {
  constexpr int64_t kMs = 1'000 * kUs;
  std::array<Process, 2> ranks{Process(loop), Process(loop)};
  int64_t at = 100 * kMs;
  for (int step = 0; step < kSteps; ++step) {
    const auto works = [&](int rank) { return loop.decode(rank, step) + loop.dot(rank, step); };
    const int64_t reduced = at + std::max(works(0), works(1)) * kMs + 200 * kUs + 5 * kMs;
    int64_t end = at;
    for (int rank = 0; rank < 2; ++rank)
      end = ranks[static_cast<size_t>(rank)].Step(step, at, loop.decode(rank, step) * kMs,
                                                  loop.dot(rank, step) * kMs, reduced);
    at = end + 50 * kUs;
  }
  const ScratchFolder folder;
  const auto answer = Ask({folder.Write("process0.xplane.pb", ranks[0].Bytes()),
                           folder.Write("process1.xplane.pb", ranks[1].Bytes())},
                          {.only = std::move(only), .params = {{"whatif.set", set}}});
  EXPECT_TRUE(answer);
  return answer ? *answer : ReportSet();
}

// ms that the change saves per step; -1: it is not among them.
double SavedBy(const Loop& loop, const std::string& set) {
  const ReportSet answer = AnswerTo(loop, set);
  for (const Row& row : RowsOf(answer, "whatif", "changes")) {
    if (row.Text("change") == set) return static_cast<double>(row.Int("saved")) / 1e6;
  }
  return -1;
}

int64_t SlowSinceSix(int rank, int step) { return rank == 1 && step >= 6 ? 42 : 2; }
int64_t Usual(int /*rank*/, int /*step*/) { return 2; }

TEST(WhatifPrograms, PythonDelaysTheProgramThatItCalls) {
  // 42 of 42 ms in half of the steps, and 2 of 2 in the others.
  EXPECT_NEAR(SavedBy({.decode = SlowSinceSix}, "python decode: gone"), 22, 0.5);
  EXPECT_NEAR(SavedBy({.decode = SlowSinceSix}, "python decode: x0.5"), 11, 0.5);
}

TEST(WhatifPrograms, ARankAsBeforeTakesAsLongAsBefore) {
  EXPECT_NEAR(SavedBy({.decode = SlowSinceSix}, "rank 1: all = before step 6"), 20, 0.5);
}

TEST(WhatifPrograms, AFasterOperationEndsTheStepEarlier) {
  const Loop loop{.decode = Usual,
                  .dot = [](int rank, int step) { return rank == 1 && step >= 6 ? 40 : 10; }};
  EXPECT_NEAR(SavedBy(loop, "rank 1: all = before step 6"), 15, 0.5);
  EXPECT_NEAR(SavedBy(loop, "operator dot.3: x0.5"), 12.5, 0.5);
}

// What the pool computes is the operation's, though its range ends before.
TEST(WhatifPrograms, AnOperationLastsUntilItsTasksHaveEnded) {
  const Loop loop{.decode = Usual,
                  .dot = [](int rank, int step) { return rank == 1 && step >= 6 ? 40 : 10; },
                  .in_pool = true};
  const std::string verdict = AnswerTo(loop, "", {}).verdict.str();
  EXPECT_TRUE(verdict.contains("ank 1")) << verdict;
  EXPECT_TRUE(verdict.contains("since step 6")) << verdict;
  EXPECT_TRUE(verdict.contains("dot.3")) << verdict;
  EXPECT_FALSE(verdict.contains("time between operators")) << verdict;
}

// Where only the call and its operations have one number.
TEST(WhatifPrograms, ACallAndItsOperationsAreKnownByTheirNumber) {
  EXPECT_NEAR(SavedBy({.decode = SlowSinceSix, .flows = false}, "python decode: gone"), 22, 0.5);
}

// block_until_ready() leaves no record but Python's function, and nothing where these are not
// recorded.
TEST(WhatifPrograms, WhatPythonWaitsForIsKnownByTheRecordThatThereIs) {
  for (const auto wait : {Loop::kRange, Loop::kFunction})
    EXPECT_NEAR(SavedBy({.decode = SlowSinceSix, .wait = wait}, "python decode: gone"), 22, 0.5);
  for (const auto wait : {Loop::kAwait, Loop::kFunction, Loop::kNot})
    EXPECT_NEAR(SavedBy({.decode = SlowSinceSix, .wait = wait}, "rank 1: all = before step 6"), 20,
                0.5)
        << wait;
}

TEST(WhatifPrograms, WithoutChangesAReplayIsExact) {
  const ReportSet answer = AnswerTo({.decode = SlowSinceSix}, "");
  for (const Row& row : RowsOf(answer, "whatif", "replay"))
    EXPECT_LT(row.Real("error_ratio"), 0.01) << row.Int("step");
}

}  // namespace
}  // namespace stepscope::testing::whatif_programs_test
